#include "experiments/report/run_picture.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "experiments/results/formats.hpp"
#include "models/platforms/memory_limits.hpp"

namespace damocles {
namespace {

using Json = nlohmann::ordered_json;

constexpr double ticks = 1e8;  ///< of a makespan
constexpr std::size_t most_activities = 200'000;
constexpr std::size_t slices = 2000;
constexpr std::size_t most_instants = 500;
constexpr std::size_t most_samples = 100'000;  ///< of one quantity, of all processors
constexpr std::size_t most_links = 10'000;     ///< of the critical path

/// Names in the order in which they are first met.
class NameList {
 public:
  explicit NameList(const std::function<std::string(std::uint64_t)>& name) : name_(name) {}

  std::size_t place(std::uint64_t id) {
    const auto [at, is_new] = places_.try_emplace(id, ids_.size());
    if (is_new) ids_.push_back(id);
    return at->second;
  }
  [[nodiscard]] Json names() const {
    Json all = Json::array();
    for (const std::uint64_t id : ids_) all.push_back(name_(id));
    return all;
  }
  [[nodiscard]] const std::vector<std::uint64_t>& ids() const { return ids_; }

 private:
  const std::function<std::string(std::uint64_t)>& name_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::vector<std::uint64_t> ids_;
};

/// Writes times as whole ticks since the one before.
class Ticks {
 public:
  explicit Ticks(double makespan_s) : per_s_(makespan_s > 0 ? ticks / makespan_s : 0) {}

  [[nodiscard]] std::int64_t at(double time_s) const { return std::llround(time_s * per_s_); }
  std::int64_t since_last(double time_s) {
    const std::int64_t now = at(time_s);
    return now - std::exchange(last_, now);
  }

