#include "experiments/traces/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "models/error.hpp"

namespace damocles {
namespace {

using Kind = RunEvent::Kind;

/// Starts and ends of one kind, made one list.
class Activities {
 public:
  explicit Activities(std::vector<Activity>& list) : list_(list) {}

  void start(const RunEvent& event) {
    open_[event.id] = list_.size();
    list_.push_back({event.time_s, event.time_s, event.id});
  }
  void end(const RunEvent& event) {
    const auto at = open_.find(event.id);
    if (at == open_.end()) {
      throw InvalidInput(fmt::format("events: at {} s processor {} ends {}, which did not start",
                                     event.time_s, raw(event.processor), event.id));
    }
    list_[at->second].end_s = event.time_s;
    open_.erase(at);
  }
  void end_all(double time_s) {
    for (const auto& [id, at] : open_) list_[at].end_s = std::max(list_[at].start_s, time_s);
  }

 private:
  std::vector<Activity>& list_;
  std::unordered_map<std::uint64_t, std::size_t> open_;  // id -> place in the list
};

/// Times without a task, by reason, as grants, starts and ends go by.
class Waits {
 public:
  explicit Waits(std::vector<Wait>& list) : list_(list) {}

  void until(double time_s) {
    const WaitReason reason = granted_ > 0 ? WaitReason::data : WaitReason::work;
    if (running_ == 0 && time_s > since_s_) {
      if (!list_.empty() && list_.back().end_s == since_s_ && list_.back().reason == reason) {
        list_.back().end_s = time_s;
      } else {
        list_.push_back({since_s_, time_s, reason});
      }
    }
    since_s_ = std::max(since_s_, time_s);
  }
  void take(Kind kind) {
    if (kind == Kind::granted) ++granted_;
    if (kind == Kind::task_started) ++running_, --granted_;
    if (kind == Kind::joined) ++running_;
    if (kind == Kind::task_ended || kind == Kind::left) --running_;
  }

 private:
  std::vector<Wait>& list_;
  double since_s_ = 0;
  std::int64_t granted_ = 0;  // and not started
  std::int64_t running_ = 0;
};

/// When data came to one processor, each list in order of time.
using Arrivals = std::unordered_map<std::uint64_t, std::vector<double>>;

Arrivals arrivals(const std::vector<RunEvent>& events) {
  Arrivals result;
  for (const RunEvent& event : events) {
    if (event.kind == Kind::load_ended) result[event.id].push_back(event.time_s);
  }
  return result;
}

/// When the last input of a task came, before it started.
double provided_s(const Activity& task, const TaskInputs& inputs, const Arrivals& came) {
  double result = 0;
  for (const std::uint64_t data : inputs(task.id)) {
    const auto found = came.find(data);
    if (found == came.end()) continue;
    const auto after = std::upper_bound(found->second.begin(), found->second.end(), task.start_s);
    if (after != found->second.begin()) result = std::max(result, *(after - 1));
  }
  return result;
}

/// A wait for data ends where a task starts; from when that task had its inputs, it is the start
/// that is waited for.
std::vector<Wait> with_starts(const ProcessorTimeline& line, const TaskInputs& inputs,
                              const Arrivals& came) {
  std::vector<Wait> result;
  auto task = line.tasks.begin();
  for (const Wait& wait : line.waits) {
    while (task != line.tasks.end() && task->start_s < wait.end_s) ++task;
    const bool ends_in_task = task != line.tasks.end() && task->start_s == wait.end_s;
    if (wait.reason != WaitReason::data || !ends_in_task) {
      result.push_back(wait);
      continue;
    }
    const double provided = std::clamp(provided_s(*task, inputs, came), wait.start_s, wait.end_s);
    if (wait.start_s < provided) result.push_back({wait.start_s, provided, WaitReason::data});
    if (provided < wait.end_s) result.push_back({provided, wait.end_s, WaitReason::start});
  }
  return result;
}

ProcessorTimeline of_processor(const std::vector<RunEvent>& events, double makespan_s,
                               const TaskInputs& inputs) {
  ProcessorTimeline result;
  Activities tasks(result.tasks);
  Activities copies(result.copies);
  Waits waits(result.waits);
  std::size_t room_given = 0;  // evictions before this one have their room taken
  for (const RunEvent& event : events) {
    waits.until(std::min(event.time_s, makespan_s));
    waits.take(event.kind);
    if (event.kind == Kind::load_started) copies.start(event);
    if (event.kind == Kind::load_ended) copies.end(event);
    if (event.kind == Kind::task_started || event.kind == Kind::joined) tasks.start(event);
    if (event.kind == Kind::task_ended || event.kind == Kind::left) tasks.end(event);
    if (event.kind == Kind::evicted) {
      result.evictions.push_back({event.time_s, event.id, event.overwritten, {}});
    }
    if (event.kind == Kind::load_started || event.kind == Kind::created) {
      for (; room_given < result.evictions.size(); ++room_given) {
        EvictionTime& eviction = result.evictions[room_given];
        if (!eviction.invalidated) eviction.room_for = event.id;
      }
    }
  }
  waits.until(makespan_s);
  tasks.end_all(makespan_s);
  copies.end_all(makespan_s);
  if (inputs) result.waits = with_starts(result, inputs, arrivals(events));
  return result;
}

/// What a list of activities covers, as disjoint intervals in order.
std::vector<Activity> united(const std::vector<Activity>& activities) {
  std::vector<Activity> result;
  for (const Activity& one : activities) {
    if (!result.empty() && one.start_s <= result.back().end_s) {
      result.back().end_s = std::max(result.back().end_s, one.end_s);
    } else {
      result.push_back(one);
    }
  }
  return result;
}

double length_s(const std::vector<Activity>& disjoint) {
  double total = 0;
  for (const Activity& one : disjoint) total += one.end_s - one.start_s;
  return total;
}

/// Time in both of two lists of disjoint intervals in order.
double common(const std::vector<Activity>& a, const std::vector<Activity>& b) {
  double total = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double start = std::max(a[i].start_s, b[j].start_s);
    const double end = std::min(a[i].end_s, b[j].end_s);
    total += std::max(0.0, end - start);
    a[i].end_s < b[j].end_s ? ++i : ++j;
  }
  return total;
}

}  // namespace

