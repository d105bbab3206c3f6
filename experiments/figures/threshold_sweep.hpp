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

  [[nodiscard]] std::vector<Question> questions(std::uint64_t seed) const;
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
using SweepCheck = std::function<Check(const SweepRun&)>;

/// The paper's formula is within a line's width of the runs for first <= beta <= last.
[[nodiscard]] SweepCheck analysis_fits(double first, double last);
/// The beta that the paper's formula calls best costs at most 1 % more than the best one.
[[nodiscard]] Check best_lies_in_the_valley(const SweepRun& run);
/// So does this beta.
[[nodiscard]] SweepCheck lies_in_the_valley(double beta);
/// The best threshold leaves a few percent of the tasks to phase 2.
[[nodiscard]] Check few_percent_are_left(const SweepRun& run);

[[nodiscard]] Claim threshold_claim(const std::string& id, const std::string& statement,
                                    const ThresholdSweep& sweep,
                                    const std::vector<SweepCheck>& checks);

}  // namespace damocles
