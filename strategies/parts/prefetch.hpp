#pragma once

#include "models/spec.hpp"
#include "strategies/option.hpp"

namespace damocles {

/// When a strategy that gives each task to one processor names what is to be fetched ahead for the
/// tasks of its list: with every grant, or also whenever one becomes ready, as StarPU does when it
/// pushes a task (starpu_prefetch_task_input_on_node(), unless STARPU_PREFETCH=0).
///
/// Only a push while the processor's buffer is full makes a difference: else it asks at once, or
/// when what is on its way has come, and the grant says the same. Where no task waits for others
/// nothing is pushed.
///
/// @return whether also at push: its option `prefetch`
[[nodiscard]] bool hints_at_push(const Spec& spec);

[[nodiscard]] StrategyOption prefetch_option();

}  // namespace damocles
