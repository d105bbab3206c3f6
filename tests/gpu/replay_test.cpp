#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/rng.hpp"
#include "sim/limited_run.hpp"
#include "strategies/eviction/eviction.hpp"
#include "tests/gpu/executed_run.hpp"
#include "tests/gpu/writing_instances.hpp"
#include "tests/strategies/choices.hpp"
#include "tests/strategies/small_graphs.hpp"

namespace damocles::replay_test {
namespace {

struct Recorded {
  Trace trace;
  std::vector<RunEvent> events;
};

Recorded record(const Workload& workload, const Platform& platform, const std::string& strategy,
                std::uint64_t seed) {
  Recorded result;
  result.trace =
      simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload), seed, 0,
                       [&](const RunEvent& event) { result.events.push_back(event); });
  return result;
}

std::vector<Workload> workloads() {
  Rng rng(8, Draw::test, 0);
  return {Workload::parse("gemm2d:m=4,n=6,tile=8,k=8"), Workload::parse("gemm3d:n=3,tile=8,c=yes"),
          Workload::parse("gemm3d:n=3,tile=8,c=later"),
          Workload::parse("cholesky:n=4,tile=8,deps=false"),
          Workload::of_graph("several-sizes", oracle::random_graph(rng, 30, 12, 4, 2000))};
}

/// Every strategy with its own policy, and some with each of the others.
std::vector<std::string> choices() {
  std::vector<std::string> result = every_choice();
  for (const auto* name : {"eager", "dmdar", "dynamic", "random"}) {
    for (const auto& policy : evictions()) {
      result.push_back(std::string(name) + ":eviction=" + policy.name);
    }
  }
  return result;
}

void expect_same_movement(const Trace& executed, const Trace& recorded) {
  EXPECT_EQ(executed.loads, recorded.loads);
  EXPECT_EQ(executed.bytes_loaded, recorded.bytes_loaded);
  EXPECT_EQ(executed.evictions, recorded.evictions);
  EXPECT_EQ(executed.tasks, recorded.tasks);
}

class EveryReplay : public testing::TestWithParam<std::string> {};

/// What a simulated run decided, done for real; and what that run was told to do, done once more.
TEST_P(EveryReplay, MovesWhatTheSimulationMovedToTheByte) {
  std::uint64_t seed = 0;
  for (const Workload& workload : workloads()) {
    if (!defined_on(name_in(GetParam()), workload)) continue;
    for (const std::size_t processors : {1U, 3U}) {
      for (const Room room : {Room::tight, Room::medium}) {
        SCOPED_TRACE(testing::Message() << workload.text() << ", " << processors << " processors");
        const Platform platform = limited(processors, room_bytes(workload, room), 2);
        const Recorded simulated = record(workload, platform, GetParam(), ++seed);
        const FaultyOptions jitter{.jitter_us = 30, .seed = seed};

        ExecutedRun once(workload, platform, {.faulty = jitter});
        once.replay(simulated.events);
        ExecutedRun again(workload, platform, {.faulty = jitter});
        again.replay(once.execution.events);

        once.expect_sound();
        again.expect_sound();
        expect_same_movement(once.execution.trace, simulated.trace);
        expect_same_movement(again.execution.trace, simulated.trace);
        if (HasFailure()) return;
      }
    }
  }
}

/// Outputs take memory in the simulation; the decisions are carried out all the same.
TEST_P(EveryReplay, OfARunThatWroteBackMovesTheSame) {
  const auto workload = Workload::parse("gemm2d:n=5,tile=8,k=8");
  if (!defined_on(name_in(GetParam()), workload)) return;
  Platform platform = limited(2, room_bytes(workload, Room::tight) + 256, 2);
  platform.machine->write_back = true;
  const Recorded simulated = record(workload, platform, GetParam(), 3);
  platform.machine->write_back = false;

  ExecutedRun run(workload, platform);
  run.replay(simulated.events);

  run.expect_sound();
  expect_same_movement(run.execution.trace, simulated.trace);
  EXPECT_EQ(run.execution.trace.bytes_written, simulated.trace.bytes_written);
}

/// An executed run, of which the order across processors was chance.
TEST_P(EveryReplay, OfAnExecutedRunMovesTheSame) {
  for (const auto* text : {"gemm2d:m=4,n=6,tile=8,k=8", "gemm3d:n=3,tile=8,c=yes"}) {
    const auto workload = Workload::parse(text);
    if (!defined_on(name_in(GetParam()), workload)) continue;
    const Platform platform = limited(3, room_bytes(workload, Room::tight), 0);
    ExecutedRun run(workload, platform, {.faulty = {.jitter_us = 50}});
    run.by(GetParam());
    ExecutedRun again(workload, platform, {.faulty = {.jitter_us = 50, .seed = 2}});

    again.replay(run.execution.events);

    again.expect_sound();
    expect_same_movement(again.execution.trace, run.execution.trace);
  }
}

