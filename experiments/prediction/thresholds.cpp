#include "experiments/prediction/thresholds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "experiments/prediction/limited_predictions.hpp"
#include "ode/model.hpp"

namespace damocles {
namespace {

Problem with_equal_speeds(const Workload& workload, std::size_t processors) {
  return {workload, std::vector<double>(processors, 1 / static_cast<double>(processors))};
}

/// Everything of a run that its thresholds depend on.
std::string identity_of(const LimitedRun& run) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", run.workload->text(), run.processors,
                     run.memory, run.depth, run.eviction, run.task_s, run.jitter, run.bus_s,
                     run.link_s, run.latency_s, run.request_s, fmt::join(run.slowness, ","));
}

}  // namespace

std::optional<Threshold> recommended_threshold(const Workload& workload, std::size_t processors) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::size_t>, std::optional<Threshold>> known;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace({workload.text(), processors});
  if (is_new) {
    at->second = best_threshold(model_named("refined"), with_equal_speeds(workload, processors));
  }
  return at->second;
}

const SwitchPoints& limited_switch_points(const StrategyChoice& choice, const Workload& workload,
                                          const Platform& platform, const Progress& progress) {
  static std::mutex mutex;
  static std::map<std::string, SwitchPoints> known;
  const LimitedRun run = modelled_run(choice, workload, platform);
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace(identity_of(run));
  if (!is_new) return at->second;
  at->second = switch_points(run, [&](double share) {
    if (progress) progress(0, 1, share);
  });
  if (progress) progress(1, 1, 1);
  return at->second;
}

double beta_for(const Workload& workload, double tasks_left) {
  // Without phase 2 the data-aware phase goes on to the last task.
  if (tasks_left == 0) return std::log(static_cast<double>(workload.tasks()) + 1);
  return beta_of(with_equal_speeds(workload, 1), tasks_left);
}

std::string shown_beta(double beta) {
  // Two decimals or more: the number itself, as it gives this threshold.
  const std::string hundredths = fmt::format("{:.2f}", beta);
  const std::string shortest = fmt::format("{}", beta);
  return shortest.size() > hundredths.size() ? shortest : hundredths;
}

double automatic_beta(const StrategyChoice& choice, const Workload& workload,
                      const Platform& platform) {
  if (platform.machine && why_no_limited_run(workload, platform).empty() &&
      why_no_limited_model(choice, workload, platform).empty()) {
    return beta_for(workload,
                    limited_switch_points(choice, workload, platform).fewest_loads.tasks_left);
  }
  const Problem equal = with_equal_speeds(workload, platform.processors());
  return beta_for(workload, quick_tasks_left(equal).value_or(0));
}

}  // namespace damocles
