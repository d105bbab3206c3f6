#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"

namespace damocles {

/// @throws InvalidInput where some processor has a power and another none, or has an idle one or
///         some of kinds alone
void check_powers(const MachineModel& machine, const std::string& where);

/// What each task draws on each processor.
class Powers {
 public:
  /// Both outlive it. @throws InvalidInput where the platform gives a power for a kind of which the
  /// workload has no task
  Powers(const Workload& workload, const Platform& platform);

  /// Whether the platform says what its processors draw.
  [[nodiscard]] bool known() const { return !kernel_w_.empty(); }
  /// @pre known()
  [[nodiscard]] double w(std::size_t processor, TaskGraph::Index task) const;

 private:
  const Workload& workload_;
  std::size_t kinds_ = 1;
  std::vector<double> kernel_w_;  // by processor and kind
};

/// What a run took: of each processor what its tasks drew, and its idle power while it computed
/// nothing until the end of the run [J]. What moves data (bus, links, host) draws nothing here.
/// @pre the trace has compute_j
[[nodiscard]] double energy_j(const MachineModel& machine, const Trace& trace);

}  // namespace damocles
