// Tasks that wait for others and write, on real memory: the data hold in the end what tasks write
// one after the other, whatever ends when.

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "sim/limited_run.hpp"
#include "tests/error_text.hpp"
#include "tests/gpu/executed_run.hpp"
#include "tests/gpu/writing_laws.hpp"

namespace damocles::executed_writes_test {
namespace {

TEST(WildExecution, LosesNothingThatIsWritten) {
  const Spec spec = Spec::parse("wild", "strategy");
  const SeenToMove seen = expect_nothing_lost({&wild(), spec}, 500);
  EXPECT_GT(seen.from_peers, 0U);
  EXPECT_GT(seen.bytes_returned, 0U);
  EXPECT_GT(seen.tasks_in_host_memory, 0U);
}

class EveryWritingExecution : public testing::TestWithParam<std::string> {};

TEST_P(EveryWritingExecution, LosesNothingThatIsWritten) {
  const auto ordered = Workload::parse("cholesky:n=4,deps=true");
  const StrategyChoice choice = StrategyChoice::parse(GetParam(), ordered);
  const SeenToMove seen = expect_nothing_lost(choice, 30);
  EXPECT_GT(seen.bytes_returned, 0U);
  EXPECT_EQ(seen.tasks_in_host_memory > 0, choice.entry->heterogeneous);
}

/// One processor with a buffer of one task asks in the same situations however long anything takes.
TEST_P(EveryWritingExecution, MovesWhatTheSimulationSays) {
  const bool hints = Table<StrategyEntry>::named(name_in(GetParam())).loads_ahead ||
                     GetParam().find("prefetch=push") != std::string::npos;
  bool compared = false;
  for (const auto* text : {"cholesky:n=5,tile=4,deps=true", "stencil:n=4,steps=3,tile=4"}) {
    const auto workload = Workload::parse(text);
    Platform platform = limited(1, room_bytes(workload, Room::medium), 1);
    platform.machine->write_back = true;
    const StrategyChoice choice = StrategyChoice::parse(GetParam(), workload);
    bool loads_ahead = false;
    bool running = false;
    const Trace simulated = simulate_limited(workload, platform, choice, 1, 0, [&](const auto& e) {
      if (e.kind == RunEvent::Kind::task_started) running = true;
      if (e.kind == RunEvent::Kind::task_ended) running = false;
      loads_ahead = loads_ahead || (e.kind == RunEvent::Kind::load_started && running);
    });
    if (loads_ahead) continue;  // a prefetch hint: what is there then depends on time
    SCOPED_TRACE(text);
    compared = true;

    ExecutedRun run(workload, platform, {.faulty = {.jitter_us = 20}});
    run.by(choice);

    run.expect_sound();
    EXPECT_EQ(run.execution.trace.loads, simulated.loads);
    EXPECT_EQ(run.execution.trace.evictions, simulated.evictions);
    EXPECT_EQ(run.execution.trace.bytes_written, simulated.bytes_written);
  }
  EXPECT_TRUE(compared || hints) << "set StrategyEntry::loads_ahead";
}

INSTANTIATE_TEST_SUITE_P(Table, EveryWritingExecution, testing::ValuesIn(writing_choices()),
                         [](const auto& test) { return test_name(test.param); });

TEST(ExecutedWrites, AnOutputBesideDataIsRefusedWhereItTravelsBack) {
  TaskGraph::Parts parts;
  parts.bytes = {64};
  const std::array<TaskGraph::Index, 1> data{0};
  const std::array<Access, 1> how{Access::read_write};
  parts.add_task(data, how, 1);
  parts.output_bytes = {8};
  const auto workload = Workload::of_graph("both", TaskGraph(std::move(parts)));
  Platform platform = limited(1, 1000, 1);
  platform.machine->write_back = true;
  ExecutedRun run(workload, platform);

  EXPECT_EQ(error_text([&] { (void)run.by("eager"); }),
            "task T0 of 'both' has an output of 8 B apart from the data that tasks write: "
            "executors compute only data here; leave output_bytes out, or write_back=false");
}

}  // namespace
}  // namespace damocles::executed_writes_test
