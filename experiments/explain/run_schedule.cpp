#include "experiments/explain/run_schedule.hpp"

#include <algorithm>
#include <utility>

namespace damocles {
namespace {

using Kind = RunEvent::Kind;

class ScheduleReader {
 public:
  ScheduleReader(const Workload& workload, const Platform& platform, double makespan_s) {
    const std::size_t p = platform.processors();
    run_.workload = &workload;
    run_.platform = &platform;
    run_.makespan_s = makespan_s;
    run_.tasks.resize(p);
    run_.loads.resize(p);
    run_.evictions.resize(p);
    run_.loads_of.resize(p);
    run_.ready.resize(workload.tasks());
    run_.span_of.resize(workload.tasks());
    run_.processor_of.resize(workload.tasks());
    open_.loads.resize(p);
    open_.tasks.resize(p);
    open_.returns.resize(p);
  }

  void take(const RunEvent& event) {
    if (event.kind == Kind::granted) return;
    const std::uint32_t p = raw(event.processor);
    const auto task = static_cast<std::uint32_t>(event.id);
    switch (event.kind) {
      case Kind::load_started:
        open_.loads[p][event.id] = {event.time_s, event.time_s, event.id, event.lender.has_value(),
                                    open_.room};
        break;
      case Kind::load_ended: {
        run_.loads[p].push_back(taken(open_.loads[p], event.id));
        run_.loads[p].back().end_s = event.time_s;
        break;
      }
      case Kind::task_started:
        run_.processor_of[task] = p;
        [[fallthrough]];
      case Kind::joined:
        open_.tasks[p][event.id] = {event.time_s, event.time_s, task};
        break;
      case Kind::task_ended:
      case Kind::left: {
        TaskSpan span = taken(open_.tasks[p], event.id);
        span.end_s = event.time_s;
        run_.tasks[p].push_back(span);
        if (event.kind == Kind::task_ended) run_.span_of[task] = span;
        break;
      }
      case Kind::evicted:
        run_.evictions[p].push_back(event.time_s);
        break;
      case Kind::return_started:
        open_.returns[p][event.id] = event.time_s;
        break;
      case Kind::return_ended:
        run_.returns.push_back({taken(open_.returns[p], event.id), event.time_s, p, event.id});
        break;
      default:
        break;
    }
    note_room(event);
  }

  RunSchedule finish() {
    sort();
    set_readiness();
    if (run_.graph().commutes()) set_turns();
    return std::move(run_);
  }

 private:
  /// What has started, which ends now: the map stays small.
  template <typename Started>
  static Started taken(std::unordered_map<std::uint64_t, Started>& started, std::uint64_t id) {
    const auto node = started.extract(id);
    return node ? node.mapped() : Started{};
  }

  /// Room for a load comes from evictions decided just before it; from one whose data item had to
  /// return first, if the return ended just before that.
  void note_room(const RunEvent& event) {
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

  void sort() {
    const auto by_end = [](const auto& a, const auto& b) { return a.end_s < b.end_s; };
    std::stable_sort(run_.returns.begin(), run_.returns.end(), by_end);
    for (std::size_t p = 0; p < run_.tasks.size(); ++p) {
      std::stable_sort(run_.tasks[p].begin(), run_.tasks[p].end(),
                       [](const auto& a, const auto& b) { return a.start_s < b.start_s; });
      std::stable_sort(run_.loads[p].begin(), run_.loads[p].end(), by_end);
      std::sort(run_.evictions[p].begin(), run_.evictions[p].end());
      for (std::size_t k = 0; k < run_.loads[p].size(); ++k) {
        run_.loads_of[p][run_.loads[p][k].data].push_back(static_cast<std::uint32_t>(k));
      }
    }
  }

  void set_readiness() {
    const Dependencies& dependencies = run_.graph().dependencies();
    if (dependencies.empty()) return;
    std::vector<Readiness> joints(dependencies.joints());
    const auto wait = [](Readiness& node, double time_s, std::optional<std::uint32_t> task) {
      if (!node.last_task || time_s > node.time_s) node = {time_s, task};
    };
    const std::size_t count = run_.ready.size();
    for (TaskGraph::Index task = 0; task < count; ++task) {
      for (const TaskGraph::Index node : dependencies.nodes_after(task)) {
        wait(node < count ? run_.ready[node] : joints[node - count], run_.span_of[task].end_s,
             task);
      }
    }
    for (std::size_t joint = 0; joint < joints.size(); ++joint) {
      for (const TaskGraph::Index task :
           dependencies.nodes_after(static_cast<TaskGraph::Index>(count + joint))) {
        wait(run_.ready[task], joints[joint].time_s, joints[joint].last_task);
      }
    }
  }

  /// Tasks that commute on a data item wait for the one that holds it.
  void set_turns() {
    const TaskGraph& graph = run_.graph();
    std::vector<std::uint32_t> by_start(run_.ready.size());
    for (std::uint32_t task = 0; task < by_start.size(); ++task) by_start[task] = task;
    std::stable_sort(by_start.begin(), by_start.end(), [&](std::uint32_t a, std::uint32_t b) {
      return run_.span_of[a].start_s < run_.span_of[b].start_s;
    });
    std::vector<std::optional<std::uint32_t>> holder(graph.data());
    for (const std::uint32_t task : by_start) {
      graph.for_each_access(task, [&](TaskGraph::Index data, Access access) {
        if (!commutes(access)) return;
        if (const auto before = holder[data]) {
          const double end_s = run_.span_of[*before].end_s;
          if (!run_.ready[task].last_task || end_s > run_.ready[task].time_s)
            run_.ready[task] = {end_s, before};
        }
        holder[data] = task;
      });
    }
  }

  struct Open {  // what has started
    std::vector<std::unordered_map<std::uint64_t, LoadSpan>> loads;
    std::vector<std::unordered_map<std::uint64_t, TaskSpan>> tasks;
    std::vector<std::unordered_map<std::uint64_t, double>> returns;
    Room room = Room::free;
    std::optional<RunEvent> before;
  };
  RunSchedule run_;
  Open open_;
};

}  // namespace

RunSchedule run_schedule(const std::vector<RunEvent>& events, const Workload& workload,
                         const Platform& platform, double makespan_s) {
  ScheduleReader reader(workload, platform, makespan_s);
  for (const RunEvent& event : events) reader.take(event);
  return reader.finish();
}

const LoadSpan* RunSchedule::last_load(std::size_t processor, std::uint64_t data,
                                       double time_s) const {
  const auto found = loads_of[processor].find(data);
  if (found == loads_of[processor].end()) return nullptr;
  const auto& all = loads[processor];
  const auto after =
      std::upper_bound(found->second.begin(), found->second.end(), time_s,
                       [&](double time, std::uint32_t load) { return time < all[load].end_s; });
  return after == found->second.begin() ? nullptr : &all[*(after - 1)];
}

}  // namespace damocles