 private:
  double per_s_;
  std::int64_t last_ = 0;
};

/// start, duration, name: of each task.
Json json_of_tasks(const RunPicture& run, const ProcessorTimeline& line, NameList& names) {
  Ticks time(run.makespan_s);
  Json all = Json::array();
  for (const Activity& task : line.tasks) {
    all.push_back(time.since_last(task.start_s));
    all.push_back(time.at(task.end_s) - time.at(task.start_s));
    all.push_back(names.place(task.id));
  }
  return all;
}

/// start, duration, name, lane: of each copy.
Json json_of_copies(const RunPicture& run, const ProcessorTimeline& line, NameList& names) {
  Ticks time(run.makespan_s);
  const std::vector<std::size_t> lane = lanes(line.copies);
  Json all = Json::array();
  for (std::size_t i = 0; i < line.copies.size(); ++i) {
    const Activity& copy = line.copies[i];
    all.push_back(time.since_last(copy.start_s));
    all.push_back(time.at(copy.end_s) - time.at(copy.start_s));
    all.push_back(names.place(copy.id));
    all.push_back(lane[i]);
  }
  return all;
}

/// time, name, name of the item that got the room (-1: none, -2: invalidated): of each eviction.
Json json_of_evictions(const RunPicture& run, const ProcessorTimeline& line, NameList& names) {
  Ticks time(run.makespan_s);
  Json all = Json::array();
  for (const EvictionTime& eviction : line.evictions) {
    all.push_back(time.since_last(eviction.time_s));
    all.push_back(names.place(eviction.data));
    if (eviction.room_for) {
      all.push_back(names.place(*eviction.room_for));
    } else {
      all.push_back(eviction.invalidated ? -2 : -1);
    }
  }
  return all;
}

/// start, duration, reason: of each wait.
Json json_of_waits(const RunPicture& run, const ProcessorTimeline& line) {
  Ticks time(run.makespan_s);
  Json all = Json::array();
  for (const Wait& wait : line.waits) {
    all.push_back(time.since_last(wait.start_s));
    all.push_back(time.at(wait.end_s) - time.at(wait.start_s));
    all.push_back(static_cast<int>(wait.reason));
  }
  return all;
}

/// The links to draw, in order of time: all, or of a long path the longest that starts in each
/// ten-thousandth of the makespan. That keeps each link that is as long as such a slice.
std::vector<PathLink> drawn_links(const RunPicture& run) {
  if (run.path.size() <= most_links) return run.path;
  const double slice_s = run.makespan_s / static_cast<double>(most_links);
  std::vector<PathLink> kept;
  double last = -1;
  for (const PathLink& link : run.path) {
    const double slice = std::min(std::floor(link.start_s / slice_s), most_links - 1.0);
    if (slice > last) {
      kept.push_back(link);
      last = slice;
    } else if (link.end_s - link.start_s > kept.back().end_s - kept.back().start_s) {
      kept.back() = link;
    }
  }
  return kept;
}

/// start, duration, processor, kind, name: of each link of the critical path; null where there is
/// none.
Json picture_of_path(const RunPicture& run, NameList& tasks, NameList& data) {
  if (run.path.empty()) return nullptr;
  Ticks time(run.makespan_s);
  Json all = Json::array();
  for (const PathLink& link : drawn_links(run)) {
    const bool task =
        link.kind == PathLink::Kind::task || link.kind == PathLink::Kind::task_on_core;
    all.push_back(time.since_last(link.start_s));
    all.push_back(time.at(link.end_s) - time.at(link.start_s));
    all.push_back(link.processor);
    all.push_back(static_cast<int>(link.kind));
    all.push_back((task ? tasks : data).place(link.id));
  }
  return {{"links", run.path.size()}, {"drawn", std::move(all)}};
}

/// Share of each slice of the run, in thousandths, that activities fill; at most 1000, as they may
/// overlap.
template <typename Intervals>
Json json_of_shares(const Intervals& intervals, double makespan_s) {
  std::vector<double> filled(slices, 0);
  if (makespan_s <= 0) return filled;
  const double slice = makespan_s / static_cast<double>(slices);
  for (const auto& one : intervals) {
    const auto last = static_cast<std::size_t>(std::clamp(one.end_s / slice, 0.0, slices - 1.0));
    for (auto i = static_cast<std::size_t>(std::clamp(one.start_s / slice, 0.0, slices - 1.0));
         i <= last; ++i) {
      const double begin = static_cast<double>(i) * slice;
      filled[i] += std::max(0.0, std::min(one.end_s, begin + slice) - std::max(one.start_s, begin));
    }
  }
  Json all = Json::array();
  for (const double time_s : filled) {
    all.push_back(std::lround(1000 * std::min(1.0, time_s / slice)));
  }
  return all;
}

std::size_t instants_of(const RunPicture& run) {
  const std::size_t each = most_samples / std::max<std::size_t>(run.processors.size(), 1);
  return std::clamp<std::size_t>(each, 20, most_instants);
}

/// The greatest of each interval between two instants; `values` in order of time.
Json json_of_peaks(const std::vector<Residency>& values, const RunPicture& run) {
  const std::size_t instants = instants_of(run);
  std::vector<std::uint64_t> peaks(instants, 0);
  std::uint64_t now = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < instants; ++i) {
    const double end = run.makespan_s * static_cast<double>(i + 1) / static_cast<double>(instants);
    peaks[i] = now;
    for (; next < values.size() && (values[next].time_s <= end || i + 1 == instants); ++next) {
      now = values[next].bytes;
      peaks[i] = std::max(peaks[i], now);
    }
  }
  return peaks;
}

Json json_of_loads_so_far(const ProcessorTimeline& line, const RunPicture& run) {
  std::vector<Residency> loads;
  for (const Activity& copy : line.copies) loads.push_back({copy.end_s, 0});
  std::sort(loads.begin(), loads.end(),
            [](const Residency& a, const Residency& b) { return a.time_s < b.time_s; });
  for (std::size_t i = 0; i < loads.size(); ++i) loads[i].bytes = i + 1;
  return json_of_peaks(loads, run);
}

std::size_t activities_of(const RunPicture& run) {
  std::size_t count = 0;
  for (const PictureRow& row : run.processors) {
    count += row.line.tasks.size() + row.line.copies.size() + row.line.evictions.size();
  }
  return count;
}

Json json_of_row(const RunPicture& run, const PictureRow& row, bool whole, NameList& tasks,
                 NameList& data) {
  const ProcessorTimeline& line = row.line;
  Json json{{"name", row.name},
            {"tasks_run", line.tasks.size()},
            {"copies_made", line.copies.size()},
            {"evictions_made", line.evictions.size()},
            {"memory_bytes", row.memory_bytes > 0 ? Json(row.memory_bytes) : Json()}};
  if (whole) {
    json["tasks"] = json_of_tasks(run, line, tasks);
    json["copies"] = json_of_copies(run, line, data);
    json["evictions"] = json_of_evictions(run, line, data);
    json["waits"] = json_of_waits(run, line);
  } else {
    json["computing"] = json_of_shares(line.tasks, run.makespan_s);
    json["copying"] = json_of_shares(line.copies, run.makespan_s);
  }
  json["loads"] = json_of_loads_so_far(line, run);
  if (!row.resident.empty()) json["resident"] = json_of_peaks(row.resident, run);
  if (!row.in_use.empty()) json["in_use"] = json_of_peaks(row.in_use, run);
  return json;
}

/// Bytes that the running task reads, after each change.
std::vector<Residency> bytes_read(const TracedRun& run, const ProcessorTimeline& line) {
  std::vector<Residency> result;
  if (!run.data_bytes || !run.inputs) return result;
  for (const Activity& task : line.tasks) {
    std::uint64_t bytes = 0;
    for (const std::uint64_t input : run.inputs(task.id)) bytes += run.data_bytes(DataId{input});
    result.push_back({task.start_s, bytes});
    result.push_back({task.end_s, 0});
  }
  return result;
}

}  // namespace

