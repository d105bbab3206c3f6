#include "strategies/min_loads.hpp"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "models/error.hpp"
#include "strategies/use_set.hpp"

namespace damocles {
namespace {

using Index = Bipartite::Index;
constexpr Index never = std::numeric_limits<Index>::max();

/// Number of uses of data along the order, after refusing what cannot run.
std::size_t count_uses(const Bipartite& graph, std::span<const Index> order,
                       std::uint64_t memory_bytes) {
  std::size_t uses = 0;
  for (const Index task : order) {
    if (task >= graph.tasks()) {
      throw InvalidInput(
          fmt::format("an order names task {}, but there are {} (from 0)", task, graph.tasks()));
    }
    const auto uniform = graph.uniform_bytes();
    const std::size_t inputs = graph.inputs(task).size();
    const std::uint64_t footprint = uniform ? inputs * *uniform : graph.footprint(task);
    if (footprint > memory_bytes) {
      throw InvalidInput(fmt::format("task {} reads {} bytes, the memory has {}; give at least {}",
                                     graph.task_name(task), footprint, memory_bytes, footprint));
    }
    uses += inputs;
  }
  if (uses >= never) {
    throw InvalidInput(
        fmt::format("an order that uses data {} times; at most {}", uses, never - 1));
  }
  return uses;
}

/// For each use, the next use of the same data, or `never`.
std::vector<Index> next_uses(const Bipartite& graph, std::span<const Index> order,
                             std::size_t uses) {
  std::vector<Index> next(uses);
  std::vector<Index> upcoming(graph.data(), never);
  std::size_t use = uses;
  for (std::size_t step = order.size(); step-- > 0;) {
    const auto inputs = graph.inputs(order[step]);
    use -= inputs.size();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      next[use + i] = upcoming[inputs[i]];
      upcoming[inputs[i]] = static_cast<Index>(use + i);
    }
  }
  return next;
}

/// The data of each use; empty where all have one size, as then nobody asks.
std::vector<Index> used_data(const Bipartite& graph, std::span<const Index> order,
                             std::size_t uses) {
  std::vector<Index> used;
  if (graph.uniform_bytes()) return used;
  used.reserve(uses);
  for (const Index task : order) {
    const auto inputs = graph.inputs(task);
    used.insert(used.end(), inputs.begin(), inputs.end());
  }
  return used;
}

}  // namespace

Loaded loaded_under_min(const Bipartite& graph, std::span<const Index> order,
                        std::uint64_t memory_bytes) {
  const std::size_t uses = count_uses(graph, order, memory_bytes);
  const std::vector<Index> next = next_uses(graph, order, uses);
  const std::vector<Index> used = used_data(graph, order, uses);
  const std::uint64_t uniform = graph.uniform_bytes().value_or(0);

  Loaded loaded;
  UseSet held(uses);  // next uses of what is resident, but for the inputs of the task at hand
  std::uint64_t held_bytes = 0;
  std::size_t use = 0;
  for (const Index task : order) {
    const auto inputs = graph.inputs(task);
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (held.remove(use + i)) continue;
      missing += graph.bytes(inputs[i]);
      ++loaded.loads;
    }
    loaded.bytes += missing;
    held_bytes += missing;
    while (held_bytes > memory_bytes) {
      const std::size_t farthest = held.largest();
      held.remove(farthest);
      held_bytes -= used.empty() ? uniform : graph.bytes(used[farthest]);
    }
    // What is never used again leaves now: MIN would evict it before anything else.
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (next[use + i] != never) {
        held.add(next[use + i]);
      } else {
        held_bytes -= graph.bytes(inputs[i]);
      }
    }
    use += inputs.size();
  }
  return loaded;
}

}  // namespace damocles
