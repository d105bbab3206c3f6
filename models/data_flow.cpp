#include "models/data_flow.hpp"

#include <algorithm>
#include <utility>

#include "models/host_memory.hpp"

namespace damocles {
namespace {

using FlowTask = DataFlow::Index;

/// Calls visit(task, data, writers) for each data item that a task reads after others wrote it;
/// tasks come in an order in which they may run.
template <typename Visit>
void for_each_read_of_written(const TaskGraph& graph, std::span<const FlowTask> order,
                              Visit&& visit) {
  struct Last {
    Access how = Access::read;
    std::vector<FlowTask> group;    // who accessed it last: one task, or several in any order
    std::vector<FlowTask> writers;  // the last before them who wrote it
  };
  std::vector<Last> last(graph.data());
  for (const FlowTask task : order) {
    graph.for_each_access(task, [&](FlowTask data, Access access) {
      Last& of = last[data];
      if (of.how != access || !in_any_order(access)) {
        if (writes(of.how)) std::swap(of.writers, of.group);
        of.group.clear();
        of.how = access;
      }
      if (reads(access) && !of.writers.empty()) visit(task, data, std::as_const(of.writers));
      of.group.push_back(task);
    });
  }
}

}  // namespace

DataFlow::DataFlow(const TaskGraph& graph) {
  if (!graph.writes()) return;
  const auto order = graph.dependencies().order(graph.tasks());
  double count = 0;
  for_each_read_of_written(graph, order, [&](Index, Index, const auto& writers) {
    count += static_cast<double>(writers.size());
  });
  const MemoryPromise memory(2 * sizeof(Passed) * count, MemoryPromise::Others::wait_for);
  std::vector<std::vector<Passed>> rows(graph.tasks());
  for_each_read_of_written(graph, order, [&](Index task, Index data, const auto& writers) {
    for (const Index from : writers) rows[task].push_back({from, graph.bytes(data)});
  });
  begin_.push_back(0);
  for (auto& row : rows) {
    std::sort(row.begin(), row.end(),
              [](const Passed& a, const Passed& b) { return a.from < b.from; });
    for (const Passed& one : row) {
      if (passed_.size() > begin_.back() && passed_.back().from == one.from) {
        passed_.back().bytes += one.bytes;
      } else {
        passed_.push_back(one);
      }
    }
    begin_.push_back(passed_.size());
    row = {};
  }
}

std::uint64_t DataFlow::bytes(Index from, Index to) const {
  const auto row = into(to);
  const auto at = std::lower_bound(row.begin(), row.end(), from,
                                   [](const Passed& one, Index id) { return one.from < id; });
  return at != row.end() && at->from == from ? at->bytes : 0;
}

}  // namespace damocles
