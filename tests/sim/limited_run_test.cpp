#include "sim/limited_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "tests/error_text.hpp"

namespace damocles::limited_run_test {
namespace {

using Kind = RunEvent::Kind;
using Index = TaskGraph::Index;

/// A strategy for tests: runs a given list of tasks on each processor, and no others. The first
/// grant of processor 0 asks ahead for `hints`.
class Lists final : public Strategy {
 public:
  Lists(const TaskGraph& graph, std::vector<std::vector<Index>> lists, std::vector<DataId> hints)
      : graph_(graph), lists_(std::move(lists)), hints_(std::move(hints)) {
    next_.resize(lists_.size(), 0);
  }

  void request(ProcessorId processor, Grant& grant) override {
    const std::size_t p = raw(processor);
    if (next_[p] == lists_[p].size()) return;
    grant.tasks.add(TaskId{lists_[p][next_[p]++]});
    if (p == 0) grant.loads = std::exchange(hints_, {});
  }
  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, DataId data) override {
    const auto& list = lists_[raw(processor)];
    for (std::size_t at = next_[raw(processor)]; at < list.size(); ++at) {
      const auto inputs = graph_.inputs(list[at]);
      const bool reads = std::find(inputs.begin(), inputs.end(), raw(data)) != inputs.end();
      if (reads) return at - next_[raw(processor)];
    }
    return never;
  }

 private:
  const TaskGraph& graph_;
  std::vector<std::vector<Index>> lists_;
  std::vector<DataId> hints_;
  std::vector<std::size_t> next_;
};

/// A run and its events.
struct Seen {
  Trace trace;
  std::vector<RunEvent> events;

