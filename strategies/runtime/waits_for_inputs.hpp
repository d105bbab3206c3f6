#pragma once

#include "strategies/registry.hpp"

namespace damocles {

/// Whether a processor takes a further task only when the inputs of all it has are there: the
/// option `patient` of the choice, or what the strategy that was made of it says.
[[nodiscard]] inline bool waits_for_inputs(const StrategyChoice& choice, const Strategy& made) {
  const auto word = choice.spec.word("patient");
  return word ? *word == "true" : made.waits_for_inputs();
}

}  // namespace damocles
