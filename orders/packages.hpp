#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Packages of tasks by the data they read, merged two by two.
///
/// Holders of each data item are listed (an inverted index), so what a package shares is counted by
/// visiting only those that share something. A merge relabels the smaller set of data only.
class Packages {
 public:
  using Index = TaskGraph::Index;

  static constexpr Index none = static_cast<Index>(-1);

  /// One package a task; package i is of task `order[i]`.
  Packages(const TaskGraph& graph, std::span<const Index> order);

  [[nodiscard]] std::size_t count() const { return count_; }
  /// Indices of packages and data are below these.
  [[nodiscard]] std::size_t all() const { return slot_of_.size(); }
  [[nodiscard]] std::size_t data() const { return bytes_.size(); }
  [[nodiscard]] bool alive(Index package) const { return slot_of_[package] != none; }
  [[nodiscard]] std::size_t tasks(Index package) const { return slots_[slot_of_[package]].tasks; }
  /// Bytes of the data it reads.
  [[nodiscard]] std::uint64_t weight(Index package) const {
    return slots_[slot_of_[package]].weight;
  }

  struct Sharer {
    Index package;
    std::uint64_t bytes;  ///< of the data that both read
  };

  /// Calls visit(Sharer, its tasks, its weight [B]) for every other package that reads some data of
  /// this one, in no order.
  template <typename Visit>
  void for_each_sharer(Index package, Visit&& visit) {
    count_shared(package);
    const Index self = slot_of_[package];
    for (const Index at : touched_) {
      Slot& slot = slots_[at];
      if (at != self) visit(Sharer{slot.package, slot.shared}, slot.tasks, slot.weight);
      slot.shared = 0;
    }
  }

  /// The data it shares with others, one for each set of data that the same packages read.
  template <typename Visit>
  void for_each_data(Index package, Visit&& visit) const {
    for (Index edge = chains_[slot_of_[package]].first; edge != none; edge = next_[edge]) {
      if (bytes_[data_of_[edge]] != 0) visit(data_of_[edge]);
    }
  }
  /// Bytes of a data item and of those it stands for.
  [[nodiscard]] std::uint64_t bytes(Index data) const { return bytes_[data]; }

  /// Lets one data item stand for all that the same packages read, which merges leave so. Worth its
  /// time, that of all data of all packages, when their number has fallen by a fair part.
  void unify_data();

  /// `from` becomes part of `into`, which keeps its index. Takes no
  /// longer than `for_each_sharer(into)` where that was called before
  void merge(Index into, Index from);

 private:
  // Where a package lives; a merge keeps the slot that has more data. What for_each_sharer() needs
  // of one lies together: it visits slots far apart, and is most of the time that packing takes.
  struct Slot {
    std::uint64_t shared;  // with the package being counted [B], `dead` where merged away
    std::uint64_t weight;
    std::uint32_t tasks;
    Index package;
  };
  struct Chain {  // of the data of a slot: `next_` of edges
    Index first;
    Index last;
    Index data;
  };

  void count_shared(Index package);
  void append(Chain& chain, Index edge);
  // Both leave what is left dense: the less memory is walked, the more of it is in the caches.
  void drop_dead_slots();
  void drop_replaced_data();
  void drop_dead_holders(Index data);
  [[nodiscard]] std::vector<Index> data_by_holders();

  std::size_t count_;
  std::vector<Index> slot_of_;               // by package, none if merged into another
  std::vector<Slot> slots_;                  //
  std::vector<Chain> chains_;                // by slot
  std::vector<Index> data_of_;               // by edge
  std::vector<Index> next_;                  // by edge, the next in its slot's chain
  std::vector<std::uint64_t> bytes_;         // by data, 0 where another stands for it
  std::vector<std::vector<Index>> holders_;  // by data, slots; dead ones are dropped when met
  std::vector<Index> touched_;               // slots whose `shared` counts
  std::vector<Index> common_;                // by data, the latest merge of two that held it
  Index merges_ = 0;
  std::size_t visited_ = 0;  // holders, by the latest count_shared()
};

}  // namespace damocles
