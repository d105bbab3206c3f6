#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace damocles {

/// `--help` in the shape of a manual page: NAME, SYNOPSIS, DESCRIPTION, ARGUMENTS or COMMANDS,
/// OPTIONS, and the footer (EXAMPLES, EXIT STATUS, ...), wrapped to 80 columns.
class Manual : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_help(const CLI::App* app, std::string name,
                                      CLI::AppFormatMode mode) const override;
};

/// `text` broken at spaces into lines of at most 80 columns, each after `indent` spaces.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent);

}  // namespace damocles
