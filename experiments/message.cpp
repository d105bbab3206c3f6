#include "experiments/message.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace damocles {
namespace {

/// One character of a text.
struct Letter {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;  ///< else one byte that is no UTF-8
};

/// The character that begins at `text`[0], by RFC 3629: no overlong form, no surrogate, at most
/// U+10FFFF.
Letter first_letter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80U) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U || text.size() < bytes) return {lead, 1, false};
  char32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {lead, 1, false};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || surrogate || code > 0x10FFFF) return {lead, 1, false};
  return {code, bytes, true};
}

/// Whether a terminal shows it as a character of the line it stands in.
bool is_printable(char32_t code) {
  const auto within = [&](char32_t lowest, char32_t highest) {
    return code >= lowest && code <= highest;
  };
  const bool control = code < 0x20 || within(0x7F, 0x9F);
  const bool separator = within(0x2028, 0x2029);
  const bool direction =
      code == 0x61C || within(0x200E, 0x200F) || within(0x202A, 0x202E) || within(0x2066, 0x2069);
  return !control && !separator && !direction && code != 0xFEFF;
}

std::string shown_letter(const Letter& letter, std::string_view bytes) {
  if (letter.code == '\n' || letter.code == '\t') return " ";
  if (!letter.valid || (letter.code < 0x80 && !is_printable(letter.code))) {
    return fmt::format("\\x{:02x}", static_cast<unsigned>(letter.code));
  }
  if (is_printable(letter.code)) return std::string(bytes);
  return fmt::format("\\u{{{:x}}}", static_cast<unsigned>(letter.code));
}

}  // namespace

std::string printable_line(std::string_view text) {
  constexpr std::size_t longest = 1000;
  constexpr std::size_t kept = longest / 2;  // of the beginning, and of the end
  // What cannot be shown is not looked at: a letter has at most 4 bytes.
  constexpr std::size_t looked_at = 4 * longest;
  std::vector<std::string> letters;
  bool cut = text.size() > 2 * looked_at;
  const auto add = [&](std::string_view part) {
    while (!part.empty()) {
      const Letter letter = first_letter(part);
      letters.push_back(shown_letter(letter, part.substr(0, letter.bytes)));
      part.remove_prefix(letter.valid ? letter.bytes : 1);
    }
  };
  add(cut ? text.substr(0, looked_at) : text);
  if (cut) {
    auto end = text.substr(text.size() - looked_at);
    // Not in the middle of a letter.
    while (!end.empty() && (static_cast<unsigned char>(end[0]) & 0xC0U) == 0x80U) {
      end.remove_prefix(1);
    }
    add(end);
  }
  // An escaped letter is as wide as its escape, any other takes one place.
  const auto width = [](const std::string& letter) {
    return letter.size() > 1 && letter[0] == '\\' ? letter.size() : std::size_t{1};
  };
  std::size_t all = 0;
  for (const std::string& letter : letters) all += width(letter);
  cut = cut || all > longest;
  std::string line;
  std::size_t at = 0;
  bool left_out = false;
  for (const std::string& letter : letters) {
    const bool shown_too = !cut || at + width(letter) <= kept || at + kept >= all;
    if (shown_too) line += letter;
    if (!shown_too && !left_out) line += " [...] ";
    left_out = left_out || !shown_too;
    at += width(letter);
  }
  return line;
}

std::string printable_text(std::string_view text) {
  constexpr std::array<std::string_view, 4> our_codes{"\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m"};
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto* const code =
        std::find_if(our_codes.begin(), our_codes.end(),
                     [&](std::string_view one) { return text.starts_with(one); });
    const bool is_layout = text[0] == '\n' || text[0] == '\t';
    const Letter letter = first_letter(text);
    const std::size_t bytes = code != our_codes.end() ? code->size() : letter.bytes;
    const std::string_view part = text.substr(0, letter.valid ? bytes : 1);
    shown += code != our_codes.end() || is_layout ? std::string(part) : shown_letter(letter, part);
    text.remove_prefix(part.size());
  }
  return shown;
}

std::string words_on_file(const std::filesystem::filesystem_error& error) {
  return fmt::format("'{}' cannot be used: {}; give another name", error.path1().string(),
                     error.code().message());
}

std::string words_on_defect(const std::exception& error) {
  return fmt::format("damocles itself failed ({}); please report it, with the command",
                     error.what());
}

bool is_terminal(int stream) {
  // Of Open MPI, of MPICH, Intel MPI and Slurm, of PMIx.
  for (const char* const rank : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (std::getenv(rank) != nullptr) return false;  // NOLINT(concurrency-mt-unsafe): never set
  }
  return isatty(stream) != 0;
}

void print_diagnostic(std::string_view text) {
  std::fputs(fmt::format("damocles: {}\n", printable_line(text)).c_str(), stderr);
}

namespace {

std::vector<std::string>& notes() {
  static std::vector<std::string> all;
  return all;
}

std::vector<std::string>& failures() {
  static std::vector<std::string> all;
  return all;
}

std::vector<std::string>& files_written() {
  static std::vector<std::string> all;
  return all;
}

void keep_once(std::vector<std::string>& all, std::string text) {
  if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(std::move(text));
}

}  // namespace

void note(std::string text) { keep_once(notes(), std::move(text)); }

void note_failure(std::string text) { keep_once(failures(), std::move(text)); }

void note_written(std::string file) { keep_once(files_written(), std::move(file)); }

std::vector<std::string> taken_notes() {
  auto all = std::exchange(notes(), {});
  for (std::string& text : std::exchange(failures(), {})) all.push_back(std::move(text));
  return all;
}

bool print_notes(bool quiet) {
  const auto wrong = std::exchange(failures(), {});
  for (const std::string& text : std::exchange(notes(), {})) print_diagnostic(text);
  for (const std::string& text : wrong) print_diagnostic(text);
  auto files = std::exchange(files_written(), {});
  if (quiet || files.empty()) return wrong.empty();
  constexpr std::size_t most = 6;
  const std::size_t rest = files.size() > most ? files.size() - most : 0;
  files.resize(files.size() - rest);
  print_diagnostic(fmt::format("wrote {}{}", fmt::join(files, ", "),
                               rest > 0 ? fmt::format(" and {} more", rest) : ""));
  return wrong.empty();
}

void tell_out_of_memory(const char* line) {
  for (const char* const part : {"damocles: ", line, "\n"}) std::fputs(part, stderr);
}

void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest that is free: those below are open by now.
    (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace damocles
