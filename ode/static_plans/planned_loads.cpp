#include "ode/static_plans/planned_loads.hpp"

#include <algorithm>

#include "ode/limited_memory/recency_list.hpp"

namespace damocles {
namespace {

/// Copies of data items in all memories, while tasks run one after the other.
class PlannedCopies {
 public:
  using Index = TaskGraph::Index;

  explicit PlannedCopies(const PlannedRun& run)
      : run_(run),
        graph_(*run.graph),
        in_host_memory_(graph_.data(), true),
        writes_left_(graph_.writers()) {
    for (const PlannedRun::Processor& one : run.processors) {
      memories_.emplace_back(one.in_host_memory ? 0 : graph_.data());
    }
    for (Index item = 0; item < graph_.data(); ++item) {
      accesses_left_.push_back(static_cast<Index>(graph_.users(item).size()));
      if (graph_.temporary(item)) in_host_memory_[item] = false;
    }
    counted_.of_tasks.resize(graph_.tasks());
  }

  /// The next task of the processor.
  void run_task(std::size_t processor, Index task) {
    if (run_.processors[processor].in_host_memory) {
      for (const Index item : graph_.needed(task)) go_home(item);
    } else {
      make_room(processor, task);
    }
    graph_.for_each_access(task, [&](Index item, Access access) {
      if (writes(access)) write(processor, item);
      if (--accesses_left_[item] == 0 && graph_.temporary(item)) drop(item);
    });
    ++memories_[processor].tasks;
  }
  void end_run() {
    for (Index item = 0; item < graph_.data(); ++item) {
      if (!graph_.temporary(item)) go_home(item);
    }
  }
  [[nodiscard]] PlannedLoads take() && { return std::move(counted_); }

 private:
  struct Memory {
    explicit Memory(std::size_t data) : held(data), last_use(data) {}
    RecencyList held;
    std::vector<std::size_t> last_use;  // by data item: tasks up to the last that used it
    std::uint64_t bytes = 0;
    std::size_t tasks = 0;  // that ran
  };

  /// Loads what the task lacks.
  void make_room(std::size_t processor, Index task) {
    Memory& memory = memories_[processor];
    const auto items = graph_.inputs(task);
    const std::size_t needed = graph_.needed(task).size();
    for (std::size_t at = 0; at < items.size(); ++at) {
      if (memory.held.holds(items[at])) continue;
      RoomForItem room{.item = items[at], .loads = at < needed};
      evict_for(processor, task, room);
      if (room.loads) {
        ++counted_.loads;
        counted_.bytes_loaded += graph_.bytes(room.item);
        go_home(room.item);
      }
      memory.held.add(room.item);
      memory.bytes += graph_.bytes(room.item);
      counted_.of_tasks[task].push_back(std::move(room));
    }
    for (const Index item : items) {
      memory.held.touch(item);
      memory.last_use[item] = memory.tasks + 1;
    }
  }
  void evict_for(std::size_t processor, Index task, RoomForItem& room) {
    Memory& memory = memories_[processor];
    const auto items = graph_.inputs(task);
    while (memory.bytes + graph_.bytes(room.item) > run_.processors[processor].memory_bytes) {
      const auto victim = memory.held.oldest_if(
          [&](Index one) { return std::find(items.begin(), items.end(), one) == items.end(); });
      if (!victim) return;
      room.after = std::max(room.after, memory.last_use[*victim]);
      if (!in_host_memory_[*victim]) room.leaving.push_back(*victim);
      go_home(*victim);
      forget(memory, *victim);
    }
  }
  void write(std::size_t processor, Index item) {
    in_host_memory_[item] = run_.processors[processor].in_host_memory;
    for (std::size_t other = 0; other < memories_.size(); ++other) {
      if (other != processor) forget(memories_[other], item);
    }
    if (--writes_left_[item] == 0 && graph_.early_home(item)) go_home(item);
  }
  /// Nobody accesses the temporary data item any more.
  void drop(Index item) {
    for (Memory& memory : memories_) forget(memory, item);
    in_host_memory_[item] = false;
  }
  void forget(Memory& memory, Index item) {
    if (memory.last_use.empty() || !memory.held.holds(item)) return;
    memory.held.remove(item);
    memory.bytes -= graph_.bytes(item);
  }
  void go_home(Index item) {
    if (in_host_memory_[item]) return;
    in_host_memory_[item] = true;
    counted_.bytes_home += graph_.bytes(item);
  }

  const PlannedRun& run_;
  const TaskGraph& graph_;
  std::vector<Memory> memories_;
  std::vector<bool> in_host_memory_;  // by data item: no copy elsewhere is newer
  std::vector<Index> writes_left_;    // by data item
  std::vector<Index> accesses_left_;  // by data item
  PlannedLoads counted_;
};

}  // namespace

PlannedLoads planned_loads(const PlannedRun& run, const std::vector<TaskGraph::Index>& order) {
  std::vector<std::size_t> processor_of(run.graph->tasks());
  for (std::size_t k = 0; k < run.plan.of_processors.size(); ++k) {
    for (const auto task : run.plan.of_processors[k]) processor_of[task] = k;
  }
  PlannedCopies copies(run);
  for (const auto task : order) copies.run_task(processor_of[task], task);
  if (run.returns_all) copies.end_run();
  return std::move(copies).take();
}

}  // namespace damocles
