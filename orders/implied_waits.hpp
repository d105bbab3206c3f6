// Waits that follow from others: a plan does not depend on whether somebody wrote them down.

#pragma once

#include <vector>

#include "models/dependencies.hpp"

namespace damocles {

/// `after` waits for `before`, which passes it something in that time, on average.
struct PlannedWait {
  Dependencies::Index before = 0;
  Dependencies::Index after = 0;
  double transfer_s = 0;
};

/// Leaves out every wait that passes nothing and that a way over other tasks implies.
///
/// The ways to 64 tasks at a time are words of bits, and only the part of the order between those
/// tasks and the ones that they may wait for in vain is walked.
/// @param waits  by `before`
/// @param order  all tasks, each after those that it waits for
void drop_implied_waits(std::vector<PlannedWait>& waits,
                        const std::vector<Dependencies::Index>& order);

}  // namespace damocles
