#include "sim/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "models/error.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles::simulate_test {
namespace {

Trace run(const Workload& workload, const Platform& platform, const std::string& choice,
          std::uint64_t seed, const Observer& observer = {}) {
  return simulate(workload, platform, StrategyChoice::parse(choice, workload), seed, 0, observer);
}

std::vector<std::uint32_t> start_order(std::uint64_t seed, std::uint32_t processors) {
  std::vector<std::uint32_t> order(processors);
  std::iota(order.begin(), order.end(), 0U);
  Rng(seed, Draw::start_order, 0).shuffle(std::span(order));
  return order;
}

/// A seed with which the processors ask in this order at time 0.
std::uint64_t seed_with_start(const std::vector<std::uint32_t>& order) {
  std::uint64_t seed = 0;
  while (start_order(seed, static_cast<std::uint32_t>(order.size())) != order) ++seed;
  return seed;
}

using Counts = std::vector<std::uint64_t>;

/// 2 x 2, speeds 2 and 1, P0 asks first. Tasks in order (0,0), (0,1), (1,0), (1,1):
///
///   0.0  P0: (0,0), sent a_0 b_0, until 0.5     P1: (0,1), sent a_0 b_1, until 1
///   0.5  P0: (1,0), sent a_1, until 1
///   1.0  both are idle; the tie goes to P0: (1,1), sent b_1, until 1.5.  P1: nothing
TEST(Simulate, BreaksTiesByProcessor) {
  const auto trace =
      run(Workload::outer(2, 2), Platform{{2, 1}, 0}, "sorted", seed_with_start({0, 1}));

  EXPECT_EQ(trace.loads, (Counts{4, 2}));
  EXPECT_EQ(trace.tasks, (Counts{3, 1}));
  EXPECT_EQ(trace.busy_s, (std::vector<double>{1.5, 1}));
  EXPECT_EQ(trace.makespan_s, 1.5);
  EXPECT_DOUBLE_EQ(trace.busy_fraction(), 2.5 / 3);
}

/// The same, but P1 asks first:
///
///   0.0  P1: (0,0), sent a_0 b_0, until 1       P0: (0,1), sent a_0 b_1, until 0.5
///   0.5  P0: (1,0), sent a_1 b_0, until 1
///   1.0  P0: (1,1), sent nothing, until 1.5
TEST(Simulate, LetsAllAskAtTimeZeroInTheDrawnOrder) {
  const auto trace =
      run(Workload::outer(2, 2), Platform{{2, 1}, 0}, "sorted", seed_with_start({1, 0}));

  EXPECT_EQ(trace.loads, (Counts{4, 2}));
  EXPECT_EQ(trace.tasks, (Counts{3, 1}));
  EXPECT_EQ(trace.makespan_s, 1.5);

  Counts first_tasks(2, 99);
  run(Workload::outer(2, 2), Platform{{2, 1}, 0}, "sorted", seed_with_start({1, 0}),
      [&](double now, ProcessorId processor, const Grant& grant) {
        if (now > 0) return;
        grant.tasks.for_each([&](TaskId task) { first_tasks[raw(processor)] = raw(task); });
      });
  EXPECT_EQ(first_tasks, (Counts{1, 0}));
}

/// 3 x 3, equal speeds, P0 first: they take turns. P0 runs (0,0) (0,2) (1,1) (2,0) (2,2) and P1
/// (0,1) (1,0) (1,2) (2,1): either needs all six blocks. P0's fifth task ends at 5.
TEST(Simulate, TakesTurnsAtEqualSpeeds) {
  const auto trace =
      run(Workload::outer(3, 3), Platform{{1, 1}, 0}, "sorted", seed_with_start({0, 1}));

  EXPECT_EQ(trace.loads, (Counts{6, 6}));
  EXPECT_EQ(trace.tasks, (Counts{5, 4}));
  EXPECT_EQ(trace.makespan_s, 5);
  EXPECT_DOUBLE_EQ(trace.busy_fraction(), 0.9);
}

/// 2 x 2 x 2 alone, speed 4: one task with 3 blocks at 0, the other 7 with 9 blocks at 1/4,
/// until 2.
TEST(Simulate, AsksAgainWhenTheTasksOfAGrantAreDone) {
  std::vector<double> times;
  Counts granted;

  const auto trace = run(Workload::matrix(2, 2, 2), Platform{{4}, 0}, "dynamic", 1,
                         [&](double now, ProcessorId, const Grant& grant) {
                           times.push_back(now);
                           granted.push_back(grant.tasks.size());
                         });

  EXPECT_EQ(times, (std::vector<double>{0, 0.25, 2}));
  EXPECT_EQ(granted, (Counts{1, 7, 0}));
  EXPECT_EQ(trace.loads, Counts{12});
  EXPECT_EQ(trace.makespan_s, 2);
}

/// 2 x 2, four equal processors, `dynamic`, seed 1. They start in the order 1, 0, 2, 3, and the
/// leading bits of the strategy's stream are 0 1 1 0 1 1 1 0 0 0 1 1 0 0 1 1: an index out of two
/// is the bit, an index out of one takes a bit that does not matter.
///
///   P1: i = 0, j = 1: sent a_0 b_1, granted (0,1), until 1.
///   P0: i = 1, j = 0: sent a_1 b_0, granted (1,0), until 1.
///   P2: i = 1, j = 1: sent a_1 b_1, granted (1,1), until 1.
///   P3: i = 1, j = 0: sent a_1 b_0, but (1,0) is P0's, so it asks again at once: i = 0, j = 1,
///       sent a_0 b_1, granted (0,0), the last one, until 1.
///   At 1 all ask, and nothing is left.
TEST(Simulate, AnswersAGrantWithoutTasksByAskingAgainAtOnce) {
  ASSERT_EQ(start_order(1, 4), (std::vector<std::uint32_t>{1, 0, 2, 3}));
  std::vector<std::uint32_t> asked;

  const auto trace = run(Workload::outer(2, 2), Scenario::homogeneous(4).draw(1, 0), "dynamic", 1,
                         [&](double, ProcessorId p, const Grant&) { asked.push_back(raw(p)); });

  EXPECT_EQ(asked, (std::vector<std::uint32_t>{1, 0, 2, 3, 3, 0, 1, 2, 3}));
  EXPECT_EQ(trace.loads, (Counts{2, 2, 2, 4}));
  EXPECT_EQ(trace.tasks, (Counts{1, 1, 1, 1}));
  EXPECT_EQ(trace.makespan_s, 1);
  EXPECT_EQ(trace.busy_fraction(), 1);
}

/// 1000 tasks, speeds 1 and 1000: the slow processor takes one of them for a second, in which the
/// fast one does the other 999, until 0.999.
TEST(Simulate, GivesTheFastProcessorItsShare) {
  const auto trace = run(Workload::matrix(2, 2, 250), Platform{{1, 1000}, 0}, "random", 1);

  EXPECT_EQ(trace.tasks, (Counts{1, 999}));
  EXPECT_EQ(trace.makespan_s, 1);
}

/// Speed 100 drifting by up to 20 % a task: after each task the speed is within those bounds, so
/// the time of 3 tasks alone is between (1 + 1/1.2 + 1/1.44)/100 and (1 + 1/0.8 + 1/0.64)/100.
TEST(Simulate, LetsSpeedsDriftAfterEachTask) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto trace = run(Workload::outer(1, 3), Platform{{100}, 0.2}, "sorted", seed);
    EXPECT_GT(trace.makespan_s, (1 + 1 / 1.2 + 1 / 1.44) / 100);
    EXPECT_LT(trace.makespan_s, (1 + 1 / 0.8 + 1 / 0.64) / 100);
  }
}

