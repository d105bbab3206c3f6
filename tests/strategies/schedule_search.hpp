#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "models/rng.hpp"
#include "models/task_graph.hpp"

namespace damocles::testing_oracle {

using Index = TaskGraph::Index;
using Mask = std::uint32_t;

constexpr std::uint64_t impossible = std::numeric_limits<std::uint64_t>::max();

inline Mask inputs_of(const TaskGraph& graph, Index task) {
  Mask mask = 0;
  for (const Index data : graph.inputs(task)) mask |= Mask{1} << data;
  return mask;
}

inline std::uint64_t bytes_of(const TaskGraph& graph, Mask held) {
  std::uint64_t bytes = 0;
  for (; held != 0; held &= held - 1) bytes += graph.bytes(Index(std::countr_zero(held)));
  return bytes;
}

/// The fewest loads with which a fixed order can be run, over all choices of evictions: before
/// each task any subset of what is held may stay. For graphs of at most 12 data items or so.
inline std::uint64_t fewest_loads(const TaskGraph& graph, std::span<const Index> order,
                                  std::uint64_t memory_bytes) {
  std::map<Mask, std::uint64_t> reached{{0, 0}};  // what is held -> fewest loads so far
  for (const Index task : order) {
    const Mask inputs = inputs_of(graph, task);
    std::map<Mask, std::uint64_t> next;
    for (const auto& [held, loads] : reached) {
      const Mask others = held & ~inputs;
      const auto missing = static_cast<std::uint64_t>(std::popcount(inputs & ~held));
      for (Mask kept = others;; kept = (kept - 1) & others) {
        if (bytes_of(graph, kept | inputs) <= memory_bytes) {
          const auto [at, is_new] = next.try_emplace(kept | inputs, loads + missing);
          if (!is_new) at->second = std::min(at->second, loads + missing);
        }
        if (kept == 0) break;
      }
    }
    reached = std::move(next);
  }
  std::uint64_t best = impossible;
  for (const auto& [held, loads] : reached) best = std::min(best, loads);
  return best;
}

/// The most flops that 0, 1, 2, ... loads allow over all orders and all evictions, until all tasks
/// are done, for data of one size and a memory of `capacity` data: breadth first over (tasks done,
/// data held), a move being the load of one data item in place of any other, after which all tasks
/// whose inputs are held are done (waiting never helps). Loads one by one relax COLOC21's steps and
/// reach the same optimum: data loaded for no task are skipped, each load put off to its task.
inline std::vector<double> most_flops_by_loads(const TaskGraph& graph, unsigned capacity) {
  const auto all = (std::uint64_t{1} << graph.tasks()) - 1;
  std::vector<Mask> inputs;
  for (Index t = 0; t < graph.tasks(); ++t) inputs.push_back(inputs_of(graph, t));
  const auto after = [&](std::uint64_t done, Mask held) {
    for (std::size_t t = 0; t < inputs.size(); ++t) {
      if ((inputs[t] & ~held) == 0) done |= std::uint64_t{1} << t;
    }
    return done;
  };
  std::vector<double> flops_of{0};  // by tasks done
  for (std::uint64_t done = 1; done <= all; ++done) {
    flops_of.push_back(flops_of[done & (done - 1)] + graph.flops(Index(std::countr_zero(done))));
  }
  struct State {
    std::uint64_t done;
    Mask held;
  };
  std::vector<bool> seen(std::size_t{1} << (graph.tasks() + graph.data()), false);
  std::vector<State> frontier;
  const auto visit = [&](std::uint64_t done, Mask held) {
    done = after(done, held);
    const std::uint64_t key = done << graph.data() | held;
    if (seen[key]) return;
    seen[key] = true;
    frontier.push_back({done, held});
  };
  visit(0, 0);
  std::vector<double> most;
  while (!frontier.empty()) {
    const std::vector<State> reached = std::exchange(frontier, {});
    most.push_back(most.empty() ? 0 : most.back());
    for (const auto [done, held] : reached) {
      most.back() = std::max(most.back(), flops_of[done]);
      if (done == all) return most;
      for (Index d = 0; d < graph.data(); ++d) {
        const Mask bit = Mask{1} << d;
        if ((held & bit) != 0) continue;
        if (static_cast<unsigned>(std::popcount(held)) < capacity) {
          visit(done, held | bit);
          continue;  // to evict while there is room never helps
        }
        for (Mask left = held; left != 0; left &= left - 1)
          visit(done, (held & ~(left & -left)) | bit);
      }
    }
  }
  return {};
}

/// The fewest loads over all orders and all evictions.
inline std::uint64_t fewest_loads_of_any_order(const TaskGraph& graph, unsigned capacity) {
  const std::size_t levels = most_flops_by_loads(graph, capacity).size();
  return levels == 0 ? impossible : levels - 1;
}

/// Every task of an m x n grid, row by row: task (i, j) reads row i and column j (data m + j).
inline TaskGraph grid(Index m, Index n, std::uint64_t bytes = 1) {
  TaskGraph::Parts parts;
  parts.bytes.assign(std::size_t{m} + n, bytes);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) parts.add_task(std::vector<Index>{i, m + j}, 1);
  }
  return TaskGraph(std::move(parts));
}

/// `tasks` tasks that read 1 to `widest` of `data` data each, of 1 to `largest` bytes.
inline TaskGraph random_graph(Rng& rng, Index tasks, Index data, Index widest,
                              std::uint64_t largest = 1) {
  TaskGraph::Parts parts;
  for (Index d = 0; d < data; ++d) parts.bytes.push_back(1 + rng.below(largest));
  for (Index t = 0; t < tasks; ++t) {
    std::vector<Index> reads(1 + rng.below(widest));
    for (Index& d : reads) d = static_cast<Index>(rng.below(data));
    parts.add_task(reads, 1);
  }
  return TaskGraph(std::move(parts));
}

}  // namespace damocles::testing_oracle