  /// Time and id of the events of one kind, in order.
  [[nodiscard]] std::vector<std::pair<double, std::uint64_t>> at(Kind kind) const {
    std::vector<std::pair<double, std::uint64_t>> result;
    for (const auto& event : events) {
      if (event.kind == kind) result.emplace_back(event.time_s, event.id);
    }
    return result;
  }
};

using Times = std::vector<std::pair<double, std::uint64_t>>;

Seen run(const Workload& workload, const Platform& platform, const StrategyChoice& choice) {
  Seen seen;
  seen.trace = simulate_limited(workload, platform, choice, 1, 0,
                                [&](const RunEvent& event) { seen.events.push_back(event); });
  return seen;
}

Seen run(const Workload& workload, const Platform& platform, const std::string& choice) {
  return run(workload, platform, StrategyChoice::parse(choice, workload));
}

Seen run_lists(const Workload& workload, const Platform& platform,
               const std::vector<std::vector<Index>>& lists,
               const std::vector<DataId>& hints = {}) {
  const StrategyEntry entry{.name = "lists",
                            .source = "",
                            .summary = "",
                            .make =
                                [&](const StrategyContext& context) {
                                  return std::make_unique<Lists>(context.workload.graph(), lists,
                                                                 hints);
                                },
                            .eviction = "belady"};
  return run(workload, platform, {&entry, Spec::parse("lists", "strategy")});
}

/// GPUs of 2 flop/s on a bus of 10 B/s, without latency.
Platform machine(std::size_t gpus, std::uint64_t memory, std::uint64_t depth) {
  Platform platform{.speeds = std::vector<double>(gpus, 2)};
  platform.machine =
      MachineModel{.processors = std::vector<ProcessorModel>(
                       gpus, {.flops_per_s = 2,
                              .memory_bytes = memory,
                              .link_bytes_per_s = std::numeric_limits<double>::infinity()}),
                   .bus_bytes_per_s = 10,
                   .depth = depth,
                   .jitter = 0};
  return platform;
}

/// Blocks of 10 B, so 1 s on the bus; tasks of 8 flop, so 4 s; outputs of 5 B. T0 reads a0 and b0,
/// T1 a0 and b1, T2 a1 and b0, T3 a1 and b1; a0, a1, b0, b1 are data 0, 1, 2, 3.
Workload product(std::uint64_t m, std::uint64_t n) {
  return Workload::grid("product", m, n, 0, {.bytes = 10, .flops = 8, .output_bytes = 5});
}

/// Data of 10 B, read by tasks of 8 flop.
Workload graph_of(std::size_t data, const std::vector<std::vector<Index>>& reads) {
  TaskGraph::Parts parts;
  parts.bytes.assign(data, 10);
  for (const auto& inputs : reads) parts.add_task(inputs, 8);
  return Workload::of_graph("by-hand", TaskGraph(std::move(parts)));
}

TEST(LimitedRun, FetchesTheInputsOfTheNextTaskWhileOneRuns) {
  const auto seen = run(product(2, 2), machine(1, 40, 2), "eager");

  // a0 travels until 1, then b0 until 2; b1 travels while T0 runs, a1 while T1 does.
  EXPECT_EQ(seen.at(Kind::load_started), (Times{{0, 0}, {0, 2}, {2, 3}, {6, 1}}));
  EXPECT_EQ(seen.at(Kind::load_ended), (Times{{1, 0}, {2, 2}, {3, 3}, {7, 1}}));
  EXPECT_EQ(seen.at(Kind::task_started), (Times{{2, 0}, {6, 1}, {10, 2}, {14, 3}}));
  EXPECT_EQ(seen.at(Kind::task_ended), (Times{{6, 0}, {10, 1}, {14, 2}, {18, 3}}));
  // Two tasks in the buffer: the next is asked for when one ends.
  EXPECT_EQ(seen.at(Kind::granted), (Times{{0, 0}, {0, 1}, {6, 2}, {10, 3}}));
  EXPECT_EQ(seen.trace, (Trace{.loads = {4},
                               .tasks = {4},
                               .busy_s = {16},
                               .makespan_s = 18,
                               .bytes_loaded = {40},
                               .bytes_written = {0},
                               .evictions = {0},
                               .invalidations = {0},
                               .loads_first = {4},
                               .loads_after_eviction = {0},
                               .loads_after_invalidation = {0}}));
}

TEST(LimitedRun, FetchesNothingAheadInABufferOfOne) {
  const auto seen = run(product(2, 2), machine(1, 40, 1), "eager");

  // b1 and a1 start when the task before has ended: 2 s more.
  EXPECT_EQ(seen.at(Kind::load_started), (Times{{0, 0}, {0, 2}, {6, 3}, {11, 1}}));
  EXPECT_EQ(seen.at(Kind::task_started), (Times{{2, 0}, {7, 1}, {12, 2}, {16, 3}}));
  EXPECT_EQ(seen.trace.makespan_s, 20);
}

TEST(LimitedRun, TakesTheStrategysDepthWhereThePlatformHasNone) {
  EXPECT_EQ(run(product(2, 2), machine(1, 40, 0), "eager").trace.makespan_s, 18);  // eager's is 2
}

TEST(LimitedRun, AddsTheLatencyToEachTransfer) {
  Platform platform = machine(1, 40, 2);
  platform.machine->latency_s = 0.5;
  // a0 and b0 wait one after the other, 0.5 s each; the others are hidden.
  EXPECT_EQ(run(product(2, 2), platform, "eager").trace.makespan_s, 19);
}

TEST(LimitedRun, EvictsNoInputOfTheRunningOrTheNextTask) {
  const auto seen = run(product(2, 2), machine(1, 30, 2), "eager");

  // At 6, T1 runs and T2 is next: a0, b0 and b1 must stay, so a1 has to wait for the end of T1 at
  // 10. Then a0 goes; b1, which the buffered T3 reads, might go for T2 too, but was used later.
  EXPECT_EQ(seen.at(Kind::evicted), (Times{{10, 0}}));
  EXPECT_EQ(seen.at(Kind::load_started), (Times{{0, 0}, {0, 2}, {2, 3}, {10, 1}}));
  EXPECT_EQ(seen.at(Kind::task_started), (Times{{2, 0}, {6, 1}, {11, 2}, {15, 3}}));
  EXPECT_EQ(seen.trace.makespan_s, 19);
  EXPECT_EQ(seen.trace.evictions, (std::vector<std::uint64_t>{1}));
}

TEST(LimitedRun, SendsOutputsBackOverTheSameBus) {
  Platform platform = machine(1, 100, 2);
  platform.machine->write_back = true;

  const auto seen = run(product(2, 2), platform, "eager");

  // At 6 T0's output (5 B) and a1 (10 B) share the bus: the output is in host memory at 7, a1 there
  // at 7.5.
  EXPECT_EQ(seen.at(Kind::load_ended), (Times{{1, 0}, {2, 2}, {3, 3}, {7.5, 1}}));
  // T3 ends at 18, its output is in host memory at 18.5.
  EXPECT_EQ(seen.trace.makespan_s, 18.5);
  EXPECT_EQ(seen.trace.bytes_written, (std::vector<std::uint64_t>{20}));
  EXPECT_EQ(seen.trace.loads, (std::vector<std::uint64_t>{4}));
}

TEST(LimitedRun, KeepsRoomForOutputsUntilTheyAreHome) {
  Platform platform = machine(1, 25, 1);  // two blocks and an output
  platform.machine->write_back = true;

  const auto seen = run(product(2, 2), platform, "eager");

  // 6: T1 takes the place of b0 for b1 (10 B), which shares the bus with the output (5 B) until 7
  // and is there at 7.5. 11.5: T2 replaces both; three transfers at 10/3 B/s until the output is
  // to host memory at 13, then 5 B more of each at 5 B/s: 14. 18: T3 as T1.
  EXPECT_EQ(seen.at(Kind::evicted), (Times{{6, 2}, {11.5, 0}, {11.5, 3}, {18, 2}}));
  const auto started = seen.at(Kind::task_started);
  const std::vector<double> expected{2, 7.5, 14, 19.5};
  for (std::size_t t = 0; t < 4; ++t) EXPECT_NEAR(started.at(t).first, expected[t], 1e-12);
  EXPECT_NEAR(seen.trace.makespan_s, 24, 1e-12);
}

TEST(LimitedRun, FetchesNothingWhileTheNextTaskWaitsForRoom) {
  Platform platform = machine(1, 130, 3);
  platform.machine->write_back = true;
  TaskGraph::Parts parts = graph_of(3, {{0}, {1}, {2}}).graph().parts();
  parts.output_bytes = {100, 100, 100};
  const auto seen = run(Workload::of_graph("by-hand", TaskGraph(parts)), platform, "eager");

  // From 5 to 15 T0's output leaves; T1 cannot start for its own, for which data item 2 had to go.
  EXPECT_EQ(seen.at(Kind::load_started), (Times{{0, 0}, {1, 1}, {2, 2}, {15, 2}}));
}

TEST(LimitedRun, LetsOutputsLeaveWhenNothingElseTravels) {
  Platform platform = machine(1, 40, 2);
  platform.machine->write_back = true;
  platform.machine->outputs_take_memory = false;
  platform.machine->copy_streams = 1;

  const auto seen = run(product(2, 2), platform, "eager");

  // At 6 a1 goes before T0's output; nobody waits for outputs, not even the end of the run.
  EXPECT_EQ(seen.at(Kind::load_ended), (Times{{1, 0}, {2, 2}, {3, 3}, {7, 1}}));
  EXPECT_EQ(seen.trace.makespan_s, 18);
  EXPECT_EQ(seen.trace.bytes_written, (std::vector<std::uint64_t>{20}));
}

TEST(LimitedRun, SendsOutputsBeforeLoadsWhereMemoryIsFull) {
  Platform platform = machine(1, 20, 1);  // two blocks, no room beside them
  platform.machine->write_back = true;
  platform.machine->outputs_take_memory = false;
  platform.machine->copy_streams = 1;

  const auto seen = run(product(1, 2), platform, "eager");

  // T0 ends at 6; its output (5 B) is in host memory at 6.5, then b1 comes until 7.5.
  EXPECT_EQ(seen.at(Kind::task_started), (Times{{2, 0}, {7.5, 1}}));
  EXPECT_EQ(seen.trace.makespan_s, 11.5);
}

TEST(LimitedRun, ChargesWhatDecisionsLookAt) {
  Platform platform = machine(1, 100, 2);
  const auto free = run(product(2, 2), platform, "darts");
  platform.machine->decision_s = 1;

  const auto charged = run(product(2, 2), platform, "darts");

  // At the first decision nothing is there, so all 4 data items are looked at with their 2 open
  // tasks each: no task starts before 8, and the four of 4 s follow.
  EXPECT_EQ(charged.trace.loads, free.trace.loads);
  EXPECT_GE(charged.trace.scheduling_s, 8);
  EXPECT_EQ(free.trace.scheduling_s, 0);
  EXPECT_GE(charged.trace.makespan_s, 8 + 16);
}

TEST(LimitedRun, TellsThatATaskStartsWhereItsDecisionEnds) {
  Platform platform = machine(1, 100, 2);
  platform.machine->decision_s = 1;

  const auto seen = run(product(2, 2), platform, "darts");

  // Each runs for 4 s, however long ago it was ordered; the first decision lasts until 8, and
  // before it ends no task is granted.
  for (const auto& granted : seen.at(Kind::granted)) EXPECT_GE(granted.first, 8);
  const auto starts = seen.at(Kind::task_started);
  const auto ends = seen.at(Kind::task_ended);
  ASSERT_EQ(starts.size(), 4U);
  ASSERT_EQ(ends.size(), 4U);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    EXPECT_GE(starts[i].first, 8);
    EXPECT_EQ(ends[i].first, starts[i].first + 4) << i;
  }
}