TEST(Simulate, KeepsDriftingSpeedsAtOneOrMore) {
  // From speed 1 with drift 0.9 a random walk would fall far below 1; clamped, each task takes at
  // most 1 s, and the first one exactly.
  const auto trace = run(Workload::outer(1, 400), Platform{{1}, 0.9}, "sorted", 1);

  EXPECT_GE(trace.makespan_s, 1);
  EXPECT_LE(trace.makespan_s, 400);
}

TEST(Simulate, DependsOnTheReplicate) {
  const auto workload = Workload::outer(20, 20);
  const auto choice = StrategyChoice::parse("random", workload);
  const auto platform = Scenario::homogeneous(20).draw(1, 0);

  EXPECT_NE(simulate(workload, platform, choice, 1, 0), simulate(workload, platform, choice, 1, 1));
  EXPECT_NE(simulate(workload, platform, choice, 1, 0), simulate(workload, platform, choice, 2, 0));
}

/// A strategy from a function, to see how the simulator takes what it should never be told.
class Scripted final : public Strategy {
 public:
  using Script = std::function<void(ProcessorId, Grant&)>;
  explicit Scripted(Script script) : script_(std::move(script)) {}
  void request(ProcessorId processor, Grant& grant) override { script_(processor, grant); }

 private:
  Script script_;
};

/// The text of the NoProgress with which a run of the script on 2 x 2 ends.
std::string failure(const Scripted::Script& script) {
  StrategyEntry entry;
  entry.name = "scripted";
  entry.make = [&](const StrategyContext&) { return std::make_unique<Scripted>(script); };
  const StrategyChoice choice{&entry, Spec::parse("scripted", "strategy")};
  try {
    static_cast<void>(simulate(Workload::outer(2, 2), Platform{{1, 1}, 0}, choice, 1, 0));
  } catch (const NoProgress& error) {
    return error.what();
  }
  return "no error";
}

TEST(Simulate, RefusesToSendADataTwice) {
  EXPECT_EQ(failure([](ProcessorId, Grant& grant) {
              grant.loads = {DataId{1}, DataId{3}, DataId{3}};
              grant.tasks.add(TaskId{0});
            }),
            "data b(1) is sent to P0 twice");
}

TEST(Simulate, RefusesAStrategyThatStopsBeforeTheLastTask) {
  std::uint64_t next = 0;
  EXPECT_EQ(failure([&](ProcessorId, Grant& grant) {
              if (next < 3) grant.tasks.add(TaskId{next++});
            }),
            "the strategy granted 3 of 4 tasks and stopped");
}

}  // namespace
}  // namespace damocles::simulate_test