RunPicture picture_of(const TracedRun& run) {
  RunPicture picture;
  picture.record = run.record;
  picture.makespan_s = run.makespan_s;
  auto lines = timeline(run.events, run.processors.size(), run.makespan_s, run.inputs);
  for (std::size_t p = 0; p < lines.size(); ++p) {
    PictureRow row{run.processors[p], std::move(lines[p])};
    if (run.data_bytes) row.resident = residency(run, p);
    row.in_use = bytes_read(run, row.line);
    picture.processors.push_back(std::move(row));
  }
  picture.kinds = kinds_of(run);
  picture.kind_of = [run](std::uint64_t task) { return damocles::kind_of(run, task); };
  picture.task_name = [run](std::uint64_t task) { return run.task_name(TaskId{task}); };
  picture.data_name = [run](std::uint64_t data) { return run.data_name(DataId{data}); };
  return picture;
}

ShownRun shown_run(const RunPicture& run) {
  const Record& record = run.record;
  return {record.strategy, record.workload, record.platform,
          run.measured,    run.makespan_s,  record.loads};
}

std::string picture_json(const RunPicture& run, Json explanation) {
  const Record& record = run.record;
  NameList tasks(run.task_name);
  NameList data(run.data_name);
  const bool whole = activities_of(run) <= most_activities;
  Json rows = Json::array();
  for (const PictureRow& row : run.processors) {
    rows.push_back(json_of_row(run, row, whole, tasks, data));
  }
  Json path = picture_of_path(run, tasks, data);
  Json json{{"source", record.source},
            {"strategy", record.strategy},
            {"workload", record.workload},
            {"platform", record.platform},
            {"seed", record.seed ? Json(*record.seed) : Json()},
            {"replicate", record.replicate ? Json(*record.replicate) : Json()},
            {"makespan_s", run.makespan_s},
            {"times", run.measured ? "measured" : "simulated"},
            {"makespan_lower_bound_s", json_number(record.makespan_lower_bound_s)},
            {"loads", json_number(record.loads)},
            {"lower_bound", json_number(record.lower_bound)},
            {"tick_s", run.makespan_s / ticks},
            {"whole", whole},
            {"kinds", run.kinds}};
  if (!run.kinds.empty()) {
    json["task_kinds"] = Json::array();
    for (const std::uint64_t task : tasks.ids()) json["task_kinds"].push_back(run.kind_of(task));
  }
  json["task_names"] = tasks.names();
  json["data_names"] = data.names();
  json["processors"] = std::move(rows);
  json["path"] = std::move(path);
  json["explanation"] = std::move(explanation);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace damocles
