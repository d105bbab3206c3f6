#pragma once

#include <cstddef>
#include <vector>

#include "models/platforms/durations.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// How fast kinds of processors are at kinds of tasks, one beside the other: by the mean time of
/// all tasks of a kind on all processors of a kind. Processors are of one kind if they have one
/// name (ProcessorModel::kind) and run the same kinds of tasks.
class KindSpeeds {
 public:
  explicit KindSpeeds(const StrategyContext& context);

  /// The kinds of tasks that the processor can run, the one first at which it gains most: the time
  /// of the fastest other kind of processors over its own. Ties: in the order of the graph.
  [[nodiscard]] const std::vector<std::size_t>& most_gained_first(ProcessorId processor) const {
    return orders_[kind_of_[raw(processor)]];
  }
  /// Its time over that of the fastest kind of processors; 1 where it is of that kind.
  [[nodiscard]] double slow_factor(ProcessorId processor, std::size_t task_kind) const;
  /// Whether no kind of processors is faster than its own.
  [[nodiscard]] bool is_fastest(ProcessorId processor, std::size_t task_kind) const {
    return fastest_[task_kind] == kind_of_[raw(processor)];
  }
  /// How many processors the fastest kind has.
  [[nodiscard]] double fastest_processors(std::size_t task_kind) const {
    return count_[fastest_[task_kind]];
  }

 private:
  void tell_kinds(const StrategyContext& context, const Durations& durations,
                  std::size_t task_kinds);
  void take_means(const TaskGraph& graph, const Durations& durations, std::size_t task_kinds);
  [[nodiscard]] double gain(std::size_t kind, std::size_t task_kind) const;

  std::vector<std::size_t> kind_of_;  // by processor
  std::vector<double> count_;         // by kind of processors
  std::vector<std::vector<double>>
      mean_s_;                        // by kind of processors, then of tasks; infinite: never
  std::vector<std::size_t> fastest_;  // by kind of tasks
  std::vector<std::vector<std::size_t>> orders_;  // by kind of processors
};

}  // namespace damocles
