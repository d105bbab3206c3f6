#pragma once

#include <functional>
#include <vector>

#include "models/dependencies.hpp"
#include "models/ids.hpp"

namespace damocles {

/// When and where a task runs.
struct Placement {
  ProcessorId processor{};
  double start_s = 0;
  double end_s = 0;
};

/// What a static schedule plans with, in whatever unit of time.
struct PlannedCosts {
  /// duration(task, processor), infinite where it cannot run; some processor can run each.
  std::function<double(Dependencies::Index, std::size_t)> duration_s;
  /// What passing data from a task to one that waits for it takes, on average over pairs of
  /// processors.
  std::function<double(Dependencies::Index, Dependencies::Index)> transfer_s;
  /// What it takes between these two, over that average.
  std::function<double(std::size_t, std::size_t)> share = [](std::size_t from, std::size_t to) {
    return from == to ? 0.0 : 1.0;
  };
};

/// HEFT: tasks by falling upward rank (the mean duration, and the longest way of mean durations
/// and transfers behind it; ties: the lower task), each placed where it ends first, in the
/// earliest gap between tasks that is long enough; ties: the lower processor. O(e p) and the gaps.
///
/// @return shape (tasks)
/// Source: Topcuoglu, Hariri & Wu, TPDS 2002, section 4.2.
[[nodiscard]] std::vector<Placement> heft_schedule(const Dependencies& dependencies,
                                                   std::size_t tasks, std::size_t processors,
                                                   const PlannedCosts& costs);

}  // namespace damocles
