#include "experiments/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "models/parallel.hpp"
#include "models/platforms/memory_limits.hpp"

namespace damocles {
namespace {

using Kind = RunEvent::Kind;

bool has_no_memory(const Platform& platform, std::size_t processor) {
  return platform.machine && platform.machine->processors[processor].in_host_memory;
}

std::vector<NodeTraffic> traffic(const ExplainedRun& run) {
  const TaskGraph& graph = run.workload.graph();
  std::vector<NodeTraffic> all(run.platform.processors());
  for (const RunEvent& event : run.events) {
    NodeTraffic& node = all[raw(event.processor)];
    const auto id = static_cast<TaskGraph::Index>(event.id);
    if (event.kind == Kind::load_started) {
      (event.lender ? node.from_peers : node.from_host) += graph.bytes(id);
    } else if (event.kind == Kind::return_ended) {
      node.to_host += graph.bytes(id);
    } else if (event.kind == Kind::task_started) {
      for (const TaskGraph::Index data : graph.needed(id)) node.required += graph.bytes(data);
    }
  }
  std::vector<NodeTraffic> result;
  for (std::size_t p = 0; p < all.size(); ++p) {
    all[p].processor = p;
    if (!has_no_memory(run.platform, p)) result.push_back(all[p]);
  }
  return result;
}

/// Data that went home to make room, and that are next written, or never accessed again though a
/// task had read them: of no use there, unless they are a result.
class Returns {
 public:
  explicit Returns(const ExplainedRun& run) : run_(run), graph_(run.workload.graph()) {}

  IdleReturns unread() {
    for (std::size_t k = 0; k < run_.events.size(); ++k) note_accesses(run_.events[k], k);
    IdleReturns result;
    std::unordered_map<TaskGraph::Index, std::uint64_t> by_item;
    for (std::size_t k = 0; k < run_.events.size(); ++k) {
      const RunEvent& event = run_.events[k];
      if (event.kind != Kind::return_ended || !makes_room(k) || !is_unread(event, k)) continue;
      const auto data = static_cast<TaskGraph::Index>(event.id);
      result.bytes += graph_.bytes(data);
      const std::uint64_t own = by_item[data] += graph_.bytes(data);
      if (own >= by_item[static_cast<TaskGraph::Index>(raw(result.most))])
        result.most = DataId{data};
    }
    return result;
  }

 private:
  struct Use {
    std::size_t event;
    Access access;
  };

