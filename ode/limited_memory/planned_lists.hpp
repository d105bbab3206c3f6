// Lists of tasks that come with a plan of their loads, followed along the run.

#pragma once

#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"
#include "orders/pacing.hpp"

namespace damocles {

/// The mean of some runs of these plans; the jitter decides when somebody steals.
///
/// A processor computes its tasks in order and evicts the data item that it uses next the farthest
/// ahead. A planned load is due once as many tasks have started as the plan ends before it. It
/// replaces only what is used no more. What is planned to be loaded anew counts as used no more
/// before that. Who has no task left takes half of the longest list, from its end, and loads their
/// inputs when it needs them; nobody does where a list is empty from the start.
///
/// @param plans  one a processor
/// Source: strategies/parts/paced_lists.hpp.
[[nodiscard]] LimitedPrediction predict_plans(const LimitedRun& run,
                                              const std::vector<PacedOrder>& plans);

}  // namespace damocles
