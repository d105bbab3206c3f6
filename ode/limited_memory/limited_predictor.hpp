#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/table.hpp"
#include "ode/limited_memory/limited_run.hpp"

namespace damocles {

/// What one processor does over time.
struct ProcessorCourse {
  std::vector<double> loads_s{};  ///< when each of its loads ends, ascending
  std::vector<double> ends_s{};   ///< when each of its tasks ends, ascending
};
/// The same of all, shape (processors).
using RunCourse = std::vector<ProcessorCourse>;

/// What is predicted of a run with limited memory.
struct LimitedPrediction {
  double loads = 0;                  ///< expected, all processors; not finite: it does not say
  double makespan_s = 0;             ///< expected
  std::optional<double> sd_loads{};  ///< standard deviation over runs, where it is predicted
  std::vector<RunCourse> courses{};  ///< of each run that was drawn, where LimitedRun asks for them
};

/// A way to predict runs with limited memory.
struct LimitedModel {
  static constexpr const char* what = "model of limited memory";
  std::string name;
  int place = 0;  ///< in lists
  std::string summary;
};

/// Nine of ten predictions of the study were nearer to the mean of simulated runs, relative
/// (docs/reference/prediction_errors.md).
struct ExpectedErrors {
  double loads = 0;
  double makespan = 0;
};

/// What a model says of one strategy: an entry below what computes it.
struct LimitedPredictor {
  static constexpr const char* what = "strategy predicted with limited memory";
  std::string name;   ///< of the strategy
  std::string model;  ///< name of the LimitedModel
  std::vector<std::string> evictions{"lru"};
  std::vector<std::string> options{};  ///< of the strategy, beside these, that it knows
  ExpectedErrors alone{};              ///< of gemm2d on one processor
  ExpectedErrors several{};            ///< on more
  ExpectedErrors alone_elsewhere{};    ///< of other workloads
  ExpectedErrors several_elsewhere{};  ///< likewise
  ExpectedErrors different_speeds{};   ///< of gemm2d on GPUs of different speeds
  /// Why it says nothing of this run, or "", at little cost; nullptr: it speaks of all.
  std::string (*why_unavailable)(const LimitedRun& run) = nullptr;
  LimitedPrediction (*predict)(const LimitedRun& run);
  /// Where the study found it wrong, in words, or ""; nullptr: nowhere.
  std::string (*why_wrong)(const LimitedRun& run) = nullptr;
  /// Up to so many processors read the columns of a grid round after round
  /// (hiding_memory_of_rounds()).
  std::size_t in_rounds_up_to = 0;

  [[nodiscard]] const ExpectedErrors& errors(const std::string& family, std::size_t processors,
                                             bool speeds_differ) const {
    if (speeds_differ) return different_speeds;
    if (family == grid_family) return processors == 1 ? alone : several;
    return processors == 1 ? alone_elsewhere : several_elsewhere;
  }
};

/// Which limit of the study a run breaks, in words; "" inside.
[[nodiscard]] std::string why_outside_study(const LimitedRun& run);
/// All limits of the study for such workloads, in words.
[[nodiscard]] std::string limits_of_study(const std::string& family, bool speeds_differ);

}  // namespace damocles