TEST(LimitedRun, ARequestOnDemandTakesLonger) {
  Platform platform = machine(1, 40, 2);
  platform.machine->request_s = 0.25;

  // a0 and b0 for T0, then b1 for T1, which is next when T0 starts; all are for the next task.
  const auto seen = run(product(1, 2), platform, "eager");

  EXPECT_EQ(seen.at(Kind::load_ended), (Times{{1.25, 0}, {2.5, 1}, {3.75, 2}}));
}

TEST(LimitedRun, ATaskTakesItsOverheadToo) {
  Platform platform = machine(1, 40, 2);
  platform.machine->overhead_s = 0.5;

  const auto seen = run(product(2, 2), platform, "eager");

  EXPECT_EQ(seen.at(Kind::task_started), (Times{{2, 0}, {6.5, 1}, {11, 2}, {15.5, 3}}));
  EXPECT_EQ(seen.trace.makespan_s, 20);
  EXPECT_EQ(seen.trace.busy_s, (std::vector<double>{18}));
}

TEST(LimitedRun, ACopyTakesTimeFromTheTaskBesideIt) {
  Platform platform = machine(1, 40, 2);
  platform.machine->interference = 0.5;

  const auto seen = run(product(2, 2), platform, "eager");

  // b1 travels from 2 to 3, a1 from 6.5 to 7.5, each beside a task of 4 s; a0 and b0 beside none.
  EXPECT_EQ(seen.at(Kind::load_ended), (Times{{1, 0}, {2, 2}, {3, 3}, {7.5, 1}}));
  EXPECT_EQ(seen.at(Kind::task_ended), (Times{{6.5, 0}, {11, 1}, {15, 2}, {19, 3}}));
  EXPECT_EQ(seen.trace.busy_s, (std::vector<double>{17}));
}

