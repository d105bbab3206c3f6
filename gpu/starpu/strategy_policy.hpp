#pragma once

#include <starpu.h>

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/starpu/memory_books.hpp"
#include "gpu/starpu/workers.hpp"
#include "models/platforms/platform.hpp"
#include "models/runs/node_memory.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// A strategy of ours as a scheduling policy of StarPU.
///
/// StarPU is told who runs what, and when to fetch ahead; it loads, evicts, and says which task may
/// start. A push is Strategy::on_ready(), where tasks wait at all; a worker that pops asks by
/// request() as a processor of MemoryAwareRuntime does, until its buffer of granted tasks is as
/// deep as there (MachineModel::depth; 1 in host memory). Of the buffer the first task that StarPU
/// has pushed runs; with buffer=ready the one that lacks the fewest bytes. What the others read,
/// and what was wished for, is prefetched. Which data item goes when memory is full is StarPU's to
/// say: `eviction=` does nothing.
///
/// Threads: StarPU's workers push and pop at once; one lock is held wherever the strategy is
/// called.
class StrategyPolicy {
 public:
  struct StrategyContext {
    const Workload& workload;
    const Platform& platform;
    const StrategyChoice& choice;
    std::uint64_t seed = 1;
    std::uint64_t replicate = 0;
  };

  /// Makes the strategy. All references outlive it. @throws InvalidInput as the strategy
  explicit StrategyPolicy(const StrategyContext& context);

  /// For starpu_conf::sched_policy. One at a time.
  [[nodiscard]] starpu_sched_policy* policy();

  /// StarPU has started, data are registered: what tasks are is known. No task is handed out yet.
  void attach(const StarpuWorkers& workers, const std::vector<starpu_data_handle_t>& handles);
  /// All tasks are submitted: from now on they are handed out.
  void open();
  /// The number of a task of ours, as its cl_arg says; nothing for StarPU's own.
  using Numbering = std::optional<TaskId> (*)(const starpu_task*);
  void number_by(Numbering numbering) { number_of_ = numbering; }

  void started(unsigned worker, TaskId task);
  /// To be called when the task has computed, before StarPU lets others have what it wrote: these
  /// are pushed before its post_exec_hook comes.
  void ended(unsigned worker, TaskId task);

  /// Wall time inside the strategy so far [s].
  [[nodiscard]] double scheduling_s() const { return scheduling_s_; }
  [[nodiscard]] std::vector<std::uint64_t> evictions() const;
  /// What a strategy threw, or "".
  [[nodiscard]] std::string failure();

 private:
  using Index = TaskGraph::Index;
  struct Node {
    std::deque<Index> granted;  // beyond the buffer
    std::vector<Index> buffer;
    bool starving = false;  // asked, and got nothing
  };

  /// What StarPU is to be asked to fetch ahead, once the lock is free: StarPU has locks of its own.
  struct Fetches {
    std::vector<starpu_task*> tasks;
    std::vector<Index> data;
  };

  static int push(starpu_task* task);
  static starpu_task* pop(unsigned context);
  static void pre_exec(starpu_task* task, unsigned context);
  static void initialise(unsigned context);

  template <typename Call>
  void guarded(Call&& call);
  template <typename Call>
  void timed(Call&& call);
  void take(starpu_task* task);
  starpu_task* give(unsigned worker);
  void begin();
  bool refill(ProcessorId processor, std::size_t tasks);
  bool ask(ProcessorId processor);
  void fetch_ahead(ProcessorId processor);
  void fetch(ProcessorId processor, const Fetches& fetches) const;
  starpu_task* next_task(ProcessorId processor);
  std::optional<ProcessorId> tell_ready(TaskId task);
  void prefetch_hints(ProcessorId processor, const std::vector<DataId>& data);
  [[nodiscard]] std::size_t next_of(ProcessorId processor) const;
  [[nodiscard]] std::uint64_t missing_bytes(ProcessorId processor, Index task) const;
  [[nodiscard]] std::size_t depth(ProcessorId processor) const;
  void feed_all();

  StrategyContext context_;
  const TaskGraph& graph_;
  NodeMemory memory_;
  std::unique_ptr<Strategy> strategy_;
  std::size_t depth_;
  Numbering number_of_ = nullptr;
  const StarpuWorkers* workers_ = nullptr;
  const std::vector<starpu_data_handle_t>* handles_ = nullptr;
  std::optional<MemoryBooks> books_;

  std::mutex mutex_;                    // of all that follows, and of the strategy
  std::vector<starpu_task*> pushed_;    // by task; null: not yet, or no more
  std::deque<starpu_task*> strangers_;  // StarPU's own
  std::vector<Node> nodes_;             // by processor
  Grant grant_;
  Fetches fetches_;  // of the processor that is being answered
  bool open_ = false;
  bool begun_ = false;
  std::string failure_;
  double scheduling_s_ = 0;
};

}  // namespace damocles
