#pragma once

#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "models/ids.hpp"
#include "models/runs/node_memory.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// Which copies of each data item are valid where tasks write: MSI for each (data, memory), host
/// memory being a memory without limit.
///
///     invalid  --load ends-->  shared  --a task there begins to write-->  modified
///
///     modified --return ends-->  shared: host memory holds it too
///
///     modified --copied to another processor-->  shared, by both; host memory does not (MOSI's
///     owned)
///
///     shared, modified --a task elsewhere begins to write-->  invalid
///
///     shared   --evicted-->  invalid, at once
///
///     modified --evicted-->  invalid, when its return has ended
///
/// A task that runs in host memory writes there: host memory's copy is then the only valid one.
///
/// While tasks reduce into a data item no copy of it is valid: host memory has what it was, and
/// processors hold sums, each its own, that begin with zeros. A sum that leaves travels to host
/// memory and is added there; when the reduction has ended all sums do, and with the last of them
/// to host memory holds the data.
///
/// Temporary data are valid nowhere until a task writes them, and nowhere again once the last task
/// that accesses them has ended: their copies are then dropped without a transfer, as soon as
/// nothing is copied from them.
///
/// Data items that go home early (TaskGraph::early_home) are sent to host memory once no task is
/// left that writes them, as soon as nothing else goes there from their processor.
///
/// A data item that host memory does not hold is read elsewhere over the link or route between
/// processors; where there is none over host memory: it returns, then it is loaded. Writing is in
/// place and begins when the data is copied to nowhere; a load that is on its way then is stale: it
/// ends, and counts for nothing.
class Coherence {
 public:
  using Index = TaskGraph::Index;

  /// A load that waits until the data are in host memory.
  struct Waiting {
    ProcessorId processor;
    bool on_demand;
  };

  Coherence(std::size_t processors, const TaskGraph& graph)
      : valid_(processors, graph.data()),
        in_host_memory_(graph.data(), true),
        being_written_(graph.data(), false) {
    if (graph.any(Lifetime::early_home)) writes_left_ = graph.writers();
    if (!graph.any(Lifetime::temporary)) return;
    accesses_left_.resize(graph.data(), unlimited);
    for (std::size_t d = 0; d < graph.data(); ++d) {
      const auto data = static_cast<Index>(d);
      if (!graph.temporary(data)) continue;
      in_host_memory_[d] = false;
      accesses_left_[d] = static_cast<Index>(graph.users(data).size());
    }
  }

  [[nodiscard]] bool in_host_memory(Index data) const { return in_host_memory_[data]; }
  /// Whether a copy of it exists, or sums, and a task may still access it.
  [[nodiscard]] bool of_use(Index data) const {
    return !over(data) && (in_host_memory_[data] || valid_.first_holder(DataId{data}).has_value());
  }
  /// Whether it is temporary, and all tasks that access it have ended.
  [[nodiscard]] bool over(Index data) const {
    return !accesses_left_.empty() && accesses_left_[data] == 0;
  }
  /// A task that accesses it has ended. @pre it is temporary
  void access_ended(Index data) { --accesses_left_[data]; }
  /// Its copies are of no use from now on. @pre over(data) and !returns(data)
  void drop(Index data) {
    valid_.keep_none(DataId{data});
    in_host_memory_[data] = false;
  }
  /// Whether the processor's copy is the only valid one.
  [[nodiscard]] bool modified(ProcessorId processor, Index data) const {
    return !in_host_memory_[data] && valid_.held_by_one(DataId{data}) &&
           valid_.resident(processor, DataId{data});
  }
  /// Whether tasks reduce into it.
  [[nodiscard]] bool reducing(Index data) const { return reducing_.contains(data); }
  /// Whether the processor holds a sum of them.
  [[nodiscard]] bool has_sum(ProcessorId processor, Index data) const {
    return reducing(data) && valid_.resident(processor, DataId{data});
  }
  /// Whether what the processor holds is lost unless it travels to host memory before it leaves.
  [[nodiscard]] bool must_return(ProcessorId processor, Index data) const {
    return modified(processor, data) || has_sum(processor, data);
  }
  /// Whether a task runs that writes it: nothing may be copied from there.
  [[nodiscard]] bool being_written(Index data) const { return being_written_[data]; }
  /// Where it is valid, the lowest id. @pre !in_host_memory(data)
  [[nodiscard]] ProcessorId holder(Index data) const { return *valid_.first_holder(DataId{data}); }

  void arrived(ProcessorId processor, Index data) { valid_.load(processor, DataId{data}); }
  void dropped(ProcessorId processor, Index data) { valid_.evict(processor, DataId{data}); }

  /// A task on the processor begins to write the data: all other copies are invalid.
  /// @pre !returns(data)
  void write_begins(ProcessorId processor, Index data) {
    valid_.keep_only(processor, DataId{data});
    in_host_memory_[data] = false;
    being_written_[data] = true;
  }
  /// A task writes the data where it lies in host memory: no processor's copy is valid. @pre as
  /// above
  void write_begins_in_host_memory(Index data) {
    valid_.keep_none(DataId{data});
    in_host_memory_[data] = true;
    being_written_[data] = true;
  }
  /// @return whether this was the last task that writes it; false where no data go home early
  bool write_ended(Index data) {
    being_written_[data] = false;
    return !writes_left_.empty() && --writes_left_[data] == 0;
  }

  /// @pre in_host_memory(data) and !returns(data)
  void reduction_begins(Index data) {
    valid_.keep_none(DataId{data});
    in_host_memory_[data] = false;
    reducing_.insert(data);
  }
  void sum_begins(ProcessorId processor, Index data) { valid_.load(processor, DataId{data}); }
  /// All tasks that reduce into it have ended; who holds sums, or sends them, by id. All of these
  /// have to return; where there are none host memory holds the data. @pre reducing(data)
  std::vector<ProcessorId> reduction_ends(Index data) {
    reducing_.erase(data);
    std::vector<ProcessorId> holders;
    valid_.for_each_holder(DataId{data}, [&](ProcessorId holder) { holders.push_back(holder); });
    in_host_memory_[data] = holders.empty();
    return holders;
  }

  /// Whether it is on its way to host memory: the data, or sums of it.
  [[nodiscard]] bool returns(Index data) const { return returns_.contains(data); }
  void return_begins(Index data) { ++returns_[data].copies; }
  /// @pre returns(data)
  void wait_for_return(Index data, Waiting load) { returns_.at(data).waiting.push_back(load); }
  /// Host memory holds it again where it was no sum, or the last that had to return; the loads that
  /// waited for that. @pre returns(data)
  [[nodiscard]] std::vector<Waiting> return_ended(Index data) {
    if (--returns_.at(data).copies > 0) return {};
    auto under_way = returns_.extract(data);
    in_host_memory_[data] = !reducing(data);
    return std::move(under_way.mapped().waiting);
  }

 private:
  static constexpr Index unlimited = ~Index{0};
  struct Return {
    std::size_t copies = 0;  // on their way: one, or sums
    std::vector<Waiting> waiting;
  };

  NodeMemory valid_;
  std::vector<bool> in_host_memory_;
  std::vector<bool> being_written_;
  std::vector<Index> accesses_left_;  // of temporary data, by data; empty: none is
  std::vector<Index> writes_left_;    // by data; empty: none goes home early
  std::unordered_set<Index> reducing_;
  std::unordered_map<Index, Return> returns_;  // by data
};

}  // namespace damocles
