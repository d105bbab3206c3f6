#include "experiments/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace damocles {
namespace {

constexpr std::size_t columns = 80;

/// What a description says first, for a list: up to its first full stop or colon.
std::string first_sentence(const std::string& description) {
  return description.substr(0, std::min(description.find(". "), description.find(": ")));
}

/// "-o, --output FILE", "--summary", "WORKLOAD".
std::string heading(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string names;
  for (const auto& name : option.get_snames()) names += "-" + name + ", ";
  for (const auto& name : option.get_lnames()) names += "--" + name + ", ";
  names.resize(names.size() - 2);
  return option.get_type_name().empty() ? names : names + " " + option.get_type_name();
}

std::string options_section(const CLI::App& app, bool positional) {
  std::string text;
  for (const auto* const option : app.get_options()) {
    if (option->get_positional() != positional || option->get_group().empty()) continue;
    text += "  " + heading(*option) + "\n" + wrapped(option->get_description(), 6) + "\n";
  }
  return text.empty() ? text : (positional ? "\nARGUMENTS\n" : "\nOPTIONS\n") + text;
}

std::string commands_section(const CLI::App& app) {
  std::string text;
  for (const auto* const command : app.get_subcommands({})) {
    text += fmt::format("  {:<11}{}\n", command->get_name(),
                        first_sentence(command->get_description()));
  }
  return text.empty() ? text : "\nCOMMANDS\n" + text;
}

/// "damocles plot", of a command within a command too.
std::string full_name(const CLI::App& app) {
  if (app.get_parent() == nullptr) return "damocles";
  return full_name(*app.get_parent()) + " " + app.get_name();
}

/// A line for the app, and one for each of its commands where it also works without them.
std::string synopsis(const CLI::App& app) {
  std::string arguments;
  for (const auto* const option : app.get_options()) {
    if (!option->get_positional()) continue;
    arguments +=
        option->get_required() ? " " + option->get_name(true) : " [" + option->get_name(true) + "]";
  }
  const auto commands = app.get_subcommands({});
  if (arguments.empty() && !commands.empty()) arguments = " COMMAND";
  std::string lines = "  " + full_name(app) + arguments + " [options]\n";
  if (arguments == " COMMAND") return lines;
  for (const auto* const command : commands) lines += synopsis(*command);
  return lines;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent) {
  std::istringstream words(text);
  std::string result;
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > columns) {
      result += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + std::string(indent, ' ') + line;
}

std::string Manual::make_help(const CLI::App* app, std::string /*name*/,
                              CLI::AppFormatMode /*mode*/) const {
  const std::string& description = app->get_description();
  return fmt::format("NAME\n{}\n\nSYNOPSIS\n{}\nDESCRIPTION\n{}\n{}{}{}\n{}\n",
                     wrapped(full_name(*app) + " - " + first_sentence(description), 2),
                     synopsis(*app), wrapped(description, 2), commands_section(*app),
                     options_section(*app, true), options_section(*app, false), app->get_footer());
}

}  // namespace damocles