/// A run of two lanes, of which tasks start before the task before has ended.
TEST_P(EveryReplay, OfARunWithTwoLanesMovesTheSame) {
  const auto workload = Workload::parse("gemm2d:n=5,tile=8,k=8");
  if (!defined_on(name_in(GetParam()), workload)) return;
  const Platform platform = limited(2, room_bytes(workload, Room::medium), 0);
  const RunOptions lanes{.faulty = {.jitter_us = 30, .lanes = 2, .loads_ahead = 1}};
  ExecutedRun run(workload, platform, lanes);
  run.by(GetParam());
  ExecutedRun again(workload, platform, lanes);

  again.replay(run.execution.events);

  again.expect_sound();
  expect_same_movement(again.execution.trace, run.execution.trace);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryReplay, testing::ValuesIn(choices()),
                         [](const auto& test) { return test_name(test.param); });

/// A drawn graph may write nothing; then its tasks put out checksums, which are not simulated.
void expect_same_written(const Workload& workload, const Trace& executed, const Trace& recorded) {
  expect_same_movement(executed, recorded);
  EXPECT_EQ(executed.loads_from_peers, recorded.loads_from_peers);
  if (workload.writes()) {
    EXPECT_EQ(executed.bytes_written, recorded.bytes_written);
  }
}

/// Simulated runs of tasks that wait and write, done for real, and what was done then once more.
void check_written_replays(const StrategyChoice& choice, std::uint64_t instances) {
  Rng rng(14, Draw::test, 0);
  for (std::uint64_t i = 0; i < instances; ++i) {
    const WritingInstance drawn = drawn_writing_instance(rng, choice.entry->heterogeneous);
    SCOPED_TRACE(testing::Message() << "instance " << i << ": " << drawn.workload.text() << ", "
                                    << drawn.platform.processors() << " processors");
    std::vector<RunEvent> events;
    const Trace simulated =
        simulate_limited(drawn.workload, drawn.platform, choice, i, 0,
                         [&](const RunEvent& event) { events.push_back(event); });
    const FaultyOptions device{
        .jitter_us = 40, .seed = i, .lanes = 1 + rng.below(3), .loads_ahead = rng.below(6)};

    ExecutedRun once(drawn.workload, drawn.platform, {.faulty = device});
    once.replay(events);
    ExecutedRun again(drawn.workload, drawn.platform, {.faulty = {.jitter_us = 40, .seed = i + 1}});
    again.replay(once.execution.events);

    once.expect_sound();
    again.expect_sound();
    expect_same_written(drawn.workload, once.execution.trace, simulated);
    expect_same_written(drawn.workload, again.execution.trace, simulated);
    if (testing::Test::HasFailure()) return;
  }
}

class EveryWritingReplay : public testing::TestWithParam<std::string> {};

TEST_P(EveryWritingReplay, MovesWhatTheSimulationMovedAndComputesTheSame) {
  const auto ordered = Workload::parse("cholesky:n=4,deps=true");
  check_written_replays(StrategyChoice::parse(GetParam(), ordered), 12);
}

/// An executed run, of which the order across processors was chance.
TEST_P(EveryWritingReplay, OfAnExecutedRunMovesTheSame) {
  Rng rng(15, Draw::test, 0);
  const auto choice = StrategyChoice::parse(GetParam(), Workload::parse("cholesky:n=4,deps=true"));
  for (std::uint64_t i = 0; i < 6; ++i) {
    const WritingInstance drawn = drawn_writing_instance(rng, choice.entry->heterogeneous);
    SCOPED_TRACE(drawn.workload.text());
    const RunOptions lanes{.faulty = {.jitter_us = 40, .seed = i, .lanes = 2, .loads_ahead = 1}};
    ExecutedRun run(drawn.workload, drawn.platform, lanes);
    run.by(choice);
    ExecutedRun again(drawn.workload, drawn.platform, {.faulty = {.jitter_us = 40, .seed = 2}});

    again.replay(run.execution.events);

    again.expect_sound();
    expect_same_written(drawn.workload, again.execution.trace, run.execution.trace);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryWritingReplay, testing::ValuesIn(writing_choices()),
                         [](const auto& test) { return test_name(test.param); });

TEST(WildReplay, MovesWhatTheSimulationMovedAndComputesTheSame) {
  const Spec spec = Spec::parse("wild", "strategy");
  check_written_replays({&wild(), spec}, 200);
}

}  // namespace
}  // namespace damocles::replay_test
