#pragma once

#include <string>
#include <vector>

namespace damocles {

/// What the page of help of a command says.
struct ManualPage {
  struct Entry {
    std::string heading;  ///< "-o, --output FILE"; of an argument its name
    std::string meaning;
    bool required = false;
  };
  std::string name;  ///< with the names of the commands that it is within: "damocles plot gantt"
  std::string description;
  std::vector<Entry> arguments;
  std::vector<Entry> options;
  std::vector<ManualPage> commands;
  std::string footer;  ///< EXAMPLES, EXIT STATUS, ..., as they are printed
};

/// The page in the shape of a manual page: NAME, SYNOPSIS, DESCRIPTION, ARGUMENTS or COMMANDS,
/// OPTIONS, and the footer, wrapped to 80 columns.
[[nodiscard]] std::string manual_text(const ManualPage& page);

/// What a description says first, for a list: up to its first full stop or colon.
[[nodiscard]] std::string first_sentence(const std::string& description);

/// `text` broken at spaces into lines of at most 80 columns, each after `indent` spaces.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent);

}  // namespace damocles
