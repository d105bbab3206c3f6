// The option `window` of strategies that choose among the first tasks of a list.
#pragma once

#include <cstddef>

#include "models/spec.hpp"
#include "strategies/option.hpp"

namespace damocles {

/// How many tasks, from the head of a processor's list, are compared before one is taken: its
/// option `window`, `otherwise` where it is not given.
///
/// The papers compare the whole list (IPDPS'22, Algorithm 2). StarPU's present code compares two
/// tasks by default, so `window=2` is what its dmdar and dmdas do (docs/explanation/peers.md).
[[nodiscard]] std::size_t ready_window(const Spec& spec, std::size_t otherwise);

[[nodiscard]] StrategyOption window_option();

}  // namespace damocles
