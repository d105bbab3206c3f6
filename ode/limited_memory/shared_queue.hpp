#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/pace.hpp"

namespace damocles {

/// The next task of this processor; nothing: there is none for it any more.
using NextTask = std::function<std::optional<TaskGraph::Index>(std::size_t processor)>;

/// One draw of processors that take these tasks as they come to them, and evict the least recently
/// used. The jitter decides who takes which, so draws differ.
[[nodiscard]] LimitedPrediction drawn_under_lru(const LimitedRun& run, const NextTask& next,
                                                Taken taken, std::uint64_t draw);

/// The next data item that this processor asks ahead for; nothing: there is none until it gets more
/// tasks.
using NextAhead = std::function<std::optional<TaskGraph::Index>(std::size_t processor)>;

/// The same where loads spare what the buffered tasks read, and data items that the processor asks
/// ahead for are loaded while its buffer is full of tasks that lack nothing.
[[nodiscard]] LimitedPrediction drawn_with_buffer(const LimitedRun& run, const NextTask& next,
                                                  const NextAhead& ahead, std::uint64_t draw);

}  // namespace damocles