std::vector<ProcessorTimeline> timeline(const std::vector<RunEvent>& events, std::size_t processors,
                                        double makespan_s, const TaskInputs& inputs) {
  std::vector<std::vector<RunEvent>> own(processors);
  for (const RunEvent& event : events) {
    if (raw(event.processor) >= processors) {
      throw InvalidInput(fmt::format("events: at {} s processor {}, but there are {}", event.time_s,
                                     raw(event.processor), processors));
    }
    own[raw(event.processor)].push_back(event);
  }
  std::vector<ProcessorTimeline> result;
  for (auto& list : own) {
    std::stable_sort(list.begin(), list.end(),
                     [](const RunEvent& a, const RunEvent& b) { return a.time_s < b.time_s; });
    result.push_back(of_processor(list, makespan_s, inputs));
    list = {};
  }
  return result;
}

std::vector<std::size_t> lanes(const std::vector<Activity>& activities) {
  std::vector<std::size_t> result;
  std::vector<double> busy_until;
  for (const Activity& one : activities) {
    const auto free = std::find_if(busy_until.begin(), busy_until.end(),
                                   [&](double end_s) { return end_s <= one.start_s; });
    result.push_back(static_cast<std::size_t>(free - busy_until.begin()));
    if (free == busy_until.end()) busy_until.push_back(one.end_s);
    busy_until[result.back()] = one.end_s;
  }
  return result;
}

RunSummary summarise_run(const std::vector<ProcessorTimeline>& processors) {
  RunSummary result;
  double copying = 0;
  double hidden = 0;
  for (const ProcessorTimeline& one : processors) {
    TimeShare& share = result.processors.emplace_back();
    const auto tasks = united(one.tasks);
    const auto copies = united(one.copies);
    share.compute_s = length_s(tasks);
    share.copy_s = length_s(copies);
    for (const Wait& wait : one.waits) {
      double& part = wait.reason == WaitReason::data    ? share.waiting_for_data_s
                     : wait.reason == WaitReason::start ? share.starting_s
                                                        : share.no_work_s;
      part += wait.end_s - wait.start_s;
    }
    copying += share.copy_s;
    hidden += common(tasks, copies);
  }
  if (copying > 0) result.overlap = hidden / copying;
  return result;
}

}  // namespace damocles
