#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/platforms/recorded_times.hpp"
#include "models/platforms/team_laws.hpp"
#include "models/workload.hpp"

namespace damocles {

/// How long each task takes on each processor: where rates become time.
///
/// The time that the platform gives for tasks of its kind (ProcessorModel::kernel_times), which may
/// be what the workload's file recorded, else its flops over the processor's rate; to both
/// MachineModel::overhead_s is added. Where memory is unlimited: flops over speed. Infinite where
/// the processor cannot run the task; some processor can run each.
///
/// Strategies plan with what is expected; a run has its own, drawn(), where the platform has noise.
class Durations {
 public:
  using Index = TaskGraph::Index;

  /// Both outlive it. @throws InvalidInput where the platform gives a time for a kind of which the
  /// workload has no task, and so a wrong one for those that were meant; Infeasible where no
  /// processor runs some task, or a task of some size has no time there or was never recorded there
  Durations(const Workload& workload, const Platform& platform);
  /// Those of one run: all but the overhead times the noise of the task (MachineModel::noise). A
  /// function of the arguments alone: every strategy meets the same.
  [[nodiscard]] static Durations drawn(const Workload& workload, const Platform& platform,
                                       std::uint64_t seed, std::uint64_t replicate);

  [[nodiscard]] double s(std::size_t processor, Index task) const {
    const double expected = expected_s(processor, task);
    return (normal_.empty() ? expected : expected * noise(processor, task)) + overhead_s_;
  }
  /// What so many cores that are alike take together, this one among them: all but the overhead
  /// over their speed-up. @pre cores is from 1 to teams().most(processor, task)
  [[nodiscard]] double s(std::size_t processor, Index task, std::size_t cores) const {
    if (cores == 1) return s(processor, task);
    return (s(processor, task) - overhead_s_) / teams_.speedup(processor, task, cores) +
           overhead_s_;
  }
  /// Which cores may compute a task together.
  [[nodiscard]] const TeamLaws& teams() const { return teams_; }
  /// Whether the processor can run the task.
  [[nodiscard]] bool runs(std::size_t processor, Index task) const {
    return all_run_all_ || kernel_s(processor, task) != never_s;
  }
  /// Whether every processor can run every kind of task.
  [[nodiscard]] bool all_run_all() const { return all_run_all_; }
  /// Whether some time is not that of its flops.
  [[nodiscard]] bool not_by_flops() const { return by_kind() || !normal_.empty(); }
  /// Processors on each of which every task takes the same: one of them, and how many they are.
  struct Alike {
    std::size_t first = 0;
    double count = 0;
    double rate = 0;  ///< [flop/s]
  };
  [[nodiscard]] std::vector<Alike> alike() const;
  /// Of processors of one class every task takes the same, of whatever size and kind.
  using Class = std::pair<std::size_t, double>;
  [[nodiscard]] Class class_of(std::size_t processor) const {
    return {rows_.empty() ? 0 : rows_[processor], rates_[processor]};
  }
  /// What each task would have to compute to take as long at the processors' rates, on the one of
  /// those that run it where that is least [flop], shape (tasks): never more than s() times the
  /// rate, so that bounds hold.
  [[nodiscard]] std::vector<double> least_flops() const;

 private:
  static constexpr double by_flops = -1;

  [[nodiscard]] bool by_kind() const { return !kernel_s_.empty(); }
  [[nodiscard]] std::size_t place(std::size_t processor, Index task) const {
    return rows_[processor] * classes_ + class_of_[task];
  }
  [[nodiscard]] double kernel_s(std::size_t processor, Index task) const {
    return kernel_s_[place(processor, task)];
  }
  [[nodiscard]] double expected_s(std::size_t processor, Index task) const {
    if (by_kind()) {
      const double time = kernel_s(processor, task);
      if (time >= 0) return time;
    }
    return graph_.flops(task) / rates_[processor];
  }
  [[nodiscard]] double noise(std::size_t processor, Index task) const;
  void classify(const std::vector<bool>& by_size);
  void add_row(const Workload& workload, const ProcessorModel& gpu, const RecordedTimes& recorded);
  [[nodiscard]] MeasuredTime time_of(const Workload& workload, const KernelTime& of,
                                     Index task) const;
  [[nodiscard]] MeasuredTime recorded_time(const Workload& workload, const RecordedTimes& recorded,
                                           Index task, bool on_core) const;
  void refuse_kinds_nobody_runs(const Workload& workload) const;

  const TaskGraph& graph_;
  std::vector<double> rates_;  // [flop/s]
  double overhead_s_ = 0;
  // Where some kind has a time. Tasks of a class have one, on processors of a row as well.
  std::size_t classes_ = 0;
  std::vector<std::uint32_t> class_of_;  // of each task
  std::vector<Index> first_of_;          // a task of each class
  std::vector<std::size_t> rows_;        // of each processor
  std::vector<double> kernel_s_;         // by row and class; empty: all are by flops
  std::vector<double> sigmas_;           // by row and class, of the noise as measured
  std::vector<double> normal_;           // draw of each task; empty: no noise
  double sigma_ = 0;                     // of the noise of all; 0: as measured
  bool all_run_all_ = true;
  TeamLaws teams_;
};

}  // namespace damocles
