#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace damocles {

/// The request was wrong: one line saying what is wrong, where, and what would be right. Exit 2.
class InvalidInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A right request that has no answer: a strategy that is not defined on the workload, a task
/// larger than a memory. Exit 2 where it is all that was asked; one row of a sweep, which goes on.
class Infeasible : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// A solver or simulator that can no longer advance. Exit 1.
class NoProgress : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `text` with A to Z as a to z; other bytes stay.
[[nodiscard]] std::string in_lower_case(std::string_view text);

/// Of `known`, the name nearest to `written` in whatever case, or "" where none is near: one that
/// begins with it, or ends with it after a '_' (speedup: cpu_speedup), else by edit distance.
[[nodiscard]] std::string nearest(std::string_view written, std::span<const std::string> known);

/// The known names after a label, as "valid: a, b". If there are many and a command lists them:
/// "`damocles list strategies` shows all 57".
[[nodiscard]] std::string all_names(std::string_view label, std::span<const std::string> known,
                                    std::string_view command = {});

/// The command that shows a list, or one entry of a list: "damocles list strategies".
[[nodiscard]] std::string command_to_list(std::string_view name);

/// What to write instead of an unknown name: "did you mean 'dynamic'? valid: ...".
/// @param command  the command that lists all names, if there is one
[[nodiscard]] std::string valid_names(std::string_view written, std::span<const std::string> known,
                                      std::string_view command = {});

/// Refuses an unknown name: "unknown strategy 'dynamc'; did you mean 'dynamic'? valid: ...".
/// @param command  as for valid_names()
/// @throws InvalidInput always
[[noreturn]] void refuse_unknown(std::string_view what, std::string_view name,
                                 std::span<const std::string> known, std::string_view command = {});

/// Says that a file does not exist. @param right  what else to do, as "give FILE.csv"
[[nodiscard]] std::string no_such_file(std::string_view what, std::string_view path,
                                       std::string_view right);

}  // namespace damocles
