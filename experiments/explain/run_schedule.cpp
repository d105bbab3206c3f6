#include "experiments/explain/run_schedule.hpp"

#include <algorithm>

namespace damocles {
namespace {

using Kind = RunEvent::Kind;

}  // namespace

RunSchedule::RunSchedule(const std::vector<RunEvent>& events, const Workload& of,
                         const Platform& on, double makespan)
    : workload(of),
      platform(on),
      makespan_s(makespan),
      tasks(on.processors()),
      loads(on.processors()),
      evictions(on.processors()),
      ready(of.tasks()),
      span_of(of.tasks()),
      processor_of(of.tasks()),
      loads_of_(on.processors()) {
  open_.loads.resize(on.processors());
  open_.tasks.resize(on.processors());
  open_.returns.resize(on.processors());
  for (const RunEvent& event : events) take(event);
  open_ = {};
  sort();
  set_readiness();
  if (of.graph().commutes()) set_turns();
}

void RunSchedule::take(const RunEvent& event) {
  if (event.kind == Kind::granted) return;
  const std::uint32_t p = raw(event.processor);
  const auto task = static_cast<std::uint32_t>(event.id);
  switch (event.kind) {
    case Kind::load_started:
      open_.loads[p][event.id] = {event.time_s, event.time_s, event.id, event.lender.has_value(),
                                  open_.room};
      break;
    case Kind::load_ended: {
      LoadSpan load = open_.loads[p][event.id];
      load.end_s = event.time_s;
      loads[p].push_back(load);
      break;
    }
    case Kind::task_started:
      processor_of[task] = p;
      [[fallthrough]];
    case Kind::joined:
      open_.tasks[p][event.id] = {event.time_s, event.time_s, task};
      break;
    case Kind::task_ended:
    case Kind::left: {
      TaskSpan span = open_.tasks[p][event.id];
      span.end_s = event.time_s;
      tasks[p].push_back(span);
      if (event.kind == Kind::task_ended) span_of[task] = span;
      break;
    }
    case Kind::evicted:
      evictions[p].push_back(event.time_s);
      break;
    case Kind::return_started:
      open_.returns[p][event.id] = event.time_s;
      break;
    case Kind::return_ended:
      returns.push_back({open_.returns[p][event.id], event.time_s, p, event.id});
      break;
    default:
      break;
  }
  // Room for a load comes from evictions decided just before it; from one whose data item had to
  // return first, if the return ended just before that.
  if (event.kind == Kind::evicted && !event.overwritten) {
    const auto& before = open_.before;
    const bool returned = before && before->kind == Kind::return_ended &&
                          before->processor == event.processor && before->id == event.id;
    open_.room = returned ? Room::returned : Room::evicted;
  } else if (event.kind != Kind::load_started) {
    open_.room = Room::free;
  }
  open_.before = event;
}

void RunSchedule::sort() {
  const auto by_end = [](const auto& a, const auto& b) { return a.end_s < b.end_s; };
  std::stable_sort(returns.begin(), returns.end(), by_end);
  for (std::size_t p = 0; p < tasks.size(); ++p) {
    std::stable_sort(tasks[p].begin(), tasks[p].end(),
                     [](const auto& a, const auto& b) { return a.start_s < b.start_s; });
    std::stable_sort(loads[p].begin(), loads[p].end(), by_end);
    std::sort(evictions[p].begin(), evictions[p].end());
    for (std::size_t k = 0; k < loads[p].size(); ++k) {
      loads_of_[p][loads[p][k].data].push_back(static_cast<std::uint32_t>(k));
    }
  }
}

const LoadSpan* RunSchedule::last_load(std::size_t processor, std::uint64_t data,
                                       double time_s) const {
  const auto found = loads_of_[processor].find(data);
  if (found == loads_of_[processor].end()) return nullptr;
  const auto& all = loads[processor];
  const auto after =
      std::upper_bound(found->second.begin(), found->second.end(), time_s,
                       [&](double time, std::uint32_t load) { return time < all[load].end_s; });
  return after == found->second.begin() ? nullptr : &all[*(after - 1)];
}

void RunSchedule::set_readiness() {
  const Dependencies& dependencies = workload.graph().dependencies();
  if (dependencies.empty()) return;
  std::vector<Readiness> joints(dependencies.joints());
  const auto wait = [](Readiness& node, double time_s, std::optional<std::uint32_t> task) {
    if (!node.last_task || time_s > node.time_s) node = {time_s, task};
  };
  const std::size_t count = ready.size();
  for (TaskGraph::Index task = 0; task < count; ++task) {
    for (const TaskGraph::Index node : dependencies.nodes_after(task)) {
      wait(node < count ? ready[node] : joints[node - count], span_of[task].end_s, task);
    }
  }
  for (std::size_t joint = 0; joint < joints.size(); ++joint) {
    for (const TaskGraph::Index task :
         dependencies.nodes_after(static_cast<TaskGraph::Index>(count + joint))) {
      wait(ready[task], joints[joint].time_s, joints[joint].last_task);
    }
  }
}

/// Tasks that commute on a data item wait for the one that holds it.
void RunSchedule::set_turns() {
  const TaskGraph& graph = workload.graph();
  std::vector<std::uint32_t> by_start(ready.size());
  for (std::uint32_t task = 0; task < by_start.size(); ++task) by_start[task] = task;
  std::stable_sort(by_start.begin(), by_start.end(), [&](std::uint32_t a, std::uint32_t b) {
    return span_of[a].start_s < span_of[b].start_s;
  });
  std::vector<std::optional<std::uint32_t>> holder(graph.data());
  for (const std::uint32_t task : by_start) {
    graph.for_each_access(task, [&](TaskGraph::Index data, Access access) {
      if (!commutes(access)) return;
      if (const auto before = holder[data]) {
        const double end_s = span_of[*before].end_s;
        if (!ready[task].last_task || end_s > ready[task].time_s) ready[task] = {end_s, before};
      }
      holder[data] = task;
    });
  }
}

}  // namespace damocles
