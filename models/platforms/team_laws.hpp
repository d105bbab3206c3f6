#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/workload.hpp"

namespace damocles {

/// Which cores may compute which tasks together, and how many times as fast as one alone.
///
/// Cores are alike where the platform says the same of them: rate, times, and a speed-up
/// (ProcessorModel::speedups). Any of those that are alike may compute a task together whose kind
/// has one.
class TeamLaws {
 public:
  using Index = TaskGraph::Index;

  /// No cores compute together.
  TeamLaws() = default;
  /// The workload outlives it. @throws InvalidInput where the platform gives a speed-up for a kind
  /// of which the workload has no task
  TeamLaws(const Workload& workload, const MachineModel& machine);

  /// Whether some do at all.
  [[nodiscard]] bool any() const { return !groups_.empty(); }
  /// Cores that are alike, by id; of each list there are at least two.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& groups() const { return groups_; }
  [[nodiscard]] bool alike(std::size_t a, std::size_t b) const {
    return any() && group_of_[a] != none && group_of_[a] == group_of_[b];
  }
  /// So many, this one included, may compute the task together; 1: it computes alone.
  [[nodiscard]] std::size_t most(std::size_t processor, Index task) const;
  /// @pre cores is from 1 to most(processor, task)
  [[nodiscard]] double speedup(std::size_t processor, Index task, std::size_t cores) const;
  /// The most that any cores reach with any task.
  [[nodiscard]] double most_speedup() const;

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  static std::vector<std::size_t> laws_of_kinds(const Workload& workload,
                                                const std::vector<Speedup>& laws);
  [[nodiscard]] const Speedup* law(std::size_t processor, Index task) const;

  const TaskGraph* graph_ = nullptr;
  std::vector<std::vector<std::size_t>> groups_;
  std::vector<std::size_t> group_of_;         // of each processor
  std::vector<std::vector<Speedup>> laws_;    // of each group
  std::vector<std::vector<std::size_t>> of_;  // by group and kind: which of them, or none
};

}  // namespace damocles
