#include "experiments/commands/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace damocles {
namespace {

constexpr std::size_t page_columns = 80;

std::string entries_section(const std::string& title,
                            const std::vector<ManualPage::Entry>& entries) {
  std::string text;
  for (const auto& entry : entries) {
    text += "  " + entry.heading + "\n" + wrapped(entry.meaning, 6) + "\n";
  }
  return text.empty() ? text : "\n" + title + "\n" + text;
}

std::string commands_section(const ManualPage& page) {
  std::string text;
  for (const auto& command : page.commands) {
    text += fmt::format("  {:<11}{}\n", command.name.substr(page.name.size() + 1),
                        first_sentence(command.description));
  }
  return text.empty() ? text : "\nCOMMANDS\n" + text;
}

/// A line for the page, and one for each of its commands where it also works without them.
std::string synopsis(const ManualPage& page) {
  std::string arguments;
  for (const auto& entry : page.arguments) {
    arguments += entry.required ? " " + entry.heading : " [" + entry.heading + "]";
  }
  if (arguments.empty() && !page.commands.empty()) arguments = " COMMAND";
  std::string lines = "  " + page.name + arguments + " [options]\n";
  if (arguments == " COMMAND") return lines;
  for (const auto& command : page.commands) lines += synopsis(command);
  return lines;
}

}  // namespace

std::string first_sentence(const std::string& description) {
  return description.substr(0, std::min(description.find(". "), description.find(": ")));
}

std::string wrapped(const std::string& text, std::size_t indent) {
  std::istringstream words(text);
  std::string result;
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > page_columns) {
      result += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + std::string(indent, ' ') + line;
}

std::string manual_text(const ManualPage& page) {
  return fmt::format("NAME\n{}\n\nSYNOPSIS\n{}\nDESCRIPTION\n{}\n{}{}{}\n{}\n",
                     wrapped(page.name + " - " + first_sentence(page.description), 2),
                     synopsis(page), wrapped(page.description, 2), commands_section(page),
                     entries_section("ARGUMENTS", page.arguments),
                     entries_section("OPTIONS", page.options), page.footer);
}

}  // namespace damocles
