#include "models/dependencies.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "models/compressed_rows.hpp"

namespace damocles {
namespace {

using TaskIndex = Dependencies::Index;
using Wait = Dependencies::Wait;

/// The tasks before each task.
CompressedRows<std::size_t, TaskIndex> befores_of(std::size_t tasks, std::span<const Wait> waits) {
  return compressed_rows<std::size_t, TaskIndex>(tasks, [&](auto&& add) {
    for (const auto& [task, before] : waits) add(task, before);
  });
}

}  // namespace

Dependencies::Dependencies(std::size_t tasks, std::span<const Wait> waits) {
  if (waits.empty()) return;
  // By the task waited for, then by the one that waits: (before, task).
  std::vector<Wait> edges;
  edges.reserve(waits.size());
  for (const auto& [task, before] : waits) edges.emplace_back(before, task);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  waits_for_.assign(tasks, 0);
  after_begin_.assign(tasks + 1, 0);
  after_.reserve(edges.size());
  for (const auto& [before, task] : edges) {
    ++waits_for_[task];
    ++after_begin_[before + 1];
    after_.push_back(task);
  }
  std::partial_sum(after_begin_.begin(), after_begin_.end(), after_begin_.begin());
}

std::vector<TaskIndex> Dependencies::order(std::size_t tasks) const {
  std::vector<TaskIndex> result;
  result.reserve(tasks);
  std::vector<std::uint32_t> waiting(tasks, 0);
  std::priority_queue<TaskIndex, std::vector<TaskIndex>, std::greater<>> next;
  for (std::size_t t = 0; t < tasks; ++t) {
    waiting[t] = waits_for(static_cast<TaskIndex>(t));
    if (waiting[t] == 0) next.push(static_cast<TaskIndex>(t));
  }
  while (!next.empty()) {
    const TaskIndex task = next.top();
    next.pop();
    result.push_back(task);
    for (const TaskIndex later : after(task)) {
      if (--waiting[later] == 0) next.push(later);
    }
  }
  return result;
}

std::vector<TaskIndex> circle(std::size_t tasks, std::span<const Wait> waits) {
  enum class State : std::uint8_t { unseen, open, closed };
  const auto befores = befores_of(tasks, waits);
  std::vector<State> state(tasks, State::unseen);
  std::vector<std::size_t> next(befores.begin.begin(), befores.begin.end() - 1);
  std::vector<TaskIndex> path;
  for (std::size_t root = 0; root < tasks; ++root) {
    if (state[root] != State::unseen) continue;
    path.push_back(static_cast<TaskIndex>(root));
    state[root] = State::open;
    while (!path.empty()) {
      const TaskIndex task = path.back();
      if (next[task] == befores.begin[task + 1]) {
        state[task] = State::closed;
        path.pop_back();
        continue;
      }
      const TaskIndex other = befores.entries[next[task]++];
      if (state[other] == State::open) {
        path.erase(path.begin(), std::find(path.begin(), path.end(), other));
        return path;
      }
      if (state[other] == State::closed) continue;
      state[other] = State::open;
      path.push_back(other);
    }
  }
  return {};
}

}  // namespace damocles
