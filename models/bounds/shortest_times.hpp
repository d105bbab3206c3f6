#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/platforms/durations.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// What each task takes on the processor, or those together, where it takes least [s].
class ShortestTimes {
 public:
  /// Both outlive it, and `durations` are of the graph.
  ShortestTimes(const TaskGraph& graph, const Durations& durations);

  [[nodiscard]] double operator[](std::size_t task) const {
    return times_.empty() ? durations_.s(fastest_, static_cast<TaskGraph::Index>(task))
                          : times_[task];
  }
  /// Of all tasks where they are not in proportion to flops, else empty: then they are computed.
  [[nodiscard]] std::span<const double> listed() const { return times_; }

 private:
  const Durations& durations_;
  std::size_t fastest_ = 0;    // where times are by flops: a processor of the largest rate
  std::vector<double> times_;  // otherwise
};

}  // namespace damocles