  void note_accesses(const RunEvent& event, std::size_t k) {
    if (event.kind != Kind::task_started) return;
    graph_.for_each_access(static_cast<TaskGraph::Index>(event.id),
                           [&](TaskGraph::Index data, Access access) {
                             uses_[data].push_back({k, access});
                           });
  }
  /// Whether the copy is evicted as soon as it has returned.
  [[nodiscard]] bool makes_room(std::size_t k) const {
    const RunEvent& event = run_.events[k];
    for (std::size_t next = k + 1; next < std::min(k + 3, run_.events.size()); ++next) {
      const RunEvent& other = run_.events[next];
      if (other.kind == Kind::evicted && other.processor == event.processor &&
          other.id == event.id) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool is_unread(const RunEvent& event, std::size_t k) const {
    const auto found = uses_.find(static_cast<TaskGraph::Index>(event.id));
    if (found == uses_.end()) return false;
    const auto& uses = found->second;
    const auto next = std::lower_bound(
        uses.begin(), uses.end(), k, [](const Use& use, std::size_t at) { return use.event < at; });
    if (next != uses.begin() && reduces((next - 1)->access)) return false;
    if (next != uses.end()) return !reads(next->access) && !reduces(next->access);
    return next != uses.begin() && !writes((next - 1)->access);
  }

  const ExplainedRun& run_;
  const TaskGraph& graph_;
  std::unordered_map<TaskGraph::Index, std::vector<Use>> uses_;
};

std::uint64_t largest_memory(const Workload& workload, const Platform& platform) {
  if (!platform.machine) return home_bytes;
  const auto bytes = memory_bytes(*platform.machine, workload);
  std::uint64_t largest = 0;
  for (std::size_t p = 0; p < bytes.size(); ++p) {
    if (!has_no_memory(platform, p)) largest = std::max(largest, bytes[p]);
  }
  return largest;
}

}  // namespace

std::optional<LargeGroup> large_group(const LoadExplanation& loads, const Workload& workload,
                                      const Platform& platform) {
  if (loads.reloaded.empty()) return std::nullopt;
  const TaskGraph& graph = workload.graph();
  std::map<std::string, std::uint64_t> reloads;
  std::uint64_t all = 0;
  for (const ReloadedItem& item : loads.reloaded) {
    reloads[name_without_numbers(workload.data_name(item.data))] += item.reloads;
    all += item.reloads;
  }
  const auto most =
      std::max_element(reloads.begin(), reloads.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (5 * most->second < 4 * all) return std::nullopt;
  LargeGroup group{most->first};
  for (TaskGraph::Index data = 0; data < graph.data(); ++data) {
    if (name_without_numbers(workload.data_name(DataId{data})) != group.name) continue;
    ++group.items;
    group.bytes += graph.bytes(data);
  }
  if (group.bytes <= largest_memory(workload, platform)) return std::nullopt;
  return group;
}

namespace {

void explain_data(const ExplainedRun& run, Explanation& result) {
  result.loads = explain_loads(run.events, run.workload, run.platform,
                               static_cast<std::uint64_t>(run.record.lower_bound.value_or(0)));
  if (result.loads.of(LoadTerm::eviction).loads > 0) {
    result.victims = victim_choice(run.events, run.workload, run.platform);
  }
  result.large = large_group(result.loads, run.workload, run.platform);
}

void explain_time(const ExplainedRun& run, Explanation& result) {
  const double makespan_s = run.record.makespan_s.value_or(0);
  const RunSchedule schedule = run_schedule(run.events, run.workload, run.platform, makespan_s);
  result.idle = idle_time(run.events, schedule);
  double idle_s = 0;
  for (const IdleShares& one : result.idle)
    idle_s = std::accumulate(one.begin(), one.end(), idle_s);
  if (makespan_s > 0) {
    result.idle_share = idle_s / makespan_s / static_cast<double>(result.idle.size());
  }
  result.path = critical_path(schedule);
  result.nodes = traffic(run);
  if (run.workload.writes()) result.returns = Returns(run).unread();
}

}  // namespace

Explanation explain(const ExplainedRun& run) {
  Explanation result;
  // Each sets members of its own.
  in_parallel(2, [&](std::uint64_t part) {
    if (part == 0) explain_data(run, result);
    if (part == 1) explain_time(run, result);
  });
  return result;
}

namespace {

/// What moves data or starts a task.
std::vector<RunEvent> decided(const ExplainedRun& run) {
  std::vector<RunEvent> result;
  for (const RunEvent& event : run.events) {
    const bool decides = event.kind == Kind::load_started || event.kind == Kind::evicted ||
                         event.kind == Kind::task_started || event.kind == Kind::return_started;
    if (decides) result.push_back(event);
  }
  return result;
}

bool same_decision(const RunEvent& a, const RunEvent& b) {
  return a.kind == b.kind && a.processor == b.processor && a.id == b.id && a.lender == b.lender;
}

/// The loads started in each tenth of the tasks.
std::array<std::int64_t, 10> by_tenth(const ExplainedRun& run) {
  std::array<std::int64_t, 10> loads{};
  std::uint64_t tasks = 0;
  for (const RunEvent& event : run.events) {
    if (event.kind == Kind::task_started) ++tasks;
    if (event.kind != Kind::load_started) continue;
    ++loads.at(std::min<std::uint64_t>(9, 10 * tasks / run.workload.tasks()));
  }
  return loads;
}

}  // namespace

Difference difference(const ExplainedRun& a, const ExplainedRun& b) {
  Difference result;
  const auto one = decided(a);
  const auto other = decided(b);
  const auto [here, there] =
      std::mismatch(one.begin(), one.end(), other.begin(), other.end(), same_decision);
  if (here != one.end() || there != other.end()) {
    result.first = static_cast<std::size_t>(here - one.begin());
    if (here != one.end()) result.here = *here;
    if (there != other.end()) result.there = *there;
  }
  const auto of_a = by_tenth(a);
  const auto of_b = by_tenth(b);
  for (std::size_t tenth = 0; tenth < of_a.size(); ++tenth) {
    result.loads_by_tenth.at(tenth) = of_a.at(tenth) - of_b.at(tenth);
  }
  return result;
}

}  // namespace damocles
