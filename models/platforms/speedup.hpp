#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace damocles {

/// How many times as fast k cores compute a task together as one of them alone: S(k) [1].
///
/// S(1) = 1; it never falls with k, and never exceeds k, so that k cores take at least as much of
/// their time together as one takes alone, and lower bounds on work hold.
struct Speedup {
  enum class Law {
    amdahl,  ///< k / (1 + (k - 1) a), a in [0, 1] the part that one core computes alone
    power,   ///< k^a, a in [0, 1]
    table    ///< as listed, for 1, 2, ... cores; no more than listed compute together
  };

  std::string kind{};  ///< of tasks; "": all of which no other entry speaks
  Law law = Law::amdahl;
  double parameter = 0;
  std::vector<double> table{};

  /// @pre cores is from 1 to most_cores()
  [[nodiscard]] double operator()(std::size_t cores) const;
  /// As many may compute a task together.
  [[nodiscard]] std::size_t most_cores() const;

  friend bool operator==(const Speedup&, const Speedup&) = default;
};

/// Those of `amdahl:0.05`, `power:0.9` or `table:1/1.9/2.7`, each for all kinds of tasks or, with a
/// kind before it, for that one alone, as `GEMM:amdahl:0.05+SYRK:power:0.9`; tasks of kinds that
/// are not named run on one core. `where` names the platform in errors.
/// @throws InvalidInput on another law or a kind named twice, a parameter outside of [0, 1], a
/// table
///         that does not begin with 1, falls, or exceeds the number of cores
[[nodiscard]] std::vector<Speedup> parse_speedups(std::string_view text, const std::string& where);

}  // namespace damocles
