// What the model `plan` says of static schedules whose tasks wait for each other or write.

#pragma once

#include <string>
#include <string_view>

#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/static_plans/planned_run.hpp"

namespace damocles {

/// The name of its LimitedModel.
inline constexpr std::string_view plan_model = "plan";

/// What it predicts of a run.
struct PlanPrediction {
  double loads = 0;         ///< of all processors
  double bytes_loaded = 0;  ///< likewise
  double bytes_home = 0;    ///< modified data that go to host memory
  double makespan_s = 0;
  double planned_makespan_s = 0;  ///< as the schedule has it, without memory limit
};

/// A strategy that it predicts.
struct PlanPredictor {
  static constexpr const char* what = "static schedule predicted with limited memory";
  std::string name;  ///< of the strategy, and of its schedule
  Schedule schedule = nullptr;
  ExpectedErrors alone{};        ///< on one GPU, as LimitedPredictor has them
  ExpectedErrors several{};      ///< on more
  ExpectedErrors independent{};  ///< of gemm2d on GPUs of different speeds

  [[nodiscard]] const ExpectedErrors& errors(const std::string& family,
                                             std::size_t processors) const {
    if (family == grid_family) return independent;
    return processors == 1 ? alone : several;
  }
};

/// Counted loads along the plan, and when its lists end with these. A function of the run.
[[nodiscard]] PlanPrediction plan_prediction(const PlannedRun& run);
/// The same where tasks wait for nobody and write nothing: the lists are followed along the run.
/// @param limited  the same run, as models of limited memory see it
[[nodiscard]] PlanPrediction plan_prediction(const PlannedRun& run, const LimitedRun& limited);

/// Whether such workloads are this model's: tasks wait for others, or write.
[[nodiscard]] bool needs_plan(const Workload& workload);
/// Which limit of its study a run breaks, in words; "" inside.
[[nodiscard]] std::string why_outside_plan_study(const Workload& workload, const PlannedRun& run);
/// All limits of its study, in words.
[[nodiscard]] std::string limits_of_plan_study();

}  // namespace damocles
