#pragma once

#include <string>
#include <string_view>

namespace damocles {

/// Whether a row has a result, and if not, why: a kind that programs compare, and a reason for
/// people. The column `status` of result files holds it as text. status_text() and parse_status()
/// are the only functions that know this text.
struct Status {
  enum class Kind {
    none,            ///< the file has no such column, or an empty cell
    ok,              ///< there is a result
    unverified,      ///< an execution ended, but its result was not checked
    infeasible,      ///< the strategy cannot run there
    failed,          ///< the run began, but did not end, or its result is wrong
    no_model,        ///< no model predicts this strategy there
    outside_domain,  ///< the formula does not hold for this platform
    not_finite,      ///< a number overflowed; the reason is its column
    other            ///< text of another version of the program; the reason is all of it
  };

  Kind kind = Kind::none;
  std::string reason{};

  friend bool operator==(const Status&, const Status&) = default;
};

/// The text of the column, such as "infeasible: memory is too small".
[[nodiscard]] std::string status_text(const Status& status);
/// Reads that text back. Never fails: what it does not know becomes Kind::other.
[[nodiscard]] Status parse_status(std::string_view text);

}  // namespace damocles
