#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/spec.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// How packages are merged.
struct PackingOptions {
  enum class Partner {
    fair,    ///< most shared bytes among those that fit, then fewest tasks, then lowest index
    literal  ///< most shared bytes, then lowest index, whether the two fit together or not
  };

  bool flip = true;  ///< COLOC21 Fig. 2: reverse packages so that what they share meets
  Partner partner = Partner::fair;
  /// Packages are indexed in the order of their sorted inputs, so that the order of submission does
  /// not matter; else as submitted.
  bool sorted = true;
};

/// As the options flip, partner and sorted say.
[[nodiscard]] PackingOptions packing_options(const Spec& spec);

/// Hierarchical Fair Packing: tasks in packages that share much input data, each in order.
///
/// Each task starts as a package, indexed as `sorted` says. In a round, every package that has the
/// fewest tasks at its start is merged with its partner, which is appended to it. Rounds are
/// bounded first: two packages are merged only if the data they read weigh at most `memory_bytes`
/// together; then unbounded, until `packages` are left. Where `fair` finds no partner in a bounded
/// round, the package rests until the unbounded ones, and it never packs what shares nothing before
/// those; `literal` leaves the bounded rounds as soon as one of them merges nothing, as Algorithm 1
/// does.
///
/// `fair` is not in the paper, which leaves ties open: with the lowest index on ties one package
/// grows like a snowball and costs several times the loads.
///
/// Time: at worst, for each package in turn, the number of others that read its data
/// (packages.hpp); where data have the structure of a matrix, about that of listing the tasks
/// (turn_index.hpp).
///
/// @param memory_bytes  what a processor holds [B]
/// @param packages      how many to leave [1], at least 1; fewer tasks than that are one each
/// @return              the tasks of each package in the order to run, packages by index
/// @throws InvalidInput if `packages` is 0
/// Source: COLOC21 Algorithm 1 and Fig. 2; IPDPS22 Algorithm 4, line 1.
[[nodiscard]] std::vector<std::vector<TaskGraph::Index>> pack(const TaskGraph& graph,
                                                              std::uint64_t memory_bytes,
                                                              std::size_t packages,
                                                              const PackingOptions& options = {});

}  // namespace damocles
