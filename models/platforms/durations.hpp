#pragma once

#include <vector>

#include "models/platforms/platform.hpp"
#include "models/workload.hpp"

namespace damocles {

/// How long each task takes on each processor: where rates become time.
///
/// The time that the platform gives for tasks of its kind (GpuModel::kernel_times), else its flops
/// over the processor's rate; to both Limits::overhead_s is added. Without limits flops over speed.
class Durations {
 public:
  using Index = TaskGraph::Index;

  /// Both outlive it. @throws InvalidInput where the platform gives a time for a kind of which the
  /// workload has no task, and so a wrong one for those that were meant
  Durations(const Workload& workload, const Platform& platform);

  [[nodiscard]] double s(std::size_t processor, Index task) const {
    if (!kernel_s_.empty()) {
      const double time = kernel_s_[processor * kinds_ + graph_.parts().task_kinds[task]];
      if (time > 0) return time + overhead_s_;
    }
    return graph_.flops(task) / rates_[processor] + overhead_s_;
  }
  /// Whether some time is a kind's, not that of its flops.
  [[nodiscard]] bool by_kind() const { return !kernel_s_.empty(); }
  /// What a task would have to compute to take as long at the processors' rates, on the one where
  /// that is least [flop]: never more than s() times the rate, so that bounds hold.
  [[nodiscard]] double least_flops(Index task) const;

 private:
  const TaskGraph& graph_;
  std::vector<double> rates_;  // [flop/s]
  double overhead_s_ = 0;
  std::size_t kinds_ = 0;
  std::vector<double> kernel_s_;  // by processor and kind; 0: by flops; empty: all are
};

}  // namespace damocles
