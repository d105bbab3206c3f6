#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "damocles_version.hpp"
#include "experiments/results/stated_digest.hpp"
#include "experiments/traces/timeline.hpp"
#include "experiments/traces/trace_files.hpp"

namespace damocles {
namespace {

using Json = nlohmann::ordered_json;

double microseconds(double seconds) { return seconds * 1e6; }

/// A name from a file may be no UTF-8; the trace must be.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The events of one file, each on a line of its own.
class EventLines {
 public:
  void add(const Json& event) {
    if (!text_.empty()) text_ += ",\n";
    text_ += text_of(event);
  }
  void name(const char* what, std::size_t pid, std::size_t tid, const std::string& name) {
    Json event{{"ph", "M"}, {"pid", pid}, {"name", what}, {"args", {{"name", name}}}};
    if (tid > 0) event["tid"] = tid;
    add(event);
  }
  /// Puts processes, or threads of one, in the order of their numbers.
  void order(const char* what, std::size_t pid, std::size_t tid) {
    Json event{{"ph", "M"}, {"pid", pid}, {"name", what}};
    if (tid > 0) event["tid"] = tid;
    event["args"] = {{"sort_index", tid > 0 ? tid : pid}};
    add(event);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// One processor: a process, and its threads.
class ChromeProcess {
 public:
  ChromeProcess(EventLines& lines, std::size_t pid, std::size_t& last_tid)
      : lines_(lines), pid_(pid), last_tid_(last_tid) {}

  /// A thread with a number no other process has: some viewers tell threads apart by it alone.
  std::size_t thread(const std::string& name) {
    ++last_tid_;
    lines_.name("thread_name", pid_, last_tid_, name);
    lines_.order("thread_sort_index", pid_, last_tid_);
    return last_tid_;
  }
  void interval(std::size_t tid, const char* category, const std::string& name, double start_s,
                double end_s, Json args = {}, const char* colour = nullptr) {
    Json event{{"ph", "X"}, {"pid", pid_}, {"tid", tid}, {"cat", category}, {"name", name}};
    event["ts"] = microseconds(start_s);
    event["dur"] = microseconds(end_s - start_s);
    if (colour != nullptr) event["cname"] = colour;
    if (!args.is_null()) event["args"] = std::move(args);
    lines_.add(event);
  }
  void instant(std::size_t tid, const char* category, const std::string& name, double time_s,
               Json args) {
    lines_.add({{"ph", "i"},
                {"s", "t"},
                {"pid", pid_},
                {"tid", tid},
                {"cat", category},
                {"name", name},
                {"ts", microseconds(time_s)},
                {"args", std::move(args)}});
  }
  void counter(double time_s, std::uint64_t bytes) {
    lines_.add({{"ph", "C"},
                {"pid", pid_},
                {"name", "resident"},
                {"ts", microseconds(time_s)},
                {"args", {{"bytes", bytes}}}});
  }

 private:
  EventLines& lines_;
  std::size_t pid_;
  std::size_t& last_tid_;
};

const char* reason(WaitReason of) {
  switch (of) {
    case WaitReason::data:
      return "waiting for data";
    case WaitReason::start:
      return "starting";
    case WaitReason::work:
      return "no work";
  }
  return "";
}

/// Of the kinds of tasks in turn, from the palette of chrome://tracing, far apart. Perfetto chooses
/// for itself: one for all names that differ only in numbers, as GEMM(2,1,0) and GEMM(3,2,0).
constexpr std::array kind_colours{"thread_state_running", "rail_response", "thread_state_iowait",
                                  "rail_animation",       "olive",         "rail_idle"};

void add_tasks(ChromeProcess& process, std::size_t compute, const TracedRun& run,
               const std::vector<Activity>& tasks) {
  const auto kinds = kinds_of(run);
  for (const Activity& task : tasks) {
    Json args{{"task", task.id}};
    const char* colour = nullptr;
    if (!kinds.empty()) {
      const std::size_t kind = kind_of(run, task.id);
      args["kind"] = kinds[kind];
      colour = kind_colours.at(kind % kind_colours.size());
    }
    process.interval(compute, "task", run.task_name(TaskId{task.id}), task.start_s, task.end_s,
                     std::move(args), colour);
  }
}

void add_processor(ChromeProcess process, const TracedRun& run, const ProcessorTimeline& line,
                   std::size_t processor) {
  const std::size_t compute = process.thread("compute");
  std::vector<std::size_t> copy{process.thread("copy")};
  const auto lane = lanes(line.copies);
  for (const std::size_t at : lane) {
    if (at == copy.size()) copy.push_back(process.thread("copy"));
  }
  const std::size_t wait = process.thread("wait");
  add_tasks(process, compute, run, line.tasks);
  for (std::size_t i = 0; i < line.copies.size(); ++i) {
    const Activity& load = line.copies[i];
    process.interval(copy[lane[i]], "copy", run.data_name(DataId{load.id}), load.start_s,
                     load.end_s, {{"data", load.id}});
  }
  for (const EvictionTime& eviction : line.evictions) {
    std::string name = run.data_name(DataId{eviction.data});
    name.insert(0, eviction.invalidated ? "invalidates " : "evicts ");
    Json args{{"data", eviction.data}};
    if (eviction.room_for) args["room_for"] = run.data_name(DataId{*eviction.room_for});
    process.instant(copy[0], eviction.invalidated ? "invalidation" : "eviction", name,
                    eviction.time_s, std::move(args));
  }
  for (const Wait& one : line.waits) {
    process.interval(wait, "wait", reason(one.reason), one.start_s, one.end_s);
  }
  if (!run.data_bytes) return;
  for (const auto& [time_s, bytes] : residency(run, processor)) process.counter(time_s, bytes);
}

Json or_null(const auto& value) { return value ? Json(*value) : Json(); }

/// What the run was, and where its time went.
Json description(const TracedRun& run, std::size_t first_pid, const RunSummary& summary) {
  const Record& record = run.record;
  Json json{{"name", run.name},
            {"source", record.source},
            {"strategy", record.strategy},
            {"eviction", record.eviction},
            {"workload", record.workload},
            {"platform", record.platform},
            {"seed", or_null(record.seed)},
            {"replicate", or_null(record.replicate)},
            {"status", status_text(record.status)},
            {"makespan_s", run.makespan_s},
            {"first_pid", first_pid},
            {"processors", run.processors.size()},
            {"processor_names", run.processors},
            {"loads", or_null(record.loads)},
            {"bytes_loaded", or_null(record.bytes_loaded)},
            {"gflops", or_null(record.gflops)},
            {"scheduling_s", or_null(record.scheduling_s)},
            {"overlap", or_null(summary.overlap)}};
  for (const auto& [key, part] :
       {std::pair{"compute_s", &TimeShare::compute_s}, std::pair{"copy_s", &TimeShare::copy_s},
        std::pair{"waiting_for_data_s", &TimeShare::waiting_for_data_s},
        std::pair{"starting_s", &TimeShare::starting_s},
        std::pair{"no_work_s", &TimeShare::no_work_s}}) {
    Json& list = json[key] = Json::array();
    for (const TimeShare& share : summary.processors) list.push_back(share.*part);
  }
  return json;
}

}  // namespace

std::string chrome_trace(const std::vector<TracedRun>& runs) {
  EventLines lines;
  Json descriptions = Json::array();
  std::size_t pid = 1;  // 0 is the idle process to some viewers
  std::size_t tid = 0;
  for (const TracedRun& run : runs) {
    const auto processors = timeline(run.events, run.processors.size(), run.makespan_s, run.inputs);
    descriptions.push_back(description(run, pid, summarise_run(processors)));
    for (std::size_t p = 0; p < processors.size(); ++p, ++pid) {
      std::string name = run.processors[p];
      if (runs.size() > 1) name.insert(0, run.name + ", ");
      lines.name("process_name", pid, 0, name);
      lines.order("process_sort_index", pid, 0);
      add_processor(ChromeProcess(lines, pid, tid), run, processors[p], p);
    }
  }
  const Json head{
      {"displayTimeUnit", "ms"},
      {"otherData",
       {{"program", "damocles"}, {"version", version}, {"runs", std::move(descriptions)}}}};
  // Each event is JSON only until it is text: all of them as JSON would take several times the
  // memory.
  std::string text = text_of(head);
  text.back() = ',';
  text += "\"traceEvents\":[\n";
  text += lines.text();
  text += "\n]}";
  return with_digest(std::move(text));
}

namespace {

const Register chrome_format{
    TraceFormat{.name = ".json", .place = 1, .title = "Chrome, Perfetto", .text = chrome_trace}};

}  // namespace

}  // namespace damocles
