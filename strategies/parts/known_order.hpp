// What is known before the start of the order in which tasks run: for Belady's rule.
#pragma once

#include <vector>

#include "models/platforms/platform.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// Whether the order of each processor's tasks is known from the start, which makes Belady's rule
/// MIN: the strategy fixes it (StrategyEntry::static_order, ::order_known), or one processor runs a
/// chain of tasks. Not where the readiest task of the buffer goes first, nor where tasks take turns
/// on data.
[[nodiscard]] bool order_is_known(const StrategyChoice& choice, const Workload& workload,
                                  const Platform& platform);

/// The order in which a single processor would run the tasks, exactly or nearly: the strategy's own
/// (StrategyEntry::order_alone), else as they become ready, those of a higher priority first where
/// the strategy goes by priority.
[[nodiscard]] std::vector<TaskGraph::Index> order_alone(const StrategyChoice& choice,
                                                        const TaskGraph& graph);

}  // namespace damocles
