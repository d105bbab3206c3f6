#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace damocles {

/// A message as one line that a terminal can show, whatever the user's files and words hold: a line
/// break is a blank; every other control character, every mark that turns the direction of writing,
/// and every byte that is no UTF-8 is escaped, as \x1b or \u{202e}; of more than 1000 letters
/// shown, the middle is left out.
[[nodiscard]] std::string printable_line(std::string_view text);

/// Whether a stream (STDOUT_FILENO, ...) is a terminal that somebody looks at. Of the ranks of an
/// MPI job none is: launchers give them terminals, and write what these say into a file or a pipe.
[[nodiscard]] bool is_terminal(int stream);

/// A text of many lines as a terminal can show it: tabs, line breaks and our own colours stay, all
/// else that printable_line() escapes is escaped.
[[nodiscard]] std::string printable_text(std::string_view text);

/// Says "damocles: text" on standard error, as one printable line. Where nobody can read it, as
/// where standard error is closed, the exit status must do.
void print_diagnostic(std::string_view text);
/// The same of a text that is a printable line already; needs no memory.
void tell_out_of_memory(const char* line);

/// What to say of a file that the system does not let us use.
[[nodiscard]] std::string words_on_file(const std::filesystem::filesystem_error& error);
/// What to say of an exception that nobody foresaw, of a library or of the language.
[[nodiscard]] std::string words_on_defect(const std::exception& error);

/// Keeps a text that is worth knowing beside a result, for print_notes(): each text once.
void note(std::string text);
/// Keeps a text that says what went wrong beside an answer that is whole; the program then ends
/// with status 1.
void note_failure(std::string text);
/// Keeps the name of a file that was written, for print_notes(): each once.
void note_written(std::string file);
/// Says what was noted and, unless `quiet`, which files were written; for a command that has done
/// what it was asked. Beside an error, which is one line, nobody says it.
/// @return whether nothing went wrong
[[nodiscard]] bool print_notes(bool quiet = false);
/// What was noted, for a caller that shows it itself; print_notes() has nothing to say then.
[[nodiscard]] std::vector<std::string> taken_notes();

/// Opens /dev/null in the place of standard streams that are closed, the wrong way round: what uses
/// them still fails, and no file that is opened later takes their place.
void keep_standard_streams();

}  // namespace damocles
