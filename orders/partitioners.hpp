#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/modules.hpp"
#include "models/table.hpp"
#include "models/task_graph.hpp"
#include "orders/clean_split.hpp"

namespace damocles {

/// A library that parts tasks in two such that the parts share few data items.
///
/// A heuristic: the balance is its goal, not a promise. Safe to call from several threads, which
/// wait for one another.
struct PartitionerEntry {
  static constexpr const char* what = "partitioner";
  std::string name;
  std::string packages;  ///< Debian's, which the build needs
  int place = 0;         ///< of those that were built the first one is taken where none is named
  using Bisect = void(const TaskGraph& graph, const Balance& balance, std::uint64_t seed,
                      std::vector<std::uint32_t>& part_of);
  ModuleFunction<Bisect> module;

  /// Whether the build was configured where its library is installed.
  [[nodiscard]] bool built() const { return module.exists(); }
  /// 0 or 1 for each task, shape (m); the same for the same seed. Tasks weigh their flops (all the
  /// same if none has any). @throws NoProgress if the library fails; @pre built()
  [[nodiscard]] std::vector<std::uint32_t> bisect(const TaskGraph& graph, const Balance& balance,
                                                  std::uint64_t seed) const {
    std::vector<std::uint32_t> part_of;
    module.get()(graph, balance, seed, part_of);
    return part_of;
  }
};

/// Whether it was built. @throws InvalidInput where there is none of the name
[[nodiscard]] inline bool partitioner_built(const std::string& name) {
  return Table<PartitionerEntry>::named(name).built();
}

/// Why this build cannot ask any of them, or "".
[[nodiscard]] std::string why_no_partitioner();

/// The one of this name; of those built the first where none is given.
/// @throws InvalidInput where there is none of the name, or where it was not built
[[nodiscard]] const PartitionerEntry& partitioner(const std::string& name = "");

}  // namespace damocles