TEST(LimitedRun, SharesTheBusAmongProcessors) {
  // T0 and T1 for one each: two loads at a time at 5 B/s until 2, two more until 4.
  const auto fair = run(product(1, 2), machine(2, 40, 2), "eager");
  EXPECT_EQ(fair.at(Kind::task_started), (Times{{4, 0}, {4, 1}}));
  EXPECT_EQ(fair.trace.tasks, (std::vector<std::uint64_t>{1, 1}));

  // One after the other, by turns: the first processor has its second at 3, the other at 4.
  Platform platform = machine(2, 40, 2);
  platform.machine->sharing = BusSharing::fifo;
  const auto fifo = run(product(1, 2), platform, "eager");
  EXPECT_EQ(fifo.at(Kind::task_started), (Times{{3, 0}, {4, 1}}));
}

TEST(LimitedRun, TakesEachProcessorsSpeedAndLink) {
  Platform platform = machine(2, 40, 2);
  platform.machine->processors[1].flops_per_s = 8;
  platform.machine->processors[1].link_bytes_per_s = 2;

  // The second's loads have 1 B/s each, all its link; the first's 4: there at 2.5 and 10.
  const auto seen = run(product(1, 2), platform, "eager");

  EXPECT_EQ(seen.at(Kind::task_started), (Times{{2.5, 0}, {10, 1}}));
  EXPECT_EQ(seen.trace.busy_s, (std::vector<double>{4, 1}));
  EXPECT_EQ(seen.trace.makespan_s, 11);
}

