#pragma once

#include <cstdint>
#include <vector>

#include "models/ids.hpp"
#include "models/platforms/platform.hpp"

namespace damocles {

/// Small delays that no two runs of a real machine share: without them equal processors stay in
/// step for ever, and a result may rest on a coincidence that no machine shows.
///
/// A task takes up to MachineModel::jitter_of() longer than its rate says, uniformly, the same for
/// every strategy; copies between a processor and host memory begin up to
/// MachineModel::latest_start_s late. Never earlier, so that bounds on the time hold. A function of
/// (seed, replicate) alone.
class Jitter {
 public:
  Jitter(const MachineModel& machine, std::uint64_t seed, std::uint64_t replicate)
      : most_(machine.jitter_of()), seed_(seed), replicate_(replicate) {}

  /// Before which no copy between a processor and host memory begins [s], shape (processors).
  [[nodiscard]] std::vector<double> starts_s(std::size_t processors) const;
  /// By which the time of the task is multiplied, >= 1.
  [[nodiscard]] double factor(TaskId task) const;

 private:
  double most_;
  std::uint64_t seed_;
  std::uint64_t replicate_;
};

}  // namespace damocles
