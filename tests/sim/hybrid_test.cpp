#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"

namespace damocles::hybrid_test {
namespace {

struct Ideal {
  double all_s;   // all processors together, without a break
  double task_s;  // the slowest, one task
};

Ideal ideal(const Workload& workload, const Platform& platform) {
  const auto& speeds = platform.speeds;
  return {
      static_cast<double>(workload.tasks()) / std::accumulate(speeds.begin(), speeds.end(), 0.0),
      1 / *std::min_element(speeds.begin(), speeds.end())};
}

std::uint64_t sum(const Trace& trace) {
  return std::accumulate(trace.loads.begin(), trace.loads.end(), std::uint64_t{0});
}

Trace run(const Workload& workload, const Platform& platform, const std::string& strategy,
          std::uint64_t seed) {
  return simulate(workload, platform, StrategyChoice::parse(strategy, workload), seed, 0);
}

/// Nobody waits while a task is open, and what is kept ends before all could: so nobody ends more
/// than a task later, however wrong the speeds are. A share of 1 breaks that.
TEST(Hybrid, EndsAtMostOneTaskOfTheSlowestLate) {
  std::size_t late = 0;
  for (const auto* const text : {"outer:n=40", "outer:m=11,n=90", "matrix:n=12"}) {
    const auto workload = Workload::parse(text);
    for (const auto* const error : {"0", "0.05", "0.3", "0.8"}) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto platform = Scenario::parse("uniform:p=7,lo=10,hi=100").draw(seed, 0);
        const auto [all_s, task_s] = ideal(workload, platform);
        const double most_s = (all_s + task_s) * (1 + 1e-12);  // sums are rounded
        const std::string strategy = std::string("hybrid:error=") + error;
        EXPECT_LE(run(workload, platform, strategy, seed).makespan_s, most_s) << text << strategy;
        late += run(workload, platform, strategy + ",share=1", seed).makespan_s > most_s ? 1 : 0;
      }
    }
  }
  EXPECT_GT(late, 120U);  // of 240: half of them at least have wrong speeds that count
}

/// With share=1 and exact speeds it is the static partition itself.
TEST(Hybrid, IsStaticWhereAllIsKept) {
  const auto same = [](const std::string& workload_text, const std::string& hybrid,
                       const std::string& other) {
    const auto workload = Workload::parse(workload_text);
    const auto platform = Scenario::parse("uniform:p=9,lo=10,hi=100").draw(3, 0);
    const Trace ours = run(workload, platform, hybrid, 1);
    const Trace theirs = run(workload, platform, other, 1);
    EXPECT_EQ(ours.loads, theirs.loads) << hybrid;
    EXPECT_NEAR(ours.makespan_s, theirs.makespan_s, 1e-9 * theirs.makespan_s);
  };
  same("outer:n=60", "hybrid:share=1,zones=columns", "static-columns");
  same("outer:n=60", "hybrid:share=1,zones=nrrp", "static-nrrp");
  same("matrix:n=15", "hybrid:share=1", "static-cuboids");
}

/// 2 x 4 tasks. Of equal processors each computes its 2 x 2 in 4 s. Of speeds 2 : 1 the fast one
/// gets three columns, the slow one one; 5.33 and 2.67 tasks are due, so 5 and 2 are kept. At 2 s
/// the slow one is done, the fast one busy until 2.5 s, and one task of its zone open: the slow one
/// takes it, as it has its row and lacks its column, and is done at 3 s.
TEST(Hybrid, ByHand) {
  const auto workload = Workload::parse("outer:m=2,n=4");
  const auto on = [&](const std::string& speeds) {
    return run(workload, Scenario::parse("speeds:" + speeds).draw(1, 0), "hybrid:zones=columns", 1);
  };
  EXPECT_EQ(on("1,1").loads, (std::vector<std::uint64_t>{4, 4}));
  EXPECT_EQ(on("1,1").makespan_s, 4);
  EXPECT_EQ(on("2,1").loads, (std::vector<std::uint64_t>{5, 4}));
  EXPECT_EQ(on("2,1").makespan_s, 3);
}

/// Speeds that drift far, taken for exact: helping each other keeps them together.
TEST(Hybrid, StaysTogetherWhereSpeedsDrift) {
  const auto workload = Workload::parse("outer:n=60");
  const auto platform = Scenario::parse("dyn.20:p=10").draw(1, 0);
  const double kept = run(workload, platform, "hybrid:share=1", 1).makespan_s;
  const double helped = run(workload, platform, "hybrid:assumed=0.5", 1).makespan_s;
  EXPECT_LT(helped, 0.8 * kept);
}

/// Fewer loads than either dynamic strategy, in as little time, with speeds wrong by a fifth.
TEST(Hybrid, LoadsFewerThanDynamic) {
  const auto workload = Workload::parse("outer:n=100");
  const auto platform = Scenario::parse("uniform:p=20,lo=10,hi=100").draw(1, 0);
  const auto ours = run(workload, platform, "hybrid:error=0.2", 1);
  EXPECT_LT(sum(ours), sum(run(workload, platform, "dynamic-2phases:beta=4", 1)) * 3 / 4);
  EXPECT_GT(sum(ours), sum(run(workload, platform, "static-columns", 1)));
}

}  // namespace
}  // namespace damocles::hybrid_test
