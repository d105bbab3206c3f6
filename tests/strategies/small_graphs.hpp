#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/rng.hpp"
#include "models/task_graph.hpp"

namespace damocles::oracle {

/// Bytes that two tasks share: the weight w_T of the task graph of COLOC21, section 2.
inline std::uint64_t shared_bytes(const TaskGraph& graph, TaskGraph::Index a, TaskGraph::Index b) {
  std::uint64_t bytes = 0;
  for (const auto input : graph.inputs(a)) {
    const auto others = graph.inputs(b);
    if (std::find(others.begin(), others.end(), input) != others.end()) bytes += graph.bytes(input);
  }
  return bytes;
}

/// n x n tasks in row order: task t reads row t / n and column t % n, of one byte each.
inline TaskGraph product(TaskGraph::Index n) {
  TaskGraph::Parts parts;
  parts.bytes.assign(std::size_t{2} * n, 1);
  for (TaskGraph::Index t = 0; t < n * n; ++t) {
    parts.add_task(std::array<TaskGraph::Index, 2>{t / n, n + t % n}, 1);
  }
  return TaskGraph(std::move(parts));
}

/// Tasks of 0 to `widest` inputs among `data` of 1 to `largest` bytes; whole numbers of flops, 0 to
/// 4, whose sums are exact.
inline TaskGraph random_graph(Rng& rng, std::size_t tasks, std::size_t data, std::uint64_t widest,
                              std::uint64_t largest) {
  TaskGraph::Parts parts;
  for (std::size_t d = 0; d < data; ++d) parts.bytes.push_back(1 + rng.below(largest));
  for (std::size_t t = 0; t < tasks; ++t) {
    std::vector<TaskGraph::Index> inputs(rng.below(widest + 1));
    for (auto& input : inputs) input = static_cast<TaskGraph::Index>(rng.below(data));
    parts.add_task(inputs, static_cast<double>(rng.below(5)));
  }
  return TaskGraph(std::move(parts));
}

/// Loads of one processor that runs tasks in this order and keeps the `capacity` data used last.
inline std::uint64_t loads_under_lru(const TaskGraph& graph,
                                     const std::vector<TaskGraph::Index>& order,
                                     std::size_t capacity) {
  std::vector<TaskGraph::Index> used;  // least recently first
  std::uint64_t loads = 0;
  for (const auto task : order) {
    for (const auto input : graph.inputs(task)) {
      const auto found = std::find(used.begin(), used.end(), input);
      if (found != used.end()) {
        used.erase(found);
      } else {
        ++loads;
        if (used.size() == capacity) used.erase(used.begin());
      }
      used.push_back(input);
    }
  }
  return loads;
}

}  // namespace damocles::oracle
