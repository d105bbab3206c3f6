#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/figures/judging.hpp"

namespace damocles {

/// A figure of the volume of dynamic-2phases over its threshold: HPDC'14 figures 2, 6 and 11. One
/// draw of speeds, beta from 0.25 to 9 in steps of 0.25, 20 runs per point; the other strategies
/// for comparison.
class ThresholdSweep {
 public:
  ThresholdSweep(std::string workload, std::string platform, std::vector<std::string> models)
      : workload_(std::move(workload)),
        platform_(std::move(platform)),
        models_(std::move(models)) {}

  [[nodiscard]] std::vector<Experiment> experiments(std::uint64_t seed) const;
  [[nodiscard]] std::string setting() const;
  /// What a model calls best for these speeds.
  [[nodiscard]] double best(const std::string& model, std::uint64_t seed) const;
  /// The same, by model.
  [[nodiscard]] std::map<std::string, double> best_by_model(std::uint64_t seed) const;
  [[nodiscard]] const std::string& platform() const { return platform_; }
  [[nodiscard]] const std::vector<std::string>& models() const { return models_; }

 private:
  std::string workload_;
  std::string platform_;
  std::vector<std::string> models_;
};

/// The outcome of a sweep, which the checks are about.
struct SweepRun {
  const ThresholdSweep& sweep;
  const Volumes& volumes;
  std::uint64_t seed;
};
using SweepTest = Test<SweepRun>;

/// The printed formula is within 5 % of the runs for first <= beta <= last.
[[nodiscard]] std::function<Answer(const SweepRun&)> analysis_fits(double first, double last);
/// The same where the runs load at most 10 % more than at the best beta: an interval, as wide as
/// figure 6's, for a figure whose range of interest is not printed.
[[nodiscard]] Answer analysis_fits_where_it_matters(const SweepRun& run);
/// The beta that the paper's formula calls best costs at most 1 % more than the best one.
[[nodiscard]] Answer best_lies_in_the_valley(const SweepRun& run);
/// So does this beta.
[[nodiscard]] std::function<Answer(const SweepRun&)> lies_in_the_valley(double beta);
/// The best threshold leaves a few percent of the tasks to phase 2.
[[nodiscard]] Answer few_percent_are_left(const SweepRun& run);
/// There, dynamic-2phases loads less than dynamic.
[[nodiscard]] Answer two_phases_help(const SweepRun& run);
/// With most of the tasks left to phase 2 it loads about as much as random, with hardly any about
/// as much as dynamic.
[[nodiscard]] Answer early_is_random(const SweepRun& run);
[[nodiscard]] Answer late_is_dynamic(const SweepRun& run);

[[nodiscard]] Claim threshold_claim(const std::string& id, const std::string& statement,
                                    const ThresholdSweep& sweep,
                                    const std::vector<SweepTest>& tests);

}  // namespace damocles
