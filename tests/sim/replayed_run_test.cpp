// Recorded runs in virtual time: on the platform on which they were recorded they come again event
// for event.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/platforms/memory_limits.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "tests/sim/naive/draws.hpp"
#include "tests/strategies/choices.hpp"
#include "tests/strategies/writing_graphs.hpp"

namespace damocles::replayed_run_test {
namespace {

using naive::Processors;

/// As files have it: without times and grants.
Decisions recorded(const std::vector<RunEvent>& events, std::size_t processors) {
  Decisions result{processors, {}};
  for (RunEvent event : events) {
    if (event.kind == RunEvent::Kind::granted) continue;
    event.time_s = 0;
    result.events.push_back(event);
  }
  return result;
}

std::vector<RunEvent> without_grants(std::vector<RunEvent> events) {
  std::erase_if(events, [](const RunEvent& e) { return e.kind == RunEvent::Kind::granted; });
  return events;
}

/// What a run moved over links, and to and from host memory, and who computed there.
struct Seen {
  std::uint64_t from_peers = 0;
  std::uint64_t written = 0;
  std::uint64_t tasks_in_host_memory = 0;
};

void expect_again(const Workload& workload, const Platform& platform, const StrategyChoice& choice,
                  std::uint64_t replicate, Seen& seen) {
  std::vector<RunEvent> first;
  std::vector<RunEvent> second;
  Trace trace = simulate_limited(workload, platform, choice, 3, replicate,
                                 [&](const RunEvent& event) { first.push_back(event); });
  const Decisions decisions = recorded(first, platform.processors());

  check_decisions(decisions, workload, platform, memory_bytes(*platform.machine, workload),
                  [&](DataId data) {
                    return workload.graph().bytes(static_cast<TaskGraph::Index>(raw(data)));
                  });
  const Trace again = replay_limited(workload, platform, decisions, 3, replicate,
                                     [&](const RunEvent& event) { second.push_back(event); });

  trace.planned_makespan_s.reset();  // a recording holds what was done, and no plan
  EXPECT_EQ(again, trace);
  EXPECT_EQ(without_grants(second), without_grants(first));
  for (const auto loads : trace.loads_from_peers) seen.from_peers += loads;
  for (const auto bytes : trace.bytes_written) seen.written += bytes;
  for (std::size_t p = 0; p < platform.processors(); ++p) {
    if (platform.machine->processors[p].in_host_memory) seen.tasks_in_host_memory += trace.tasks[p];
  }
}

/// What recordings do not hold takes no time.
void leave_out_unrecorded(const Workload& workload, MachineModel& limits) {
  limits.request_s = 0;
  limits.decision_s = 0;
  for (TaskGraph::Index task = 0; task < workload.graph().tasks(); ++task) {
    if (workload.graph().output_bytes(task) > 0) limits.write_back = false;
  }
}

/// Wild asks nobody whether a processor can run a task.
void let_all_run_all(MachineModel& limits) {
  for (ProcessorModel& gpu : limits.processors) {
    std::erase_if(gpu.kernel_times, [](const KernelTime& time) { return time.seconds == never_s; });
  }
}

void expect_drawn_again(const StrategyChoice& choice, std::uint64_t runs, Seen& seen) {
  Rng rng(17, Draw::test, 0);
  for (std::uint64_t run = 0; run < runs && !testing::Test::HasFailure(); ++run) {
    const bool of_kinds = choice.entry->heterogeneous && run % 2 == 0;
    const Processors processors = of_kinds ? Processors::of_kinds : Processors::gpus;
    naive::Drawn drawn =
        run % 4 == 3 ? naive::draw_reading(rng, processors) : naive::draw_writing(rng, processors);
    if (!why_unsupported(*choice.entry, drawn.workload).empty()) continue;
    leave_out_unrecorded(drawn.workload, *drawn.platform.machine);
    if (choice.entry == &wild()) let_all_run_all(*drawn.platform.machine);
    SCOPED_TRACE(testing::Message() << "run " << run << ": " << drawn);
    expect_again(drawn.workload, drawn.platform, choice, run, seen);
  }
}

class EveryReplayedRun : public testing::TestWithParam<std::string> {};

TEST_P(EveryReplayedRun, IsTheRunThatWasRecorded) {
  Seen seen;
  for (const auto* tasks :
       {"cholesky:n=6,tile=960,deps=true", "cholesky:n=6,tile=960,deps=true,updates=commute",
        "cholesky:n=6,tile=960,deps=true,updates=reduce", "stencil:n=4,steps=4,tile=960",
        "layered:n=5,layers=5,tile=960"}) {
    const Workload workload = Workload::parse(tasks);
    const StrategyChoice choice = StrategyChoice::parse(GetParam(), workload);
    for (const std::string machine :
         {"gpus:k=3,memory=7data", "gpus:k=2,memory=7data,cpus=3,cpu_gflops=900",
          "gpus:k=3,memory=7data,gflops=500,peers=24GB/s,writeback=true",
          "gpus:k=4,memory=7data,buses=2",
          "gpus:k=2,memory=7data,cpus=2,cpu_gflops=3000,peers=24GB/s,noise=lognormal:0.2"}) {
      if (machine.find("cpus") != std::string::npos && !choice.entry->heterogeneous) continue;
      SCOPED_TRACE(std::string(tasks) + " " + machine);
      const Platform platform = Scenario::parse(machine).draw(3, 1);
      expect_again(workload, platform, choice, 1, seen);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(seen.from_peers, 0U);
  EXPECT_GT(seen.written, 0U);
  EXPECT_EQ(seen.tasks_in_host_memory > 0,
            Table<StrategyEntry>::named(name_in(GetParam())).heterogeneous);
}

TEST_P(EveryReplayedRun, IsTheRunThatWasRecordedOnDrawnMachines) {
  const auto choice = StrategyChoice::parse(GetParam(), Workload::parse("cholesky:n=4,deps=true"));
  Seen seen;
  expect_drawn_again(choice, 120, seen);
  EXPECT_GT(seen.from_peers, 0U);
  EXPECT_GT(seen.written, 0U);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryReplayedRun, testing::ValuesIn(writing_choices()),
                         [](const auto& test) { return test_name(test.param); });

TEST(WildReplayedRun, IsTheRunThatWasRecordedOnDrawnMachines) {
  const Spec spec = Spec::parse("wild", "strategy");
  Seen seen;
  expect_drawn_again({&wild(), spec}, 1500, seen);
  EXPECT_GT(seen.tasks_in_host_memory, 1000U);
}

}  // namespace
}  // namespace damocles::replayed_run_test
