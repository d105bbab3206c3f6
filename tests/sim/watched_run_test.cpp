#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "sim/simulate.hpp"

namespace damocles::watched_run_test {
namespace {

using Kind = RunEvent::Kind;

struct Watched {
  Trace trace;
  std::vector<RunEvent> events;
};

Watched watch(const Workload& workload, const Platform& platform, const std::string& strategy,
              std::uint64_t seed) {
  Watched result;
  result.trace = simulate(workload, platform, StrategyChoice::parse(strategy, workload), seed, 0,
                          {}, [&](const RunEvent& event) { result.events.push_back(event); });
  return result;
}

/// 1 x 2 on one processor of speed 2. `dynamic` adds one index to each dimension at first: a_0 and
/// one b with the task of both; the other b follows at 0.5 with the other task, until 1.
TEST(WatchedRun, TellsOfGrantsLoadsAndTasks) {
  const auto [trace, events] = watch(Workload::outer(1, 2), Platform{{2}}, "dynamic", 1);

  ASSERT_EQ(trace.makespan_s, 1);
  ASSERT_FALSE(events.empty());
  const std::uint64_t task = events.front().id;  // drawn: b_0 or b_1 comes first
  const std::uint64_t other = 1 - task;
  const ProcessorId p{0};
  EXPECT_EQ(events, (std::vector<RunEvent>{{Kind::granted, 0, p, task},
                                           {Kind::load_started, 0, p, 0},
                                           {Kind::load_ended, 0, p, 0},
                                           {Kind::load_started, 0, p, 1 + task},
                                           {Kind::load_ended, 0, p, 1 + task},
                                           {Kind::task_started, 0, p, task},
                                           {Kind::task_ended, 0.5, p, task},
                                           {Kind::granted, 0.5, p, other},
                                           {Kind::load_started, 0.5, p, 1 + other},
                                           {Kind::load_ended, 0.5, p, 1 + other},
                                           {Kind::task_started, 0.5, p, other},
                                           {Kind::task_ended, 1, p, other}}));
}

/// What the events say of one processor, counted one by one.
struct Books {
  std::set<std::uint64_t> held, granted, done;
  std::uint64_t loads = 0;
  double busy_s = 0, free_s = 0, started_s = 0;
};

class WatchedRuns : public testing::TestWithParam<const char*> {};

TEST_P(WatchedRuns, AddUpToTheTraceAndChangeNothing) {
  const auto workload = Workload::outer(13, 9);
  for (const char* const strategy : {"sorted", "random", "dynamic", "dynamic-2phases:beta=2"}) {
    const Platform platform = Scenario::parse(GetParam()).draw(3, 0);

    const auto [trace, events] = watch(workload, platform, strategy, 3);

    EXPECT_EQ(trace, simulate(workload, platform, StrategyChoice::parse(strategy, workload), 3, 0));
    std::vector<Books> books(platform.processors());
    for (const auto& [kind, time, processor, id, lender, overwritten] : events) {
      EXPECT_TRUE(!lender && !overwritten);
      Books& book = books.at(raw(processor));
      switch (kind) {
        case Kind::granted:
          EXPECT_TRUE(book.granted.insert(id).second);
          EXPECT_EQ(time, book.free_s) << "asks when its tasks are done";
          break;
        case Kind::load_started:
          EXPECT_EQ(time, book.free_s);
          ++book.loads;
          break;
        case Kind::load_ended:
          EXPECT_EQ(time, book.free_s) << "communication is free";
          EXPECT_TRUE(book.held.insert(id).second);
          break;
        case Kind::task_started:
          EXPECT_EQ(time, book.free_s);
          EXPECT_TRUE(book.granted.contains(id));
          workload.for_each_input(TaskId{id},
                                  [&](DataId data) { EXPECT_TRUE(book.held.contains(raw(data))); });
          book.started_s = time;
          break;
        case Kind::task_ended:
          EXPECT_GT(time, book.started_s);
          book.busy_s += time - book.started_s;
          book.free_s = time;
          EXPECT_TRUE(book.done.insert(id).second);
          break;
        case Kind::evicted:
        case Kind::created:
        case Kind::return_started:
        case Kind::return_ended:
        case Kind::joined:
        case Kind::left:
          ADD_FAILURE() << "nothing leaves unlimited memory, and each computes alone";
      }
    }
    double last = 0;
    for (std::size_t p = 0; p < books.size(); ++p) {
      EXPECT_EQ(books[p].loads, trace.loads[p]);
      EXPECT_EQ(books[p].done.size(), trace.tasks[p]);
      EXPECT_EQ(books[p].done, books[p].granted);
      // Each of up to 117 differences is off by an ulp of the makespan at most.
      EXPECT_NEAR(books[p].busy_s, trace.busy_s[p], 117 * 2.3e-16 * trace.makespan_s);
      last = std::max(last, books[p].free_s);
    }
    EXPECT_EQ(last, trace.makespan_s);
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, WatchedRuns,
                         testing::Values("homogeneous:p=3", "unif.2:p=5", "dyn.20:p=4",
                                         "speeds:7"));

TEST(WatchedRun, PassesTheWatcherOnWhereMemoryIsLimited) {
  const auto workload = Workload::parse("gemm2d:n=4");
  const auto platform = Scenario::parse("gpus:k=2,memory=3data").draw(1, 0);
  const auto choice = StrategyChoice::parse("eager", workload);
  std::vector<RunEvent> direct;
  const Trace expected = simulate_limited(workload, platform, choice, 1, 0,
                                          [&](const RunEvent& event) { direct.push_back(event); });

  const auto [trace, events] = watch(workload, platform, "eager", 1);

  EXPECT_EQ(trace, expected);
  EXPECT_EQ(events, direct);
  EXPECT_FALSE(events.empty());
}

}  // namespace
}  // namespace damocles::watched_run_test
