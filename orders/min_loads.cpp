#include "orders/min_loads.hpp"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "models/error.hpp"
#include "orders/use_set.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
constexpr Index never = std::numeric_limits<Index>::max();

/// Number of uses of data along the order, after refusing what cannot run.
std::size_t count_uses(const TaskGraph& graph, std::span<const Index> order,
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

/// The order written out: the graph's rows lie anywhere in memory, and are visited once.
struct Uses {
  std::vector<Index> data;  ///< of each use
  std::vector<Index> end;   ///< of each task's uses
  std::vector<Index> next;  ///< the next use of the same data item, or `never`
};

Uses write_out(const TaskGraph& graph, std::span<const Index> order, std::size_t uses) {
  Uses result;
  result.data.reserve(uses);
  result.end.reserve(order.size());
  for (const Index task : order) {
    for (const Index input : graph.inputs(task)) result.data.push_back(input);
    result.end.push_back(static_cast<Index>(result.data.size()));
  }
  result.next.resize(uses);
  std::vector<Index> upcoming(graph.data(), never);
  for (std::size_t use = uses; use-- > 0;) {
    Index& next = upcoming[result.data[use]];
    result.next[use] = next;
    next = static_cast<Index>(use);
  }
  return result;
}

/// MIN along an order, written out: calls missed(use) for each use that is a load.
template <typename Missed>
void run_min(const TaskGraph& graph, const Uses& all, std::uint64_t memory_bytes, Missed&& missed) {
  const auto& [data, ends, next] = all;
  const auto uniform = graph.uniform_bytes();
  const auto bytes = [&](std::size_t use) {
    return uniform ? *uniform : graph.bytes(all.data[use]);
  };

  UseSet held(data.size());  // next uses of what is resident, but for inputs of the task at hand
  std::uint64_t held_bytes = 0;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    for (std::size_t use = begin; use < end; ++use) {
      if (held.remove(use)) continue;
      held_bytes += bytes(use);
      missed(use);
    }
    while (held_bytes > memory_bytes) {
      const std::size_t farthest = held.largest();
      held.remove(farthest);
      held_bytes -= bytes(farthest);
    }
    // What is never used again leaves now: MIN would evict it before anything else.
    for (std::size_t use = begin; use < end; ++use) {
      if (next[use] != never) {
        held.add(next[use]);
      } else {
        held_bytes -= bytes(use);
      }
    }
    begin = end;
  }
}

}  // namespace

Loaded loaded_under_min(const TaskGraph& graph, std::span<const Index> order,
                        std::uint64_t memory_bytes) {
  const Uses uses = write_out(graph, order, count_uses(graph, order, memory_bytes));
  Loaded loaded;
  run_min(graph, uses, memory_bytes, [&](std::size_t use) {
    ++loaded.loads;
    loaded.bytes += graph.bytes(uses.data[use]);
  });
  return loaded;
}

Stays stays_under_min(const TaskGraph& graph, std::span<const Index> order,
                      std::uint64_t memory_bytes) {
  Uses uses = write_out(graph, order, count_uses(graph, order, memory_bytes));
  std::vector<bool> starts(uses.data.size(), false);
  run_min(graph, uses, memory_bytes, [&](std::size_t use) { starts[use] = true; });
  Stays stays;
  std::vector<Index> current(graph.data());
  for (std::size_t use = 0; use < uses.data.size(); ++use) {
    const Index data = uses.data[use];
    if (starts[use]) {
      current[data] = static_cast<Index>(stays.data.size());
      stays.data.push_back(data);
    }
    uses.data[use] = current[data];
  }
  stays.of_use = std::move(uses.data);
  stays.end_of_task = std::move(uses.end);
  return stays;
}

}  // namespace damocles
