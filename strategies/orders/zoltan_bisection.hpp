#pragma once

#include <cstdint>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Whether this build can ask Zoltan (it was configured where Zoltan and MPI are installed).
[[nodiscard]] bool zoltan_built();

/// The tasks in two parts that share few data, by Zoltan's hypergraph partitioner: vertices are
/// tasks weighted by their flops (all 1 if none has any), hyperedges are data weighted by their
/// bytes. A heuristic: the balance is its goal, not a promise.
///
/// One process, safe to call from several threads (they wait for one another). The first call
/// starts MPI unless it runs; the process then ends it at its exit.
///
/// @param share      of the flops that part 0 is to have [1], in (0, 1)
/// @param imbalance  how far a part may exceed what it is to have [1], above 1
/// @return           0 or 1 for each task, shape (m); the same for the same seed
/// @throws InvalidInput if the build has no Zoltan
/// @throws NoProgress if Zoltan fails
/// Source: Zoltan PHG (Devine et al., IPDPS 2006).
[[nodiscard]] std::vector<std::uint32_t> bisect_by_zoltan(const TaskGraph& graph, double share,
                                                          double imbalance, std::uint64_t seed);

}  // namespace damocles
