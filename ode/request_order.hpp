#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/ids.hpp"
#include "models/winner_tree.hpp"

namespace damocles {

/// Who asks next, where each request is answered with one task and speeds are constant: at time 0
/// all ask, in an order drawn at random; from then on the earliest to finish, ties by processor id.
///
/// Times add up as a simulated run adds them, so that ties are the same ties.
class RequestOrder {
 public:
  /// After the first round: all processors compute their first task.
  /// @param speeds  [tasks/s], shape (p)
  explicit RequestOrder(std::span<const double> speeds)
      : finish_s_(std::numeric_limits<double>::infinity()) {
    for (const double speed : speeds) {
      task_s_.push_back(1 / speed);
      finish_s_.push_back(1 / speed);
    }
  }

  /// O(log p).
  ProcessorId next() {
    const std::size_t processor = finish_s_.best();
    finish_s_.raise(processor, finish_s_.key(processor) + task_s_[processor]);
    return ProcessorId{static_cast<std::uint32_t>(processor)};
  }

  /// Tasks that each processor runs of `tasks` >= p, shape (p). O(p log p): all but the last few p
  /// are counted, not dealt, so exact ties among the last may fall to another of those that tie.
  [[nodiscard]] static std::vector<std::uint64_t> tasks_of(std::span<const double> speeds,
                                                           std::uint64_t tasks);

 private:
  std::vector<double> task_s_;
  WinnerTree<double> finish_s_;
};

}  // namespace damocles
