#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/task_graph.hpp"
#include "orders/task_chains.hpp"

namespace damocles {

/// The ends of packages: the data read by the most first (or last) tasks whose inputs weigh at most
/// what memory holds, P_start and P_end of COLOC21 Fig. 2.
class PackageEnds {
 public:
  using Index = TaskGraph::Index;
  using Chain = TaskChains::Chain;

  PackageEnds(const TaskGraph& graph, const TaskChains& chains, std::uint64_t memory_bytes)
      : graph_(graph), chains_(chains), memory_bytes_(memory_bytes), marks_(graph.data(), 0) {}

  /// Reverses packages such that the two ends with most shared bytes meet when `back` is appended
  /// to `front`. Of equal pairs: (end, start), (end, end), (start, start), (start, end).
  void turn(Chain& front, Chain& back);

 private:
  using Data = std::vector<Index>;
  enum Mark : std::uint8_t { at_start = 1, at_end = 2, listed = 4 };

  /// The data read at the start of `chain`, until the next call.
  const Data& start_of(Chain chain);

  const TaskGraph& graph_;
  const TaskChains& chains_;
  std::uint64_t memory_bytes_;
  // By the task at an end. Once the end is not the whole package, it stays as it is: a package
  // grows at the other end or stops ending here.
  std::unordered_map<Index, Data> known_;
  Data whole_;                       // the latest end that is a whole package
  std::vector<std::uint8_t> marks_;  // by data, of the enum below
};

}  // namespace damocles
