#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "damocles_version.hpp"
#include "experiments/traces/timeline.hpp"
#include "experiments/traces/trace_files.hpp"

namespace damocles {
namespace {

/// The events of Pajé used here: number, name, and fields with their types.
constexpr const char* definitions =
    R"(%EventDef PajeDefineContainerType 0
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineEventType 2
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineVariableType 3
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineEntityValue 4
%       Alias string
%       Type string
%       Name string
%       Color color
%EndEventDef
%EventDef PajeCreateContainer 5
%       Time date
%       Alias string
%       Type string
%       Container string
%       Name string
%EndEventDef
%EventDef PajeDestroyContainer 6
%       Time date
%       Name string
%       Type string
%EndEventDef
%EventDef PajeSetState 7
%       Time date
%       Type string
%       Container string
%       Value string
%EndEventDef
%EventDef PajeSetState 8
%       Time date
%       Type string
%       Container string
%       Value string
%       Object string
%EndEventDef
%EventDef PajeNewEvent 9
%       Time date
%       Type string
%       Container string
%       Value string
%EndEventDef
%EventDef PajeSetVariable 10
%       Time date
%       Type string
%       Container string
%       Value double
%EndEventDef
)";

/// What there is: types of containers, states, events and variables, and their values.
constexpr const char* types =
    R"(0 Run 0 "Run"
0 Processor Run "Processor"
0 Engine Processor "Engine"
1 State Engine "State"
2 Eviction Engine "Eviction"
2 Invalidation Engine "Invalidation"
3 Resident Processor "Bytes resident"
4 computing State "computing" "0.00 0.45 0.70"
4 copying State "copying" "0.90 0.62 0.00"
4 waiting State "waiting for data" "0.84 0.37 0.00"
4 starting State "starting" "0.95 0.90 0.25"
4 no-work State "no work" "0.80 0.80 0.80"
4 idle State "idle" "1.00 1.00 1.00"
)";

/// Of the kinds of tasks in the order of their names, as in Gantt charts.
constexpr std::array paje_colours{"0.00 0.45 0.70", "0.00 0.62 0.45", "0.34 0.71 0.91",
                                  "0.20 0.13 0.53", "0.60 0.60 0.20", "0.67 0.27 0.60"};

/// In quotes; a quote or an end of line within would end it.
std::string quoted_name(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return fmt::format("\"{}\"", text);
}

std::string kind_alias(std::size_t kind) { return fmt::format("kind{}", kind); }

/// The kinds of tasks as states of an engine. Runs of one file are of one workload.
std::string kinds_as_states(const TracedRun& run) {
  std::string text;
  const auto kinds = kinds_of(run);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const auto place = std::count_if(kinds.begin(), kinds.end(),
                                     [&](const auto& other) { return other < kinds[kind]; });
    const auto colour = static_cast<std::size_t>(place) % paje_colours.size();
    text += fmt::format("4 {} State {} \"{}\"\n", kind_alias(kind), quoted_name(kinds[kind]),
                        paje_colours.at(colour));
  }
  return text;
}

/// Lines with a time, written in order of it; those of one time as they were added.
class TimedLines {
 public:
  void create(const std::string& alias, const char* type, const std::string& parent,
              const std::string& name) {
    add(0, 5, fmt::format("{} {} {} {}", alias, type, parent, quoted_name(name)));
    created_.push_back(fmt::format("{} {}", alias, type));
  }
  void set_state(double time_s, const std::string& container, const std::string& value) {
    add(time_s, 7, fmt::format("State {} {}", container, value));
  }
  void set_state(double time_s, const std::string& container, const std::string& value,
                 const std::string& object) {
    add(time_s, 8, fmt::format("State {} {} {}", container, value, quoted_name(object)));
  }
  /// @param type  Eviction or Invalidation
  void leave(double time_s, const char* type, const std::string& container,
             const std::string& data) {
    add(time_s, 9, fmt::format("{} {} {}", type, container, quoted_name(data)));
  }
  void set_resident(double time_s, const std::string& container, std::uint64_t bytes) {
    add(time_s, 10, fmt::format("Resident {} {}", container, bytes));
  }

  /// Everything, containers destroyed last, children first.
  [[nodiscard]] std::string text() {
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const Line& a, const Line& b) { return a.time_s < b.time_s; });
    const double end_s = lines_.empty() ? 0 : lines_.back().time_s;
    std::for_each(created_.rbegin(), created_.rend(),
                  [&](const auto& created) { add(end_s, 6, created); });
    std::string result;
    for (const auto& [time_s, number, rest] : lines_) {
      fmt::format_to(std::back_inserter(result), "{} {:.12f} {}\n", number, time_s, rest);
    }
    return result;
  }

 private:
  struct Line {
    double time_s;
    int number;
    std::string rest;
  };
  void add(double time_s, int number, std::string rest) {
    lines_.push_back({time_s, number, std::move(rest)});
  }

  std::vector<Line> lines_;
  std::vector<std::string> created_;  // alias and type, parents first
};