TEST(LimitedRun, RunsTasksThatReadNothingOrTakeNoTime) {
  TaskGraph::Parts parts;
  parts.bytes = {10};
  parts.add_task(std::vector<Index>{}, 8);
  parts.add_task(std::vector<Index>{0}, 0);
  parts.add_task(std::vector<Index>{}, 0);
  const auto workload = Workload::of_graph("odd", TaskGraph(std::move(parts)));

  // T0 from 0 to 4, D0 there at 1; T1 and T2 at 4.
  EXPECT_EQ(run(workload, machine(1, 10, 2), "eager").at(Kind::task_ended),
            (Times{{4, 0}, {4, 1}, {4, 2}}));
}

TEST(LimitedRun, FindsTheElevenLoadsOfIpdps22Figure1) {
  // T1 ... T9 row by row on a 3 x 3 grid, M = 2 data items.
  const auto seen = run_lists(product(3, 3), machine(2, 20, 1), {{0, 1, 4, 3}, {2, 5, 8, 7, 6}});

  EXPECT_EQ(seen.trace.loads, (std::vector<std::uint64_t>{5, 6}));
  // One data item is loaded twice, by the first processor: the column of T1 and T4.
  std::vector<std::uint64_t> by_first;
  for (const auto& event : seen.events) {
    if (event.kind == Kind::load_started && event.processor == ProcessorId{0}) {
      by_first.push_back(event.id);
    }
  }
  EXPECT_EQ(by_first, (std::vector<std::uint64_t>{0, 3, 4, 1, 3}));
}

