// Runs of a trace in the Trace Event Format, as --trace x.json writes it.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/report/report.hpp"
#include "experiments/report/run_picture.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

using Json = nlohmann::ordered_json;
using NamesById = std::map<std::uint64_t, std::string>;

constexpr double microsecond_s = 1e-6;

/// The runs that a trace says it holds, and their processes.
class TraceRuns {
 public:
  TraceRuns(std::string file, const Json& trace) : file_(std::move(file)) {
    if (!trace.contains("otherData") || !trace["otherData"].contains("runs")) {
      refuse(R"(has no "otherData" with "runs")");
    }
    for (const Json& run : trace["otherData"]["runs"]) add_run(run);
    for (const Json& event : trace["traceEvents"]) add_event(event);
  }

  [[nodiscard]] std::vector<RunPicture> take() {
    for (RunPicture& run : runs_) sort(run);
    return std::move(runs_);
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    throw InvalidInput(
        fmt::format("trace '{}' {}; give one that Damocles wrote (--trace x.json)", file_, why));
  }

  void add_run(const Json& json) {
    RunPicture run;
    run.record.source = json.value("source", "");
    run.record.strategy = json.value("strategy", "");
    run.record.workload = json.value("workload", "");
    run.record.platform = json.value("platform", "");
    run.record.seed = json.value("seed", std::uint64_t{0});
    run.record.replicate = json.value("replicate", std::uint64_t{0});
    if (json.contains("loads") && json["loads"].is_number()) run.record.loads = json["loads"];
    run.makespan_s = json.at("makespan_s").get<double>();
    run.measured = run.record.source == "executed";
    const auto tasks = std::make_shared<NamesById>();
    const auto data = std::make_shared<NamesById>();
    const auto kinds = std::make_shared<std::map<std::uint64_t, std::size_t>>();
    run.task_name = [tasks](std::uint64_t task) { return (*tasks)[task]; };
    run.data_name = [data](std::uint64_t item) { return (*data)[item]; };
    run.kind_of = [kinds](std::uint64_t task) { return (*kinds)[task]; };
    const auto first = json.at("first_pid").get<std::uint64_t>();
    for (const Json& name : json.at("processor_names")) {
      places_[first + run.processors.size()] = {runs_.size(), run.processors.size()};
      run.processors.push_back({name.get<std::string>(), {}});
    }
    runs_.push_back(std::move(run));
    names_.push_back({tasks, data, kinds, {}});
  }

  void add_event(const Json& event) {
    const auto place = places_.find(event.value("pid", std::uint64_t{0}));
    if (place == places_.end()) refuse("has an event of a processor that no run has");
    const auto [r, p] = place->second;
    PictureRow& row = runs_[r].processors[p];
    const std::string category = event.value("cat", "");
    const double start_s = event.value("ts", 0.0) * microsecond_s;
    const double end_s = start_s + event.value("dur", 0.0) * microsecond_s;
    if (category == "task") {
      const auto id = event.at("args").at("task").get<std::uint64_t>();
      row.line.tasks.push_back({start_s, end_s, id});
      (*names_[r].tasks)[id] = event.at("name").get<std::string>();
      if (event["args"].contains("kind")) note_kind(r, id, event["args"]["kind"]);
    } else if (category == "copy") {
      const auto id = event.at("args").at("data").get<std::uint64_t>();
      row.line.copies.push_back({start_s, end_s, id});
      const auto name = event.at("name").get<std::string>();
      names_[r].data_by_name[name] = id;
      (*names_[r].data)[id] = name;
    } else if (category == "eviction" || category == "invalidation") {
      add_eviction(
          r, row, event,
          {start_s, event.at("args").at("data").get<std::uint64_t>(), category == "invalidation"});
    } else if (category == "wait") {
      row.line.waits.push_back({start_s, end_s, reason_of(event.value("name", ""))});
    } else if (event.value("ph", "") == "C" && event.value("name", "") == "resident") {
      row.resident.push_back({start_s, event.at("args").at("bytes").get<std::uint64_t>()});
    }
  }

  void add_eviction(std::size_t run, PictureRow& row, const Json& event, EvictionTime eviction) {
    if (event["args"].contains("room_for") && event["args"]["room_for"].is_string()) {
      const auto& known = names_[run].data_by_name;
      const auto item = known.find(event["args"]["room_for"].get<std::string>());
      if (item != known.end()) eviction.room_for = item->second;
    }
    row.line.evictions.push_back(eviction);
  }

  void note_kind(std::size_t run, std::uint64_t task, const std::string& kind) {
    auto& kinds = runs_[run].kinds;
    auto at = std::find(kinds.begin(), kinds.end(), kind);
    if (at == kinds.end()) at = kinds.insert(kinds.end(), kind);
    (*names_[run].kinds)[task] = static_cast<std::size_t>(at - kinds.begin());
  }

  static WaitReason reason_of(std::string_view words) {
    if (words == "waiting for data") return WaitReason::data;
    return words == "starting" ? WaitReason::start : WaitReason::work;
  }

  /// Each list in order of time, as timelines have them.
  static void sort(RunPicture& run) {
    const auto by_start = [](const auto& a, const auto& b) { return a.start_s < b.start_s; };
    const auto by_time = [](const auto& a, const auto& b) { return a.time_s < b.time_s; };
    for (PictureRow& row : run.processors) {
      std::stable_sort(row.line.tasks.begin(), row.line.tasks.end(), by_start);
      std::stable_sort(row.line.copies.begin(), row.line.copies.end(), by_start);
      std::stable_sort(row.line.waits.begin(), row.line.waits.end(), by_start);
      std::stable_sort(row.line.evictions.begin(), row.line.evictions.end(), by_time);
      std::stable_sort(row.resident.begin(), row.resident.end(), by_time);
    }
  }

  struct RunNames {
    std::shared_ptr<NamesById> tasks;
    std::shared_ptr<NamesById> data;
    std::shared_ptr<std::map<std::uint64_t, std::size_t>> kinds;
    std::map<std::string, std::uint64_t> data_by_name{};
  };
  std::string file_;
  std::vector<RunPicture> runs_{};
  std::vector<RunNames> names_{};
  std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> places_{};  ///< run, processor
};

}  // namespace

void add_traced_runs(ReportContents& contents, const std::string& file, const std::string& text) {
  try {
    TraceRuns runs(file, Json::parse(text));
    for (const RunPicture& run : runs.take()) {
      contents.runs.push_back({picture_json(run, nullptr), {}, shown_run(run)});
    }
  } catch (const Json::exception&) {
    throw InvalidInput(fmt::format(
        "trace '{}' has an event that Damocles does not write; give one that it wrote (--trace x.json)",
        file));
  }
}

}  // namespace damocles
