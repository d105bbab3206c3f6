#pragma once

#include <cstdint>
#include <functional>

#include "models/platforms/platform.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// What a run would come to.
struct Foreseen {
  double makespan_s = 0;
  std::uint64_t moved = 0;  ///< bytes loaded where memory is limited, else data [B or 1]
};

/// Runs a strategy in virtual time, for strategies that choose among others. What it answers is a
/// function of its arguments alone: it draws as seed 1, replicate 0 does, whatever the run.
using Foresight = std::function<Foreseen(const Workload&, const Platform&, const StrategyChoice&)>;

/// Publishes the simulator: a strategy may ask it and still knows nothing of it, in a simulated run
/// as in an executed one.
struct RegisterForesight {
  explicit RegisterForesight(Foresight foresight);
};

/// @throws InvalidInput where no simulator is part of the program
[[nodiscard]] const Foresight& foresight();

}  // namespace damocles
