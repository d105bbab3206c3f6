// Rows of dependencies, orders that follow them, and circles in them.

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

/// The nodes before each node.
CompressedRows<std::size_t, TaskIndex> befores_of(std::size_t tasks, std::span<const Wait> waits) {
  return compressed_rows<std::size_t, TaskIndex>(tasks, [&](auto&& add) {
    for (const auto& [task, before] : waits) add(task, before);
  });
}

}  // namespace

Dependencies::Dependencies(std::size_t tasks, std::span<const Wait> waits, std::size_t joints)
    : first_joint_(tasks) {
  if (waits.empty()) return;
  joints_ = joints;
  const std::size_t nodes = tasks + joints;
  // By the node waited for; then each row in order, each entry once.
  auto rows = compressed_rows<std::uint64_t, TaskIndex>(nodes, [&](auto&& add) {
    for (const auto& [task, before] : waits) add(before, task);
  });
  waits_for_.assign(nodes, 0);
  after_begin_.assign(1, 0);
  after_begin_.reserve(nodes + 1);
  auto kept = rows.entries.begin();
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto first = rows.entries.begin() + static_cast<std::ptrdiff_t>(rows.begin[node]);
    const auto last = rows.entries.begin() + static_cast<std::ptrdiff_t>(rows.begin[node + 1]);
    std::sort(first, last);
    const auto end = std::unique(first, last);
    for (auto task = first; task != end; ++task) ++waits_for_[*task];
    kept = std::move(first, end, kept);
    after_begin_.push_back(static_cast<std::uint64_t>(kept - rows.entries.begin()));
  }
  rows.entries.erase(kept, rows.entries.end());
  after_ = std::move(rows.entries);
}

std::uint64_t Dependencies::size() const {
  std::uint64_t pairs = after_.size();
  for (std::size_t joint = first_joint_; joint < first_joint_ + joints_; ++joint) {
    const auto node = static_cast<TaskIndex>(joint);
    const std::uint64_t after = nodes_after(node).size();
    pairs += waits_for(node) * after - waits_for(node) - after;
  }
  return pairs;
}

bool Dependencies::waits(Index task, Index before) const {
  const auto has = [&](std::span<const Index> nodes) {
    return std::binary_search(nodes.begin(), nodes.end(), task);
  };
  const auto nodes = nodes_after(before);
  return has(nodes) || std::any_of(nodes.rbegin(), nodes.rend(), [&](Index node) {
           return is_joint(node) && has(nodes_after(node));
         });
}

std::vector<TaskIndex> Dependencies::after(Index task) const {
  const auto nodes = nodes_after(task);
  const auto joint =
      std::find_if(nodes.begin(), nodes.end(), [&](Index node) { return is_joint(node); });
  std::vector<Index> tasks(nodes.begin(), joint);
  if (joint == nodes.end()) return tasks;
  for (auto at = joint; at != nodes.end(); ++at) {
    const auto later = nodes_after(*at);
    tasks.insert(tasks.end(), later.begin(), later.end());
  }
  std::sort(tasks.begin(), tasks.end());
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  return tasks;
}

std::vector<TaskIndex> Dependencies::order(std::size_t tasks) const {
  std::vector<Index> result = order_of_nodes(tasks);
  if (joints_ > 0) std::erase_if(result, [&](Index node) { return is_joint(node); });
  return result;
}

/// Whether there are no joints and each task waits for lower ones only, as where tasks wait in the
/// order of submission.
bool Dependencies::follows_numbers() const {
  if (joints_ > 0) return false;
  for (std::size_t node = 0; node + 1 < after_begin_.size(); ++node) {
    const auto later = nodes_after(static_cast<Index>(node));
    if (!later.empty() && later.front() < node) return false;
  }
  return true;
}

std::vector<TaskIndex> Dependencies::order_of_nodes(std::size_t tasks) const {
  if (follows_numbers()) {
    std::vector<Index> numbers(tasks);
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return numbers;
  }
  std::vector<Index> result;
  result.reserve(tasks + joints_);
  std::vector<std::uint32_t> waiting(tasks + joints_, 0);
  std::priority_queue<Index, std::vector<Index>, std::greater<>> next;
  for (Index node = 0; node < waiting.size(); ++node) {
    waiting[node] = waits_for(node);
    if (waiting[node] == 0) next.push(node);
  }
  const auto take = [&](Index taken) {
    const std::size_t first = result.size();
    result.push_back(taken);
    for (std::size_t at = first; at < result.size();
         ++at) {  // the task, then joints it was last of
      for (const Index later : nodes_after(result[at])) {
        if (--waiting[later] > 0) continue;
        if (is_joint(later)) {
          result.push_back(later);
        } else {
          next.push(later);
        }
      }
    }
  };
  while (!next.empty()) {
    const Index task = next.top();
    next.pop();
    take(task);
  }
  return result;
}

std::vector<TaskIndex> circle(std::size_t nodes, std::span<const Wait> waits) {
  enum class State : std::uint8_t { unseen, open, closed };
  const auto befores = befores_of(nodes, waits);
  std::vector<State> state(nodes, State::unseen);
  std::vector<std::size_t> next(befores.begin.begin(), befores.begin.end() - 1);
  std::vector<TaskIndex> path;
  for (std::size_t root = 0; root < nodes; ++root) {
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
