#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): theirs
class App;
}

namespace damocles {

/// A command of the program: its arguments, its options, its help page, and what it does. The only
/// door to CLI11, which takes seconds to compile wherever it is included.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  /// A command within this one.
  Command add(const std::string& name, const std::string& description);

  /// Arguments by position, in the order of these calls. What is not given stays as it was.
  void argument(const std::string& name, std::string& value, const std::string& meaning);
  void optional_argument(const std::string& name, std::string& value, const std::string& meaning);
  /// Any number of words, up to the next option.
  void optional_arguments(const std::string& name, std::vector<std::string>& values,
                          const std::string& meaning);
  /// `names`: "--seed" or "-o,--output"; `unit`: what stands for the value in the help page.
  void option(const std::string& names, std::string& value, const std::string& unit,
              const std::string& meaning);
  /// The same, which may be given more than once: the values are joined by commas.
  void list(const std::string& names, std::string& value, const std::string& unit,
            const std::string& meaning);
  /// The same, kept apart as commas may stand in a value.
  void repeated(const std::string& names, std::vector<std::string>& values, const std::string& unit,
                const std::string& meaning);
  void flag(const std::string& names, bool& value, const std::string& meaning);

  /// `option` is refused where `other` is not given, which may be given with `value`.
  void only_with(const std::string& option, const std::string& other, const std::string& value);
  /// Says something else of an option that was added.
  void describe(const std::string& option, const std::string& meaning);
  void remove(const std::string& option);

  /// What stands below the options in the help page.
  void footer(const std::string& text);
  /// What the command does; called where it was given and no command within it was.
  void runs(std::function<void()> body);
  /// Whether the user gave the option; to be asked when the command runs.
  [[nodiscard]] bool given(const std::string& option) const;
  /// The command with the arguments and options that were given, to be typed into a shell, but for
  /// those that change no row: where rows go, how they are shown, on how many threads they are
  /// made.
  [[nodiscard]] std::string as_given() const;

 private:
  CLI::App* app_;
};

/// The command line of a program that has commands, with a page of help for each.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// What is added here are the program's commands.
  [[nodiscard]] Command program();
  /// Adds `text` to the end of the pages of all commands there are.
  void below_every_page(const std::string& text);

  /// Runs what the words ask for, the name of the program not among them. Returns what is to be
  /// printed: the page of help or the version where that was asked for, else nothing.
  /// @throws InvalidInput where the words fit no command; whatever the command throws
  std::string run(std::vector<std::string> words);

 private:
  std::unique_ptr<CLI::App> app_;
};

/// Thrown by a command that has said all there is to say: the program ends with this status.
struct ExitStatus {
  int status = 0;
};

}  // namespace damocles
