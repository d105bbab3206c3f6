#pragma once

#include <vector>

#include "models/platforms/durations.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// Allots each task to the processor where it is expected to complete first (IPDPS'22, Algorithm 1,
/// DMDA), of those that can run it; ties: the lowest id.
///
/// The paper's Eq. 1 counts the transfer and the task alone; taken literally it would give
/// everything to one processor, whose memory it takes for unlimited. As StarPU does, the work
/// allotted before counts too, and a transfer that fits behind it costs no time of its own but
/// weighs once more, as a penalty on moving data:
///   max(end of what is allotted, transfer) + computing + transfer.
/// Work that was done is allotted no longer; what a task writes is from then on held by its
/// processor alone.
class CompletionTimes {
 public:
  using Index = TaskGraph::Index;

  /// What the setting refers to outlives it.
  explicit CompletionTimes(const Setting& setting);

  /// The processor that gets the task.
  ProcessorId allot(Index task);
  /// A task that was allotted to the processor has run.
  void finished(ProcessorId processor, Index task);

 private:
  /// What one processor has been allotted so far.
  struct Allotted {
    std::vector<bool> held;  ///< data, by what was allotted: nothing is evicted here
    double left_s = 0;       ///< until what is left of it ends
    std::size_t tasks = 0;   ///< that are left
  };

  [[nodiscard]] double transfer_s(std::size_t k, Index task) const;
  [[nodiscard]] bool at_home(std::size_t k) const;
  void note_accesses(std::size_t by, Index task);
  [[nodiscard]] double compute_s(std::size_t k, Index task) const { return durations_.s(k, task); }

  const TaskGraph& graph_;
  const Platform& platform_;
  Durations durations_;
  bool any_at_home_;
  std::vector<Allotted> all_;
};

}  // namespace damocles
