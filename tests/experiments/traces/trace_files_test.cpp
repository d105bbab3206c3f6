#include "experiments/traces/trace_files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "sim/simulate.hpp"
#include "tests/error_text.hpp"
#include "tests/experiments/traces/paje_reader.hpp"

namespace damocles::trace_files_test {
namespace {

using nlohmann::json;

struct Case {
  const char* workload;
  const char* platform;
  const char* strategy;
};

void PrintTo(const Case& setting, std::ostream* out) {
  *out << setting.strategy << ", " << setting.workload << " on " << setting.platform;
}

struct Traced {
  Workload workload;
  Platform platform;
  Trace trace;
  TracedRun traced;
};

Traced run_of(const Case& asked) {
  const auto workload = Workload::parse(asked.workload);
  const auto platform = Scenario::parse(asked.platform).draw(5, 0);
  std::vector<RunEvent> events;
  const Trace trace = simulate(workload, platform, StrategyChoice::parse(asked.strategy, workload),
                               5, 0, {}, [&](const RunEvent& event) { events.push_back(event); });
  Record record;
  record.source = "simulated";
  record.strategy = asked.strategy;
  record.workload = asked.workload;
  record.platform = asked.platform;
  record.seed = 5;
  record.makespan_s = trace.makespan_s;
  record.processors = platform.processors();
  return {workload, platform, trace, traced_run(workload, platform, record, events)};
}

/// What times summed from a file may be off by [s]: its rounding, once for each task.
double rounding(const Traced& run, double unit_s) {
  return static_cast<double>(run.workload.tasks()) * unit_s + 1e-12 * run.trace.makespan_s;
}

class TraceFiles : public testing::TestWithParam<Case> {};

TEST_P(TraceFiles, ChromeSaysWhatTheTraceCounted) {
  const Traced run = run_of(GetParam());
  const std::size_t p = run.platform.processors();

  const json file = json::parse(chrome_trace({run.traced}));

  std::vector<std::uint64_t> tasks(p);
  std::vector<std::uint64_t> loads(p);
  std::vector<std::uint64_t> evictions(p);
  std::vector<std::uint64_t> invalidations(p);
  std::vector<double> busy(p);
  std::vector<double> resident(p);
  std::vector<double> names(p);
  for (const json& event : file.at("traceEvents")) {
    const std::size_t at = event.at("pid").get<std::size_t>() - 1;
    const std::string category = event.value("cat", "");
    tasks.at(at) += category == "task";
    loads[at] += category == "copy";
    evictions[at] += category == "eviction";
    invalidations[at] += category == "invalidation";
    if (category == "task") busy[at] += event.at("dur").get<double>() * 1e-6;
    if (event.at("ph") == "C") resident[at] = event["args"]["bytes"];
    if (event.at("name") != "process_name") continue;
    EXPECT_EQ(event["args"]["name"], run.platform.name(at));
    ++names[at];
  }
  EXPECT_EQ(tasks, run.trace.tasks);
  EXPECT_EQ(loads, run.trace.loads);
  EXPECT_EQ(names, std::vector<double>(p, 1));
  for (std::size_t at = 0; at < p; ++at) {
    EXPECT_NEAR(busy[at], run.trace.busy_s[at], rounding(run, 0));
    EXPECT_EQ(evictions[at], run.platform.machine ? run.trace.evictions[at] : 0);
    EXPECT_EQ(invalidations[at], run.platform.machine ? run.trace.invalidations[at] : 0);
    if (!run.platform.machine) continue;
    EXPECT_LE(resident[at], memory_bytes(*run.platform.machine, run.workload)[at]);
    EXPECT_GT(resident[at], 0);
  }
  const json& header = file.at("otherData").at("runs").at(0);
  EXPECT_EQ(header.at("strategy"), GetParam().strategy);
  EXPECT_EQ(header.at("workload"), GetParam().workload);
  EXPECT_EQ(header.at("makespan_s"), run.trace.makespan_s);
  EXPECT_EQ(header.at("overlap").is_null(), !run.platform.machine);
}

TEST_P(TraceFiles, ChromeThreadsNeverDoTwoThingsAtOnce) {
  const json file = json::parse(chrome_trace({run_of(GetParam()).traced}));

  std::map<std::size_t, std::vector<std::pair<double, double>>> threads;
  for (const json& event : file.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    const double start = event.at("ts");
    const double duration = event.at("dur");
    EXPECT_GE(duration, 0);
    threads[event.at("tid")].emplace_back(start, start + duration);
  }
  for (auto& [tid, spans] : threads) {
    std::sort(spans.begin(), spans.end());
    for (std::size_t i = 1; i < spans.size(); ++i) {
      // Two roundings to microseconds.
      EXPECT_LE(spans[i - 1].second, spans[i].first * (1 + 1e-14)) << tid;
    }
  }
}

TEST_P(TraceFiles, PajeIsSoundAndSaysTheSame) {
  const Traced run = run_of(GetParam());

  const PajeReader file(paje_trace({run.traced}));

  for (std::size_t p = 0; p < run.platform.processors(); ++p) {
    const std::string processor = fmt::format("run0-{}", p);
    const auto& compute = file.containers().at(processor + "-compute");
    EXPECT_EQ(compute.objects.size(), run.trace.tasks[p]);
    auto seconds = compute.seconds;
    double computing_s = seconds["computing"];
    for (std::size_t kind = 0; kind < kinds_of(run.traced).size(); ++kind) {
      computing_s += seconds[fmt::format("kind{}", kind)];
    }
    EXPECT_NEAR(computing_s, run.trace.busy_s[p], rounding(run, 1e-12));
    EXPECT_NEAR(computing_s + seconds["waiting"] + seconds["no-work"], run.trace.makespan_s,
                rounding(run, 1e-12));
    std::uint64_t loads = 0;
    std::uint64_t evictions = 0;
    std::uint64_t invalidations = 0;
    for (const auto& [alias, container] : file.containers()) {
      if (!alias.starts_with(processor + "-copy")) continue;
      loads += container.objects.size();
      for (const std::string& type : container.event_types) {
        ++(type == "Invalidation" ? invalidations : evictions);
      }
    }
    EXPECT_EQ(loads, run.trace.loads[p]);
    EXPECT_EQ(evictions, run.platform.machine ? run.trace.evictions[p] : 0);
    EXPECT_EQ(invalidations, run.platform.machine ? run.trace.invalidations[p] : 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Runs, TraceFiles,
    testing::Values(Case{"outer:n=12", "uniform:p=4,lo=10,hi=100", "dynamic"},
                    Case{"matrix:n=5", "dyn.20:p=3", "random"},
                    Case{"outer:n=1", "homogeneous:p=2", "sorted"},
                    Case{"gemm2d:n=7", "gpus:k=2,memory=5data", "eager"},
                    Case{"gemm2d:n=7", "gpus:k=3,memory=6data,bus=fifo,latency=10us", "darts"},
                    Case{"cholesky:n=5,deps=false", "gpus:k=2,memory=6data,writeback=true",
                         "dmdar"},
                    Case{"cholesky:n=6,deps=true", "gpus:k=2,memory=8data", "eager"}));

/// A write on one GPU ends the copy on the other, which is no eviction: memory holds everything.
TEST(TraceFile, CallsCopiesInvalidatedThatAWriteElsewhereEnded) {
  const Traced run = run_of({"cholesky:n=8,deps=true", "gpus:k=2,memory=16GB", "eager"});
  EXPECT_EQ(run.trace.evictions, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_GT(run.trace.invalidations[0] + run.trace.invalidations[1], 0U);

  const std::string chrome = chrome_trace({run.traced});
  EXPECT_EQ(chrome.find("\"cat\":\"eviction\""), std::string::npos);
  EXPECT_NE(chrome.find("\"cat\":\"invalidation\",\"name\":\"invalidates "), std::string::npos);
}

/// The events of a small run, in which every part of a file occurs.
TracedRun small_run(const std::string& task_name) {
  using Kind = RunEvent::Kind;
  const ProcessorId p{0};
  TracedRun run = traced_run(Workload::outer(2, 2), Platform{.speeds = {1}}, Record{},
                             {{Kind::granted, 0.5, p, 2},
                              {Kind::load_started, 0.5, p, 3},
                              {Kind::load_ended, 1, p, 3},
                              {Kind::task_started, 1, p, 2},
                              {Kind::evicted, 1.5, p, 3},
                              {Kind::task_ended, 2, p, 2}});
  run.name = "executed";
  run.inputs = [](std::uint64_t) { return std::vector<std::uint64_t>{3}; };
  run.data_bytes = [](DataId) { return 64; };
  if (!task_name.empty()) run.task_name = [=](TaskId) { return task_name; };
  return run;
}

TEST(TraceFile, HasAsLongARunAsItsEventsWhereTheRecordDoesNotSay) {
  const TracedRun run = small_run("");

  EXPECT_EQ(run.makespan_s, 2);
  EXPECT_EQ(run.processors, std::vector<std::string>{"P0"});
}

TEST(TraceFile, WritesChromeEventsByHand) {
  const json events = json::parse(chrome_trace({small_run("")})).at("traceEvents");

  std::vector<json> written;
  for (const json& event : events) {
    if (event.at("ph") != "M") written.push_back(event);
  }
  const auto interval = [](int tid, const char* category, const char* name, double ts, double dur) {
    return json{{"ph", "X"},    {"pid", 1}, {"tid", tid}, {"cat", category},
                {"name", name}, {"ts", ts}, {"dur", dur}};
  };
  std::vector<json> expected{
      interval(1, "task", "T(1,0)", 1e6, 1e6),
      interval(2, "copy", "b(1)", 5e5, 5e5),
      json{{"ph", "i"},
           {"s", "t"},
           {"pid", 1},
           {"tid", 2},
           {"cat", "eviction"},
           {"name", "evicts b(1)"},
           {"ts", 1.5e6},
           {"args", {{"data", 3}}}},
      interval(3, "wait", "no work", 0, 5e5),
      interval(3, "wait", "waiting for data", 5e5, 5e5),
      json{{"ph", "C"}, {"pid", 1}, {"name", "resident"}, {"ts", 1e6}, {"args", {{"bytes", 64}}}},
      json{{"ph", "C"}, {"pid", 1}, {"name", "resident"}, {"ts", 1.5e6}, {"args", {{"bytes", 0}}}}};
  expected[0]["args"]["task"] = 2;
  expected[1]["args"]["data"] = 3;
  EXPECT_EQ(written, expected);
}

TEST(TraceFile, HoldsSeveralRunsSideBySide) {
  const Traced simulated = run_of({"gemm2d:n=4", "gpus:k=2,memory=4data", "eager"});

  const json file = json::parse(chrome_trace({simulated.traced, small_run("")}));
  const PajeReader paje(paje_trace({simulated.traced, small_run("")}));

  const json& runs = file.at("otherData").at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].at("first_pid"), 1);
  EXPECT_EQ(runs[1].at("first_pid"), 3);
  EXPECT_EQ(runs[0].at("processor_names"), (json{"GPU0", "GPU1"}));
  EXPECT_EQ(runs[1].at("seed"), nullptr);
  std::vector<std::string> names;
  for (const json& event : file.at("traceEvents")) {
    if (event.at("name") == "process_name") names.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"simulated, GPU0", "simulated, GPU1", "executed, P0"}));
  EXPECT_TRUE(paje.containers().at("run0").name.starts_with("simulated: eager on gemm2d:n=4"));
  EXPECT_EQ(paje.containers().at("run0-1").name, "GPU1");
  EXPECT_TRUE(paje.containers().at("run1").name.starts_with("executed: "));
  EXPECT_EQ(paje.containers().at("run1-0").variable, (std::vector<double>{0, 64, 0}));
}

TEST(TraceFile, SurvivesNamesThatBreakItsGrammar) {
  const TracedRun run = small_run("say \"task\"\n\xff");

  const json file = json::parse(chrome_trace({run}));
  const PajeReader paje(paje_trace({run}));

  EXPECT_NE(file.dump().find("say \\\"task\\\"\\n"), std::string::npos);
  EXPECT_EQ(paje.containers().at("run0-0-compute").objects.front().second, "say 'task' \xff");
}

TEST(TraceFile, TellsKindsOfTasksApart) {
  const TracedRun run =
      run_of({"cholesky:n=5,deps=true", "gpus:k=1,cpus=1,cpu_gflops=5000,memory=8data", "eager"})
          .traced;

  std::map<std::string, std::set<std::string>> colours;
  const json file = json::parse(chrome_trace({run}));
  for (const json& event : file.at("traceEvents")) {
    if (event.value("cat", "") != "task") continue;
    const std::string kind = event["args"]["kind"];
    EXPECT_TRUE(event["name"].get<std::string>().starts_with(kind + "("));
    colours[kind].insert(event["cname"].get<std::string>());
  }
  const PajeReader paje(paje_trace({run}));

  std::set<std::string> all;
  for (const auto& [kind, some] : colours) {
    EXPECT_EQ(some.size(), 1U) << kind;
    all.insert(some.begin(), some.end());
  }
  EXPECT_EQ(all.size(), 4U);
  EXPECT_EQ(run.processors, (std::vector<std::string>{"GPU0", "CPU0"}));
  EXPECT_EQ(paje.containers().at("run0-1").name, "CPU0");
  const auto& seconds = paje.containers().at("run0-0-compute").seconds;
  EXPECT_TRUE(seconds.contains("kind0") || seconds.contains("kind3"));
  EXPECT_FALSE(seconds.contains("computing"));
}

TEST(TraceFile, IsOfTheFormatOfItsEnding) {
  const auto folder = std::filesystem::temp_directory_path();
  for (const char* const ending : {".json", ".trace", ".paje"}) {
    const auto path = folder / fmt::format("damocles_trace{}{}", ::getpid(), ending);

    write_trace(path, {small_run("")});

    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::filesystem::remove(path);
    EXPECT_EQ(text.starts_with("{\""), path.extension() == ".json");
    EXPECT_EQ(text.starts_with("%EventDef"), path.extension() != ".json");
  }
}

TEST(TraceFile, RefusesWhatItCannotWrite) {
  EXPECT_EQ(
      error_text([] { write_trace("run.csv", {}); }),
      "trace 'run.csv': unknown ending; end the name in .json (Chrome, Perfetto), "
      ".trace (Pajé, ViTE), .paje (Pajé, ViTE), .rec (StarPU's tasks.rec), sched.rec (for starpu_replay)");
  EXPECT_EQ(
      error_text([] { check_trace("/tmp/run.json", 2'000'001); }),
      "trace '/tmp/run.json': 2000001 tasks are more than a viewer opens; trace at most 2000000");
  EXPECT_NE(error_text([] { check_trace("/nowhere/run.json", 1); }), "no error");
}

TEST(PajeReader, RefusesWhatBreaksARule) {
  const std::string sound = paje_trace({small_run("")});
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string text = sound;
    text.replace(text.find(from), from.size(), to);
    try {
      const PajeReader reader(text);
    } catch (const std::runtime_error& error) {
      return std::string(error.what()).substr(std::string(error.what()).find(": ") + 2);
    }
    return std::string("no error");
  };

  EXPECT_EQ(broken("\n7 0.0", "\n17 0.0"), "an event without definition");
  EXPECT_EQ(broken("\n7 0.0", "\n8 0.0"), "not the fields of the definition");
  EXPECT_EQ(broken("State run0-0-compute computing", "State run0-0-compute thinking"),
            "unknown value");
  EXPECT_EQ(broken("9 1.5", "9 0.5"), "time decreases");
  EXPECT_EQ(broken("Resident run0-0 64", "Resident run7-0 64"), "no such container");
  EXPECT_EQ(broken("run0-0 Processor\n6", "run0 Run\n6"), "a container within is still there");
}

}  // namespace
}  // namespace damocles::trace_files_test
