// A sweep on the ranks of an MPI job: rank 0 deals rows and stores them, the others make them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/cluster/dealer.hpp"
#include "experiments/progress.hpp"
#include "experiments/studies/study.hpp"
#include "models/ranks.hpp"
#include "models/running_clock.hpp"

namespace damocles {

/// Rank 0. While one lives the others may be given rows; then they are told to stop, whether the
/// sweep was made or an error ended it.
class LeadingRank {
 public:
  /// @param ranks  outlives it
  explicit LeadingRank(Ranks& ranks) : ranks_(ranks) {}
  LeadingRank(const LeadingRank&) = delete;
  LeadingRank& operator=(const LeadingRank&) = delete;
  ~LeadingRank();

  /// How many there are, this one among them.
  [[nodiscard]] int ranks() const { return ranks_.size(); }
  /// Lets the others make the rows of `missing`, which are some of all jobs of the sweep. May be
  /// called again for others of the same sweep.
  /// @param finished  told of each row as it arrives, as run_jobs() does
  /// @return the rows in the order of `missing`
  /// @throws InvalidInput where a rank refuses the sweep; std::runtime_error where a row cannot be
  /// made, or no rank is left
  [[nodiscard]] std::vector<Record> run(const std::vector<Job>& all,
                                        const std::vector<Job>& missing, const Progress& progress,
                                        const Finished& finished);

 private:
  void pump();
  void stop_all();

  Ranks& ranks_;
  RunningClock clock_;
  std::optional<Dealer> dealer_;  ///< from the first call of run() on
};

/// A rank that makes rows, on so many threads, until it is told to stop.
/// @param read_sweep  the jobs of the sweep; where it throws, rank 0 is told why
/// @throws std::runtime_error where rank 0 is lost
void make_rows_for_leader(Ranks& ranks, int threads,
                          const std::function<std::vector<Job>()>& read_sweep);

}  // namespace damocles
