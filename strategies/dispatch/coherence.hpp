#pragma once

#include <unordered_map>
#include <vector>

#include "models/ids.hpp"
#include "models/runs/node_memory.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// Which copies of each data are valid where tasks write: MSI for each (data, memory), home being a
/// memory without limit.
///
///     invalid  --load ends-->  shared  --a task there begins to write-->  modified
///
///     modified --return ends-->  shared: home holds it too
///
///     modified --copied to another processor-->  shared, by both; home does not (MOSI's owned)
///
///     shared, modified --a task elsewhere begins to write-->  invalid
///
///     shared   --evicted-->  invalid, at once
///
///     modified --evicted-->  invalid, when its return has ended
///
/// A task that runs at home writes there: home's copy is then the only valid one.
///
/// A data that home does not hold is read elsewhere over a link between processors; where there is
/// none over home: it returns, then it is loaded. Writing is in place and begins when the data is
/// copied to nowhere; a load that is on its way then is stale: it ends, and counts for nothing.
class Coherence {
 public:
  using Index = TaskGraph::Index;

  /// A load that waits until the data are at home.
  struct Waiting {
    ProcessorId processor;
    bool on_demand;
  };

  Coherence(std::size_t processors, const TaskGraph& graph)
      : valid_(processors, graph.data()),
        at_home_(graph.data(), true),
        being_written_(graph.data(), false) {}

  [[nodiscard]] bool at_home(Index data) const { return at_home_[data]; }
  /// Whether the processor's copy is the only valid one.
  [[nodiscard]] bool modified(ProcessorId processor, Index data) const {
    return !at_home_[data] && valid_.held_by_one(DataId{data}) &&
           valid_.resident(processor, DataId{data});
  }
  /// Whether a task runs that writes it: nothing may be copied from there.
  [[nodiscard]] bool being_written(Index data) const { return being_written_[data]; }
  /// Where it is valid, the lowest id. @pre !at_home(data)
  [[nodiscard]] ProcessorId holder(Index data) const { return *valid_.first_holder(DataId{data}); }

  void arrived(ProcessorId processor, Index data) { valid_.load(processor, DataId{data}); }
  void dropped(ProcessorId processor, Index data) { valid_.evict(processor, DataId{data}); }

  /// A task on the processor begins to write the data: all other copies are invalid.
  /// @pre !returns(data)
  void write_begins(ProcessorId processor, Index data) {
    valid_.keep_only(processor, DataId{data});
    at_home_[data] = false;
    being_written_[data] = true;
  }
  /// A task writes the data where it lies at home: no processor's copy is valid. @pre as above
  void write_begins_at_home(Index data) {
    valid_.keep_none(DataId{data});
    at_home_[data] = true;
    being_written_[data] = true;
  }
  void write_ended(Index data) { being_written_[data] = false; }

  /// Whether its return is on its way.
  [[nodiscard]] bool returns(Index data) const { return returns_.contains(data); }
  void return_begins(Index data) { returns_.try_emplace(data); }
  /// @pre returns(data)
  void wait_for_return(Index data, Waiting load) { returns_.at(data).push_back(load); }
  /// Home holds it again; the loads that waited for that. @pre returns(data)
  [[nodiscard]] std::vector<Waiting> return_ended(Index data) {
    at_home_[data] = true;
    auto under_way = returns_.extract(data);
    return std::move(under_way.mapped());
  }

 private:
  NodeMemory valid_;
  std::vector<bool> at_home_;
  std::vector<bool> being_written_;
  std::unordered_map<Index, std::vector<Waiting>> returns_;  // by data: who waits
};

}  // namespace damocles
