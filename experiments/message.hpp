#pragma once

#include <string>
#include <string_view>

namespace damocles {

/// A message as one line that a terminal can show, whatever the user's files and words hold: a line
/// break is a blank; every other control character, every mark that turns the direction of writing,
/// and every byte that is no UTF-8 is escaped, as \x1b or \u{202e}; of more than 1000 letters
/// shown, the middle is left out.
[[nodiscard]] std::string printable_line(std::string_view text);

/// Says "damocles: text" on standard error, as one printable line. Where nobody can read it, as
/// where standard error is closed, the exit status must do.
void tell(std::string_view text);

/// Says the same once the command has succeeded, so that a request that is refused has one line.
void tell_when_done(std::string text);
/// Says what waited for that.
void tell_what_waited();

/// Opens /dev/null in the place of standard streams that are closed, the wrong way round: what uses
/// them still fails, and no file that is opened later takes their place.
void keep_standard_streams();

}  // namespace damocles