TEST(LimitedRun, FindsTheSevenLoadsOfColoc21Figure1) {
  // The figure's graph is lost in the text we have; this one fits all that is said of it: M = 3,
  // V(3) = {1}, V(4) = {2}, V(5) = {3, 4}, only D1 loaded twice.
  const auto workload = graph_of(6, {{0, 1}, {0, 2}, {1, 3}, {2, 4}, {0, 4, 5}});

  const auto seen = run_lists(workload, machine(1, 30, 1), {{0, 1, 2, 3, 4}});

  EXPECT_EQ(seen.trace.total_loads(), 7U);
  std::vector<std::uint64_t> evicted;
  for (const auto& [time, data] : seen.at(Kind::evicted)) evicted.push_back(data);
  ASSERT_EQ(evicted.size(), 4U);
  std::sort(evicted.begin() + 2, evicted.end());  // V(5) is a set
  EXPECT_EQ(evicted, (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

TEST(LimitedRun, FetchesHintsWhenNothingIsMoreUrgent) {
  // b1 is asked for ahead with T0, so T1 need not wait for it: 1 s less than without.
  const auto seen = run_lists(product(2, 2), machine(1, 40, 1), {{0, 1, 2, 3}}, {DataId{3}});

  EXPECT_EQ(seen.at(Kind::load_started), (Times{{0, 0}, {0, 2}, {2, 3}, {10, 1}}));
  EXPECT_EQ(seen.trace.makespan_s, 19);
}

TEST(LimitedRun, DropsHintsOfAProcessorThatGetsNoTask) {
  TaskGraph::Parts parts;
  parts.bytes = {10, 100, 10};
  parts.add_task(std::vector<Index>{0}, 8);
  const auto workload = Workload::of_graph("wishes", TaskGraph(std::move(parts)));

  // D1 travels from 1 to 11; T0 ends at 5, nothing follows, so nobody wants D2 at 11.
  const auto seen = run_lists(workload, machine(1, 200, 1), {{0}}, {DataId{1}, DataId{2}});

  EXPECT_EQ(seen.at(Kind::load_started), (Times{{0, 0}, {1, 1}}));
  EXPECT_EQ(seen.trace.makespan_s, 5);
}

TEST(LimitedRun, ChargesTheTimeOfDecisionsToTasksWhereAsked) {
  const auto workload = product(20, 20);
  const Platform platform = machine(1, 100, 1);
  const auto choice = StrategyChoice::parse("eager", workload);

  const Trace free = simulate_limited(workload, platform, choice, 1, 0);
  const Trace charged = simulate_limited(workload, platform, choice, 1, 0, {}, Scheduling::charged);

  EXPECT_EQ(free.scheduling_s, 0);
  EXPECT_GT(charged.scheduling_s, 0);
  EXPECT_EQ(charged.loads, free.loads);
  EXPECT_EQ(charged.busy_s, free.busy_s);
  // In a buffer of one nothing overlaps, so each decision but the last, which finds no task, makes
  // the run longer by what it took. 2000 sums of times around 2000 s, rounded to 2^-43.
  EXPECT_GT(charged.makespan_s, free.makespan_s);
  EXPECT_LE(charged.makespan_s, free.makespan_s + charged.scheduling_s + 2000 * 0x1p-43);
}

TEST(LimitedRun, ChargesTheMakingOfAStrategyToTheStart) {
  const auto workload = product(2, 2);
  const auto eager = StrategyChoice::parse("eager", workload);
  StrategyEntry slow = *eager.entry;
  slow.make = [&](const StrategyContext& context) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return eager.entry->make(context);
  };
  double first_load_s = -1;
  const Watcher watcher = [&](const RunEvent& event) {
    if (event.kind == Kind::load_started && first_load_s < 0) first_load_s = event.time_s;
  };

  const Trace charged = simulate_limited(workload, machine(1, 100, 1), {&slow, eager.spec}, 1, 0,
                                         watcher, Scheduling::charged);

  EXPECT_GE(first_load_s, 0.02);
  EXPECT_GE(charged.scheduling_s, 0.02);
}

TEST(LimitedRun, RefusesATaskLargerThanAMemory) {
  const auto refusal = [](std::uint64_t memory, bool write_back) {
    Platform platform = machine(2, memory, 1);
    platform.machine->processors[0].memory_bytes = 100;
    platform.machine->write_back = write_back;
    return error_text([&] { run(product(2, 2), platform, "eager"); });
  };
  EXPECT_EQ(
      refusal(19, false),
      "task GEMM(0,0) of 'product' reads 20 B, but GPU1 has 19 B of memory; give memory=2data or more");
  EXPECT_EQ(refusal(20, false), "no error");
  EXPECT_EQ(
      refusal(24, true),
      "task GEMM(0,0) of 'product' reads and writes 25 B, but GPU1 has 24 B of memory; give memory=3data or more");
  EXPECT_EQ(refusal(25, true), "no error");
}

TEST(LimitedRun, RefusesAWorkloadWithoutSizes) {
  EXPECT_EQ(error_text([] { run(Workload::outer(2, 2), machine(1, 40, 1), "eager"); }),
            "workload 'outer:n=2' has no bytes and flops, which a platform of limited memory "
            "needs; use gemm2d or gemm3d:c=yes for the same tasks with sizes");
}

TEST(LimitedRun, RefusesANumberOfDataWhereTheirSizesDiffer) {
  TaskGraph::Parts parts;
  parts.bytes = {10, 20};
  parts.add_task(std::vector<Index>{0, 1}, 8);
  const auto workload = Workload::of_graph("two-sizes", TaskGraph(std::move(parts)));
  Platform platform = machine(1, 0, 1);
  platform.machine->processors[0].memory_data = 2;
  EXPECT_EQ(
      error_text([&] { run(workload, platform, "eager"); }),
      "memory=2data on 'two-sizes', whose data items have several sizes; give a size in bytes, as memory=500MB");
}

TEST(LimitedRun, TakesAMemoryGivenAsANumberOfData) {
  Platform platform = machine(2, 30, 1);
  platform.machine->processors[0].memory_data = 2;
  EXPECT_EQ(memory_bytes(*platform.machine, product(2, 2)), (std::vector<std::uint64_t>{20, 30}));

  platform.machine->processors[0].memory_data = 1'000'000'000;
  const auto huge = Workload::grid("huge", 2, 2, 0, {.bytes = 1'000'000'000'000'000});
  // 10^24 bytes are more than can be counted: as many as can.
  EXPECT_EQ(memory_bytes(*platform.machine, huge)[0], std::numeric_limits<std::uint64_t>::max());
}

TEST(LimitedRun, GivesUpIfTheStrategyStopsEarly) {
  try {
    run_lists(product(2, 2), machine(2, 40, 2), {{0, 1}, {3}});
    FAIL() << "no error";
  } catch (const NoProgress& error) {
    EXPECT_STREQ(error.what(), "the strategy ran 3 of 4 tasks and stopped");
  }
}

}  // namespace
}  // namespace damocles::limited_run_test
