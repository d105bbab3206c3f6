// Files of JSON that say their own digest, so that a change by hand is noticed.
#pragma once

#include <string>
#include <string_view>

namespace damocles {

/// The text of a JSON object with a last key, `"digest"`: of what stands before it, without the
/// blanks and line breaks between the words.
[[nodiscard]] std::string with_digest(std::string text);

/// Refuses an object whose digest is not that of its text. Those of older versions state none.
/// @param file  how it is called: "trace 't.json'"
/// @throws InvalidInput where the file was changed
void check_digest(const std::string& file, std::string_view text);

}  // namespace damocles
