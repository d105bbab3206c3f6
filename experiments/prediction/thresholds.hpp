// The threshold that dynamic-2phases uses where the user names none.

#pragma once

#include <optional>
#include <string>

#include "experiments/progress.hpp"
#include "models/platforms/platform.hpp"
#include "models/workload.hpp"
#include "ode/best_beta.hpp"
#include "ode/limited_memory/limited_thresholds.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// The best threshold with unlimited memory, by a search that takes seconds: what the refined model
/// calls best for p processors of equal speeds; nothing where it has no interior minimum. Knowing
/// the speeds gains less than 0.1 % (HPDC'14 section 3.6; docs/explanation/theory.md section 4).
[[nodiscard]] std::optional<Threshold> recommended_threshold(const Workload& workload,
                                                             std::size_t processors);

/// The thresholds of dynamic-2phases where the platform limits memory, computed once a program.
/// @param choice    dynamic-2phases, whose beta is ignored
/// @param progress  told of each threshold that is looked at
/// @pre why_no_limited_model() of it is ""
[[nodiscard]] const SwitchPoints& limited_switch_points(const StrategyChoice& choice,
                                                        const Workload& workload,
                                                        const Platform& platform,
                                                        const Progress& progress = {});

/// The beta that starts phase 2 with so many tasks open; 0: never. @pre workload.is_grid()
[[nodiscard]] double beta_for(const Workload& workload, double tasks_left);

/// For eyes; read back it gives the same number.
[[nodiscard]] std::string shown_beta(double beta);

/// The number that beta=auto stands for: limited_switch_points() where the model of limited memory
/// speaks of the run, else quick_tasks_left(), at little cost beside a simulated run; where these
/// name none, phase 1 goes on to the last task.
[[nodiscard]] double automatic_beta(const StrategyChoice& choice, const Workload& workload,
                                    const Platform& platform);

}  // namespace damocles
