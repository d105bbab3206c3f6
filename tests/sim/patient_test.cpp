// Processors that take a further task only when the inputs of all they have are there, as StarPU's
// driver does; and those that take one whenever their buffer has room.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "tests/error_text.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::patient_test {
namespace {

using Index = TaskGraph::Index;
using Kind = RunEvent::Kind;

struct Seen {
  Trace trace;
  std::vector<RunEvent> events;
};

Seen run(const Workload& workload, const Platform& platform, const std::string& strategy) {
  Seen seen;
  seen.trace = simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload), 1, 0,
                                [&](const RunEvent& event) { seen.events.push_back(event); });
  return seen;
}

/// Four tasks of 4 s, each with 10 B of its own.
Workload four_tasks() {
  TaskGraph::Parts parts;
  parts.bytes.assign(4, 10);
  for (Index task = 0; task < 4; ++task) parts.add_task(std::vector{task}, 8);
  return Workload::of_graph("four tasks", TaskGraph(std::move(parts)));
}

/// GPUs of 2 flop/s behind links of these rates [B/s], with room for everything.
Platform behind_links(const std::vector<double>& links, std::uint64_t depth) {
  Platform platform{.speeds = std::vector<double>(links.size(), 2)};
  platform.machine =
      MachineModel{.processors = {}, .bus_bytes_per_s = 100, .depth = depth, .jitter = 0};
  for (const double link : links) {
    platform.machine->processors.push_back(
        {.flops_per_s = 2, .memory_bytes = 1000, .link_bytes_per_s = link});
  }
  return platform;
}

/// When each task was granted, in order.
std::vector<double> granted_s(const std::string& strategy) {
  std::vector<double> times;
  for (const auto& event : run(four_tasks(), behind_links({10}, 3), strategy).events) {
    if (event.kind == Kind::granted) times.push_back(event.time_s);
  }
  return times;
}

/// Inputs take 1 s each, one after the other.
TEST(Patient, TakesATaskWhenTheInputsOfTheOneBeforeHaveArrived) {
  // The second when the first's are there, the third when the second's are; the fourth when the
  // first, which ran from 1 to 5, leaves the buffer of three.
  const std::vector<double> one_by_one{0, 1, 2, 5};
  EXPECT_EQ(granted_s("eager:patient=true"), one_by_one);
  EXPECT_EQ(granted_s("prio"), one_by_one);
  // Three at once.
  const std::vector<double> as_there_is_room{0, 0, 0, 5};
  EXPECT_EQ(granted_s("eager"), as_there_is_room);
  EXPECT_EQ(granted_s("prio:patient=false"), as_there_is_room);
}

/// The second GPU waits 10 s for what the first has after 1.
TEST(Patient, LeavesTasksToWhoHasItsInputs) {
  const Platform platform = behind_links({10, 1}, 2);
  using Counts = std::vector<std::uint64_t>;
  for (const auto* const name : {"modular-eager", "prio", "eager:patient=true"}) {
    // 0 and 1 to one each; 2 to the first at 1, 3 at 5, when it has ended 0: it computes until 13,
    // the second from 10 to 14.
    const Trace trace = run(four_tasks(), platform, name).trace;
    EXPECT_EQ(trace.tasks, (Counts{3, 1})) << name;
    EXPECT_DOUBLE_EQ(trace.makespan_s, 14) << name;
  }
  for (const auto* const name : {"modular-eager:patient=false", "prio:patient=false", "eager"}) {
    // Two each at the start: 3 is there at 20.
    const Trace trace = run(four_tasks(), platform, name).trace;
    EXPECT_EQ(trace.tasks, (Counts{2, 2})) << name;
    EXPECT_DOUBLE_EQ(trace.makespan_s, 24) << name;
  }
}

TEST(Patient, IsTrueOrFalse) {
  EXPECT_EQ(error_text([] { StrategyChoice::parse("lws:patient=1", four_tasks()); }),
            "strategy 'lws:patient=1': patient must be true or false, not '1'");
}

/// What StarPU's driver asks itself, and one that is told to be patient.
std::vector<std::string> patient_choices() {
  return {"eager:patient=true",
          "heteroprio",
          "lws",
          "modular-eager",
          "modular-ws",
          "modular-random-prio",
          "prio",
          "random-by-speed",
          "ws"};
}

/// Tasks that were granted while an input of an earlier one of the same processor was not there.
std::size_t hasty_grants(const Workload& workload, const Platform& platform,
                         const std::string& strategy) {
  const TaskGraph& graph = workload.graph();
  std::map<std::uint32_t, std::set<std::uint64_t>> here;
  std::map<std::uint32_t, std::set<std::uint64_t>> waiting;  // tasks that have not started
  std::size_t hasty = 0;
  for (const auto& event : run(workload, platform, strategy).events) {
    auto& data = here[raw(event.processor)];
    auto& tasks = waiting[raw(event.processor)];
    if (event.kind == Kind::load_ended || event.kind == Kind::created) data.insert(event.id);
    if (event.kind == Kind::evicted) data.erase(event.id);
    if (event.kind == Kind::task_started) tasks.erase(event.id);
    if (event.kind != Kind::granted) continue;
    bool all_here = true;
    for (const std::uint64_t task : tasks) {
      for (const Index input : graph.needed(static_cast<Index>(task))) {
        all_here = all_here && data.contains(input);
      }
    }
    hasty += all_here ? 0 : 1;
    tasks.insert(event.id);
  }
  return hasty;
}

TEST(Patient, NeverTakesATaskBeforeTheInputsOfTheOthersAreThere) {
  const Platform platform = Scenario::parse("gpus:k=3,memory=9data,depth=4").draw(1, 0);
  for (const auto* const text : {"gemm2d:n=8", "cholesky:n=6,deps=true", "layered:n=6,layers=5"}) {
    const Workload workload = Workload::parse(text);
    for (const auto& choice : patient_choices()) {
      EXPECT_EQ(hasty_grants(workload, platform, choice), 0U) << choice << ", " << text;
    }
  }
  EXPECT_GT(hasty_grants(Workload::parse("gemm2d:n=8"), platform, "eager"), 0U);
}

/// With a buffer of one there is nothing to be patient about.
TEST(Patient, ChangesNothingWhereOneTaskIsTakenAtATime) {
  const Platform platform = Scenario::parse("gpus:k=2,memory=7data,depth=1").draw(1, 0);
  for (const auto& entry : strategies()) {
    const std::string threshold = entry.has_threshold ? "beta=2," : "";
    const Workload workload =
        Workload::parse(entry.supports_dependencies ? "cholesky:n=5,deps=true" : "gemm2d:n=5");
    const bool own_meaning = std::any_of(entry.options.begin(), entry.options.end(),
                                         [](const auto& one) { return one.key == "patient"; });
    if (own_meaning || entry.reads_placement || !defined_on(entry.name, workload)) continue;
    const Trace yes = run(workload, platform, entry.name + ":" + threshold + "patient=true").trace;
    const Trace no = run(workload, platform, entry.name + ":" + threshold + "patient=false").trace;

    EXPECT_EQ(yes.loads, no.loads) << entry.name;
    EXPECT_EQ(yes.makespan_s, no.makespan_s) << entry.name;
  }
}

}  // namespace
}  // namespace damocles::patient_test
