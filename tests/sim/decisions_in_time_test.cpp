// What a strategy's own time and its refusals do to a run: by strategies that sleep and that hold
// back.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "strategies/registry.hpp"

namespace damocles::decisions_in_time_test {
namespace {

using Index = TaskGraph::Index;

/// Grants the tasks one by one, in order, to whoever `serves` says; every grant takes `pause`.
class OneByOne final : public Strategy {
 public:
  using Serves = std::function<bool(ProcessorId, std::uint64_t started)>;

  OneByOne(std::uint64_t tasks, std::chrono::milliseconds pause, Serves serves)
      : tasks_(tasks), pause_(pause), serves_(std::move(serves)) {}

  void request(ProcessorId processor, Grant& grant) override {
    if (raw(processor) == 1) ++asked_by_1;
    if (next_ == tasks_ || !serves_(processor, started_)) return;
    std::this_thread::sleep_for(pause_);
    grant.tasks.add(TaskId{next_++});
  }
  void on_started(ProcessorId, TaskId) override { ++started_; }
  /// When the third task has started.
  [[nodiscard]] bool consume_wakeup() override { return wakes && started_ == 3; }

  static inline bool wakes = true;
  static inline std::uint64_t asked_by_1 = 0;

 private:
  std::uint64_t tasks_;
  std::chrono::milliseconds pause_;
  Serves serves_;
  std::uint64_t next_ = 0;
  std::uint64_t started_ = 0;
};

Trace run(const Workload& workload, const Platform& platform, std::chrono::milliseconds pause,
          const OneByOne::Serves& serves, Scheduling charge) {
  const StrategyEntry entry{
      .name = "one-by-one", .source = "", .summary = "", .make = [&](const StrategyContext&) {
        return std::make_unique<OneByOne>(workload.tasks(), pause, serves);
      }};
  return simulate_limited(workload, platform, {&entry, Spec::parse("one-by-one", "strategy")}, 1, 0,
                          {}, charge);
}

/// Six tasks of 1 s that read one data item of 1 B, which travels for 1 s.
Workload six_tasks() {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  for (int task = 0; task < 6; ++task) parts.add_task(std::vector<Index>{0}, 1);
  return Workload::of_graph("six", TaskGraph(std::move(parts)));
}

Platform machine(std::size_t gpus) {
  Platform platform{.speeds = std::vector<double>(gpus, 1)};
  platform.machine =
      MachineModel{.processors = std::vector<ProcessorModel>(
                       gpus, {.flops_per_s = 1,
                              .memory_bytes = 1,
                              .link_bytes_per_s = std::numeric_limits<double>::infinity()}),
                   .bus_bytes_per_s = 1,
                   .depth = 1,
                   .jitter = 0};
  return platform;
}

bool everybody(ProcessorId, std::uint64_t) { return true; }

TEST(DecisionsInTime, DelayTheTaskTheyGrantedWhereCharged) {
  constexpr std::chrono::milliseconds pause{3};

  const Trace charged = run(six_tasks(), machine(1), pause, everybody, Scheduling::charged);

  // 1 s of loading, 6 s of tasks, and in a buffer of one nothing beside a decision.
  EXPECT_GE(charged.makespan_s, 7 + 6 * 0.003 - 1e-12);
  EXPECT_GE(charged.scheduling_s, 6 * 0.003);
}

TEST(DecisionsInTime, TakeNoneWhereFree) {
  const Trace free = run(six_tasks(), machine(1), {}, everybody, Scheduling::free);

  EXPECT_EQ(free.makespan_s, 7);
}

TEST(DecisionsInTime, AreAskedForAgainByAProcessorThatGotNothing) {
  // Processor 1 gets nothing until three tasks were started on processor 0, at 1, 2 and 3 s; then
  // it loads for 1 s and takes every second one.
  const auto later = [](ProcessorId p, std::uint64_t started) {
    return raw(p) == 0 || started > 2;
  };

  const Trace trace = run(six_tasks(), machine(2), {}, later, Scheduling::free);

  EXPECT_EQ(trace.tasks, (std::vector<std::uint64_t>{5, 1}));
  EXPECT_EQ(trace.makespan_s, 6);
}

TEST(DecisionsInTime, AreNotAskedForByAProcessorForWhichThereIsNothing) {
  const auto first_alone = [](ProcessorId p, std::uint64_t) { return raw(p) == 0; };
  OneByOne::wakes = false;
  OneByOne::asked_by_1 = 0;

  const Trace trace = run(six_tasks(), machine(2), {}, first_alone, Scheduling::free);

  OneByOne::wakes = true;
  EXPECT_EQ(trace.tasks, (std::vector<std::uint64_t>{6, 0}));
  EXPECT_EQ(OneByOne::asked_by_1, 2U);  // as the others first asked, and as loads began
}

/// When each of four tasks was granted, all of them while the decision before lasts.
std::vector<double> granted_s(std::size_t gpus, double handover_s) {
  const Workload workload = Workload::parse("gemm2d:n=2");
  Platform platform = Scenario::parse("gpus:k=2,jitter=off,decision=1s").draw(1, 0);
  platform.machine->processors.resize(gpus);
  platform.speeds.resize(gpus);
  platform.machine->depth = 4 / gpus;
  platform.machine->handover_s = handover_s;
  std::vector<double> times;
  [[maybe_unused]] const Trace trace = simulate_limited(
      workload, platform, StrategyChoice::parse("darts", workload), 1, 0, [&](const auto& event) {
        if (event.kind == RunEvent::Kind::granted) times.push_back(event.time_s);
      });
  return times;
}

/// Two processors ask in turn: the second waits for one handover, the first again for two, ...
TEST(DecisionsInTime, WhoWaitsForAnotherOnesDecisionGoesOnLater) {
  const auto at_once = granted_s(2, 0);

  const auto later = granted_s(2, 0.5);

  ASSERT_EQ(at_once.size(), 4U);
  ASSERT_EQ(later.size(), 4U);
  EXPECT_GT(at_once[0], 0);
  for (std::size_t i = 0; i < later.size(); ++i) {
    EXPECT_EQ(later[i], at_once[i] + 0.5 * static_cast<double>(i)) << i;
  }
}

TEST(DecisionsInTime, WhoDecidesAgainHandsNothingOver) {
  EXPECT_EQ(granted_s(1, 0.5), granted_s(1, 0));
}

}  // namespace
}  // namespace damocles::decisions_in_time_test
