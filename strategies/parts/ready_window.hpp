// The option `window` of strategies that choose among the first tasks of a list.
#pragma once

#include <cstddef>

#include "models/spec.hpp"
#include "strategies/option.hpp"

namespace damocles {

/// How many tasks, from the head of a processor's list, are compared before one is taken: its
/// option `window`, `otherwise` where it is not given.
///
/// The papers compare the whole list (IPDPS'22, Algorithm 2), and so does StarPU's code up to 1.4
/// (`pop_first_ready_task` in its fifo_queues.c).
[[nodiscard]] std::size_t ready_window(const Spec& spec, std::size_t otherwise);

[[nodiscard]] StrategyOption window_option();

}  // namespace damocles
