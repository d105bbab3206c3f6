#pragma once

#include <ostream>

#include "models/platforms/platform.hpp"
#include "models/rng.hpp"
#include "models/workload.hpp"

namespace damocles::naive {

/// A workload and a machine with limited memory, all of it drawn; tests print it where they fail.
struct Drawn {
  Workload workload;
  Platform platform;
  /// All numbers, and what a run makes of them, are small multiples of powers of 2: times are
  /// exact, so that many things happen at one time, and rules alone say in which order. Else, what
  /// does is told apart by rounding, and rare.
  bool exact = false;
};
std::ostream& operator<<(std::ostream& out, const Drawn& drawn);

/// Which processors a machine has.
enum class Processors {
  gpus,  ///< 1 to 4 with a memory of their own, which run every task
  /// 0 to 3 with a memory of their own and 0 to 3 cores; some may run some kinds of tasks alone;
  /// tasks may take longer or shorter than expected. For strategies that support heterogeneous
  /// platforms.
  of_kinds,
  /// 0 to 2 with a memory of their own and 2 to 6 cores that compute tasks together, all of them or
  /// those of one kind. Else as these.
  with_teams
};

/// Tasks that only read: a small graph of data of several sizes, with outputs and kinds, or a grid;
/// on a machine with or without each of what one can have.
[[nodiscard]] Drawn draw_reading(Rng& rng, Processors processors);
/// The same with tasks that wait for others and write.
[[nodiscard]] Drawn draw_writing(Rng& rng, Processors processors);

}  // namespace damocles::naive
