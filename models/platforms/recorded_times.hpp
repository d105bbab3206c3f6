#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "models/platforms/performance_model.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// What tasks took in the run that a workload's file recorded (StarPU's tasks.rec).
///
/// Tasks of one kind and footprint, on one kind of worker, are one measurement: their mean and
/// standard deviation. Where the file does not say which kind of worker ran a task, its time counts
/// for all kinds; without a footprint, tasks of as many bytes and flops are alike.
class RecordedTimes {
 public:
  explicit RecordedTimes(const TaskGraph& graph);

  /// Whether the file has the time of any task.
  [[nodiscard]] bool any() const { return !sums_.empty(); }
  /// Of a task like this one on a core or on a GPU; nothing where none was recorded there.
  [[nodiscard]] std::optional<MeasuredTime> time(TaskGraph::Index task, bool on_core) const;

 private:
  using Where = RecordedTask::Where;
  /// (kind, whether it has a footprint, footprint or size)
  using Alike = std::tuple<std::uint16_t, bool, std::uint64_t>;

  struct Sum {
    double count = 0;
    double mean = 0;
    double squares = 0;  ///< of the differences from the mean

    void add(double seconds);
    void add(const Sum& other);
  };

  [[nodiscard]] Alike alike(TaskGraph::Index task) const;

  const TaskGraph& graph_;
  std::map<std::pair<Alike, Where>, Sum> sums_;
};

}  // namespace damocles
