#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/pace.hpp"

namespace damocles {

/// The next task of this processor; nothing: there is none for it any more.
using NextTask = std::function<std::optional<TaskGraph::Index>(std::size_t processor)>;

/// The next data item that this processor asks ahead for; nothing: there is none until it gets more
/// tasks.
using NextAhead = std::function<std::optional<TaskGraph::Index>(std::size_t processor)>;

/// One draw of processors that take these tasks as they come to them, and evict the least recently
/// used data item (BufferedMemory). The jitter decides who takes which, so draws differ.
/// @param ahead  of what is loaded while the buffer is full of tasks that lack nothing; empty:
///               nothing
[[nodiscard]] LimitedPrediction drawn_with_buffer(const LimitedRun& run, const NextTask& next,
                                                  Taken taken, std::uint64_t draw,
                                                  const NextAhead& ahead = {});

/// The same of processors that compute these tasks in order.
/// @param lists  one a processor
[[nodiscard]] LimitedPrediction drawn_lists(const LimitedRun& run,
                                            const std::vector<TaskSequence>& lists, Taken taken,
                                            std::uint64_t draw);
/// The mean of a few draws of them.
[[nodiscard]] LimitedPrediction predict_in_order(const LimitedRun& run,
                                                 const std::vector<TaskSequence>& lists,
                                                 Taken taken);

}  // namespace damocles
