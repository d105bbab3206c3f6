#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Whether this build can partition: it was configured where a partitioner's library is installed.
[[nodiscard]] bool partition_built();

struct PartitionOptions {
  /// What a cut costs. copies: the bytes of a data item for each part beyond the first that reads
  /// it; data: its bytes once, in however many parts it is read, as hMETIS's default (Reconst = 0).
  enum class Cost { copies, data };

  /// Of the partitioner for each bisection, each with another seed; at most 10^6 / edges of the
  /// graph.
  std::size_t runs = 1;
  Cost cost = Cost::copies;
  std::string partitioner{};  ///< its name; "": the first that was built (partitioners.hpp)
};

/// Tasks parted such that parts are equal in work and few data items are read by several of them.
///
/// Hypergraph partitioning by recursive bisection: vertices are tasks weighted by their flops (all
/// 1 if none has any), hyperedges are data weighted by their bytes; the cost of the cut is kept low
/// while no part exceeds 1.01 times the mean. Each bisection is the best of clean_split() and of
/// `runs` runs of the partitioner. A heuristic: the balance is its goal, not a promise (a task is
/// not split).
///
/// @param parts  [1], at least 1
/// @return       the part of each task in [0, parts), shape (m); the same for the same seed
/// @throws InvalidInput if `parts` is 0 or above 2^31 - 1, or if the build has no such partitioner
/// @throws NoProgress if the partitioner fails
/// Source: IPDPS22 Algorithm 3, lines 2 and 3, with other partitioners in place of hMETIS.
[[nodiscard]] std::vector<std::uint32_t> partition(const TaskGraph& graph, std::size_t parts,
                                                   std::uint64_t seed,
                                                   const PartitionOptions& options = {});

}  // namespace damocles
