#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "models/task_graph.hpp"
#include "orders/packing.hpp"

namespace damocles::oracle {

using Index = TaskGraph::Index;

/// Hierarchical Fair Packing as its docstring says it: sets and lists of tasks, every pair of
/// packages compared.
class Packing {
 public:
  Packing(const TaskGraph& graph, std::uint64_t memory_bytes, const PackingOptions& options)
      : graph_(graph), memory_bytes_(memory_bytes), options_(options) {
    std::vector<std::pair<std::vector<Index>, Index>> rows;
    for (Index task = 0; task < graph.tasks(); ++task) {
      rows.emplace_back(inputs_of({task}), task);
    }
    if (options.sorted) std::sort(rows.begin(), rows.end());
    for (const auto& row : rows) packages_.push_back({row.second});
  }

  std::vector<std::vector<Index>> pack(std::size_t count) {
    const bool literal = options_.partner == PackingOptions::Partner::literal;
    for (const bool bounded : {true, false}) {
      std::set<std::size_t> resting;
      while (left() > count) {
        const auto turn = smallest(resting);
        if (turn.empty()) break;
        bool merged = false;
        for (const std::size_t i : turn) {
          if (packages_[i].empty() || left() <= count) continue;
          const auto j = literal ? literal_partner(i, bounded) : fair_partner(i, bounded);
          if (!j) {
            if (!literal) resting.insert(i);
            continue;
          }
          append(i, *j);
          resting.erase(*j);
          merged = true;
        }
        if (!merged && literal) break;
      }
    }
    std::erase_if(packages_, [](const auto& package) { return package.empty(); });
    return packages_;
  }

 private:
  using Tasks = std::vector<Index>;

  [[nodiscard]] std::size_t left() const {
    return static_cast<std::size_t>(std::count_if(packages_.begin(), packages_.end(),
                                                  [](const auto& p) { return !p.empty(); }));
  }

  /// The packages with the fewest tasks of those that do not rest.
  [[nodiscard]] std::vector<std::size_t> smallest(const std::set<std::size_t>& resting) const {
    std::vector<std::size_t> found;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 0; i < packages_.size(); ++i) {
      if (packages_[i].empty() || resting.contains(i)) continue;
      if (packages_[i].size() < fewest) found.clear();
      fewest = std::min(fewest, packages_[i].size());
      if (packages_[i].size() == fewest) found.push_back(i);
    }
    return found;
  }

  [[nodiscard]] Tasks inputs_of(const Tasks& tasks) const {
    Tasks inputs;
    for (const Index task : tasks) {
      inputs.insert(inputs.end(), graph_.inputs(task).begin(), graph_.inputs(task).end());
    }
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    return inputs;
  }

  [[nodiscard]] std::uint64_t weight(const Tasks& data) const {
    std::uint64_t sum = 0;
    for (const Index d : data) sum += graph_.bytes(d);
    return sum;
  }

  [[nodiscard]] std::uint64_t shared(const Tasks& a, const Tasks& b) const {
    Tasks common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    return weight(common);
  }

  [[nodiscard]] bool fit(std::size_t i, std::size_t j) const {
    Tasks both = packages_[i];
    both.insert(both.end(), packages_[j].begin(), packages_[j].end());
    return weight(inputs_of(both)) <= memory_bytes_;
  }

  [[nodiscard]] std::optional<std::size_t> literal_partner(std::size_t i, bool bounded) const {
    std::optional<std::size_t> best;
    std::uint64_t most = 0;
    const Tasks mine = inputs_of(packages_[i]);
    for (std::size_t j = 0; j < packages_.size(); ++j) {
      if (j == i || packages_[j].empty()) continue;
      const auto bytes = shared(mine, inputs_of(packages_[j]));
      if (best && bytes <= most) continue;
      best = j;
      most = bytes;
    }
    if (bounded && best && !fit(i, *best)) return {};
    return best;
  }

  [[nodiscard]] std::optional<std::size_t> fair_partner(std::size_t i, bool bounded) const {
    std::optional<std::size_t> best;
    std::uint64_t most = 0;
    const Tasks mine = inputs_of(packages_[i]);
    for (std::size_t j = 0; j < packages_.size(); ++j) {
      if (j == i || packages_[j].empty()) continue;
      const auto bytes = shared(mine, inputs_of(packages_[j]));
      if (bounded && (bytes == 0 || !fit(i, j))) continue;
      if (!best || bytes > most ||
          (bytes == most && packages_[j].size() < packages_[*best].size())) {
        best = j;
        most = bytes;
      }
    }
    return best;
  }

  /// Inputs of the longest prefix of `tasks` that memory holds.
  [[nodiscard]] Tasks start(const Tasks& tasks) const {
    std::size_t length = 0;
    const auto prefix = [&](std::size_t n) {
      return inputs_of({tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(n)});
    };
    while (length < tasks.size() && weight(prefix(length + 1)) <= memory_bytes_) ++length;
    return prefix(length);
  }

  static Tasks reversed(const Tasks& tasks) { return {tasks.rbegin(), tasks.rend()}; }

  void append(std::size_t i, std::size_t j) {
    Tasks front = packages_[i];
    Tasks back = packages_[j];
    if (options_.flip) {
      const Tasks fronts[] = {front, reversed(front)};
      const Tasks backs[] = {back, reversed(back)};
      const Tasks front_ends[] = {start(fronts[1]), start(fronts[0])};  // met by the back
      const Tasks back_starts[] = {start(backs[0]), start(backs[1])};
      std::optional<std::uint64_t> most;
      // In this order, the first of equals: (end, start), (end, end), (start, start), (start, end).
      for (const bool flip_front : {false, true}) {
        for (const bool flip_back : {false, true}) {
          const auto bytes = shared(front_ends[flip_front], back_starts[flip_back]);
          if (most && bytes <= *most) continue;
          most = bytes;
          front = fronts[flip_front];
          back = backs[flip_back];
        }
      }
    }
    front.insert(front.end(), back.begin(), back.end());
    packages_[i] = front;
    packages_[j].clear();
  }

  const TaskGraph& graph_;
  std::uint64_t memory_bytes_;
  PackingOptions options_;
  std::vector<Tasks> packages_;
};

/// Loads of one processor that runs `order` and evicts what is used farthest in the future, all
/// data of one byte and `memory` of them held.
inline std::size_t min_loads(const TaskGraph& graph, std::span<const Index> order,
                             std::size_t memory) {
  std::vector<std::vector<std::size_t>> uses(graph.data());  // latest first
  for (std::size_t k = order.size(); k-- > 0;) {
    for (const Index data : graph.inputs(order[k])) uses[data].push_back(k);
  }
  std::set<std::pair<std::size_t, Index>> held;  // by next use
  std::size_t loads = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::size_t missing = 0;
    for (const Index data : graph.inputs(order[k])) missing += 1 - held.erase({k, data});
    loads += missing;
    while (held.size() + graph.inputs(order[k]).size() > memory) held.erase(std::prev(held.end()));
    for (const Index data : graph.inputs(order[k])) {
      uses[data].pop_back();
      held.insert({uses[data].empty() ? order.size() : uses[data].back(), data});
    }
  }
  return loads;
}

}  // namespace damocles::oracle