/// The state of an engine from `start_s` on, and what it works on.
struct Phase {
  double start_s;
  double end_s;
  std::string state;
  std::string object;
};

/// Sets the state at the start of each phase, and `idle` where none follows at once.
void write_phases(TimedLines& lines, const std::string& engine, std::vector<Phase> phases) {
  std::stable_sort(phases.begin(), phases.end(),
                   [](const Phase& a, const Phase& b) { return a.start_s < b.start_s; });
  if (phases.empty() || phases.front().start_s > 0) lines.set_state(0, engine, "idle");
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const Phase& phase = phases[i];
    if (phase.object.empty()) {
      lines.set_state(phase.start_s, engine, phase.state);
    } else {
      lines.set_state(phase.start_s, engine, phase.state, phase.object);
    }
    const bool followed = i + 1 < phases.size() && phases[i + 1].start_s <= phase.end_s;
    if (!followed) lines.set_state(phase.end_s, engine, "idle");
  }
}

void add_compute_engine(TimedLines& lines, const TracedRun& run, const ProcessorTimeline& line,
                        const std::string& processor) {
  const std::string engine = processor + "-compute";
  lines.create(engine, "Engine", processor, "compute");
  std::vector<Phase> phases;
  const bool has_kinds = !kinds_of(run).empty();
  for (const Activity& task : line.tasks) {
    phases.push_back({task.start_s, task.end_s,
                      has_kinds ? kind_alias(kind_of(run, task.id)) : "computing",
                      run.task_name(TaskId{task.id})});
  }
  for (const Wait& wait : line.waits) {
    const char* const state = wait.reason == WaitReason::data    ? "waiting"
                              : wait.reason == WaitReason::start ? "starting"
                                                                 : "no-work";
    phases.push_back({wait.start_s, wait.end_s, state, ""});
  }
  write_phases(lines, engine, std::move(phases));
}

void add_copy_engines(TimedLines& lines, const TracedRun& run, const ProcessorTimeline& line,
                      const std::string& processor) {
  std::vector<std::vector<Phase>> engines(1);
  const auto lane = lanes(line.copies);
  for (std::size_t i = 0; i < line.copies.size(); ++i) {
    const Activity& load = line.copies[i];
    if (lane[i] == engines.size()) engines.emplace_back();
    engines[lane[i]].push_back(
        {load.start_s, load.end_s, "copying", run.data_name(DataId{load.id})});
  }
  for (std::size_t i = 0; i < engines.size(); ++i) {
    const std::string engine = fmt::format("{}-copy{}", processor, i);
    lines.create(engine, "Engine", processor, i == 0 ? "copy" : fmt::format("copy {}", i + 1));
    write_phases(lines, engine, std::move(engines[i]));
  }
  for (const EvictionTime& eviction : line.evictions) {
    lines.leave(eviction.time_s, eviction.invalidated ? "Invalidation" : "Eviction",
                processor + "-copy0", run.data_name(DataId{eviction.data}));
  }
}

/// What the run was, in the name of its container.
std::string title(const TracedRun& run) {
  const Record& record = run.record;
  return fmt::format("{}: {} on {}, {}, seed {}, {:.6g} s (damocles {})", run.name, record.strategy,
                     record.workload, record.platform, record.seed.value_or(0), run.makespan_s,
                     version);
}

}  // namespace

std::string paje_trace(const std::vector<TracedRun>& runs) {
  TimedLines lines;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const TracedRun& run = runs[r];
    const std::string root = fmt::format("run{}", r);
    lines.create(root, "Run", "0", title(run));
    const auto processors = timeline(run.events, run.processors.size(), run.makespan_s, run.inputs);
    for (std::size_t p = 0; p < processors.size(); ++p) {
      const std::string processor = fmt::format("{}-{}", root, p);
      lines.create(processor, "Processor", root, run.processors[p]);
      add_compute_engine(lines, run, processors[p], processor);
      add_copy_engines(lines, run, processors[p], processor);
      if (!run.data_bytes) continue;
      lines.set_resident(0, processor, 0);
      for (const auto& [time_s, bytes] : residency(run, p)) {
        lines.set_resident(time_s, processor, bytes);
      }
    }
  }
  return fmt::format("{}{}{}{}", definitions, types,
                     runs.empty() ? "" : kinds_as_states(runs.front()), lines.text());
}

namespace {

const Register paje_formats{
    TraceFormat{.name = ".trace", .place = 2, .title = "Pajé, ViTE", .text = paje_trace},
    TraceFormat{.name = ".paje", .place = 3, .title = "Pajé, ViTE", .text = paje_trace}};

}  // namespace

}  // namespace damocles
