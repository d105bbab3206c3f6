#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/record.hpp"

namespace damocles {

/// Records as a table for eyes.
[[nodiscard]] std::string to_table(const std::vector<Record>& records);

/// A table with aligned columns: numbers to the right, words to the left.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// The same cells as a Markdown table; the first row is its head.
[[nodiscard]] std::string markdown_table(const std::vector<std::vector<std::string>>& rows);

/// A number as a cell of such a table, by a {fmt} format; a dash where there is none.
[[nodiscard]] std::string shown(const std::optional<double>& value, const char* format);

}  // namespace damocles
