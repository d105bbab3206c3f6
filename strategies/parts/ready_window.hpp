// The option `window` of strategies that choose among the first tasks of a list.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "models/spec.hpp"

namespace damocles {

/// How many tasks, from the head of a processor's list, are compared before one is taken.
///
/// The papers compare the whole list (IPDPS'22, Algorithm 2). StarPU's present code compares two
/// tasks by default, so `window=2` is what its dmdar and dmdas do (docs/peers.md).
///
/// @param otherwise  the number where the option is not given
/// @throws InvalidInput if the value is not a whole number from 1 on
[[nodiscard]] std::size_t ready_window(const Spec& spec, std::size_t otherwise);

/// Key and meaning of the option.
[[nodiscard]] std::array<std::string, 2> window_option();

}  // namespace damocles
