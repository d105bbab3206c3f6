// How many replicates each setting of a sweep needs for means as precise as was asked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/commands/sweep_study.hpp"
#include "experiments/results/asked_rows.hpp"

namespace damocles {

/// A setting begins with 5 replicates. When all of these are there, it gets as many more as their
/// spread says, in fives and at most twice as many as it has, until for each strategy half of the
/// 95 % confidence interval of the mean is at most a share of the mean. The mean is that of the
/// column by which tables rank: the makespan where memory is limited, else the loads.
///
/// All strategies of a setting have the same replicates, so that they are compared on the same
/// draws. What is asked for follows from complete rounds alone: not from the order in which rows
/// end, nor from where a sweep was interrupted.
class SweepPrecision {
 public:
  static constexpr std::uint64_t first_replicates = 5;

  /// @param share  of the mean, 0.01 for "1%"
  /// @param most  replicates of a setting; the jobs of the study are so many
  SweepPrecision(const SweepStudy& study, double share, std::uint64_t most)
      : study_(study), share_(share), most_(most) {}

  /// Which jobs are asked for, given rows (AskedJobs).
  [[nodiscard]] std::vector<bool> asked(const RowsByKey& rows) const;
  /// What to tell of settings that have all replicates and are not precise: "" where all are.
  [[nodiscard]] std::string note_on_imprecise(const std::vector<Record>& records,
                                              const std::vector<bool>& asked) const;

 private:
  const SweepStudy& study_;
  double share_;
  std::uint64_t most_;
};

/// "1%" as 0.01. @throws InvalidInput on anything else but percents from 0.01 % to 50 %
[[nodiscard]] double parse_precision(const std::string& option, const std::string& text);

}  // namespace damocles
