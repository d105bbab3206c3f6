#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace damocles {

/// What counts as equally good: a strategy within this of the best is a right answer.
inline constexpr double race_tolerance = 0.02;
/// Who is behind the best by more than this factor after one run, or is predicted to be, drops out.
inline constexpr double race_far_behind = 1.5;
/// Runs that a strategy makes at most.
inline constexpr std::uint64_t most_rounds = 20;

/// One strategy in a race.
struct Runner {
  std::string strategy;
  std::vector<double> runs;  ///< of replicates 0, 1, ...: all runners meet the same draws
  bool out = false;          ///< it has lost: it is worse than the best by more than the tolerance
  std::string refused;       ///< why it has no run
  double mean = 0;           ///< of its runs
};

/// A race that has ended, the best first.
struct Race {
  std::vector<Runner> runners;  ///< those that have runs
  std::vector<Runner> others;   ///< refused, or not reached in time
  /// How sure it is that no other runner is better than the first by more than the tolerance, from
  /// the spread of paired runs.
  double confidence = 0;
  bool out_of_time = false;

  [[nodiscard]] const Runner& best() const { return runners.front(); }
};

/// Lets strategies race: in each round those that are left make one more run, all on the same
/// draws. Who is behind the best by more than the tolerance, as sure as 99 %, drops out; after the
/// first round, who is behind by half. It ends when one is left, when time is up, after 20 rounds,
/// and from the third one on when those that are left are equally good or the best is at its lower
/// bound.
///
/// @param strategies  where time is short, those first in order are tried
/// @param bound  no run is below it; 0 where none is known
/// @param run  what is to be least, of a strategy and replicate; several threads call it
/// @param until  when to stop; the first run of the first strategy is made whatever it takes
/// @throws InvalidInput where no strategy has a run; what run() throws but Infeasible and
/// NoProgress
[[nodiscard]] Race race(const std::vector<std::string>& strategies, double bound,
                        const std::function<double(const std::string&, std::uint64_t)>& run,
                        std::chrono::steady_clock::time_point until);

}  // namespace damocles
