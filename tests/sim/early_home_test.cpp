// Data items that go home early in simulated runs (starpu_data_wont_use()): they are sent to host
// memory after their last write, one after the other, while tasks still read them.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "tests/sim/one_gpu.hpp"

namespace damocles::early_home_test {
namespace {

using Index = TaskGraph::Index;
using Parts = TaskGraph::Parts;

constexpr Lifetime kept = Lifetime::kept;
constexpr Lifetime early = Lifetime::early_home;

Trace run(Parts parts, std::vector<Lifetime> lifetimes, const Platform& platform,
          const Watcher& watcher = {}) {
  parts.lifetimes = std::move(lifetimes);
  const Workload workload = Workload::of_graph("by hand", TaskGraph(std::move(parts)));
  return simulate_limited(workload, platform, StrategyChoice::parse("eager", workload), 1, 0,
                          watcher);
}

/// A task of 1 s makes X (0) of 10 B; three of 5 s read it; the last one, which waits for these,
/// needs the room for Y (1).
Parts made_and_read() {
  Parts parts;
  parts.bytes = {10, 10};
  parts.add_task(std::vector<Index>{0}, std::vector{Access::write}, 1);
  for (int t = 0; t < 3; ++t) {
    parts.add_task(std::vector<Index>{0}, std::vector{Access::read}, 5);
  }
  parts.add_task(std::vector<Index>{1}, std::vector{Access::write}, 1);
  parts.dependencies = {{4, 3}};
  return parts;
}

TEST(EarlyHome, SendsDataHomeWhileTasksStillReadIt) {
  // X travels from 1 to 11, the readers run until 16, and Y is made until 17; else X leaves for Y
  // from 16 to 26.
  const Trace at_the_end = run(made_and_read(), {kept, kept}, one_gpu(10));
  EXPECT_DOUBLE_EQ(at_the_end.makespan_s, 27);
  EXPECT_EQ(at_the_end.bytes_written[0], 10U);
  const Trace sent = run(made_and_read(), {early, kept}, one_gpu(10));
  EXPECT_DOUBLE_EQ(sent.makespan_s, 17);
  EXPECT_EQ(sent.bytes_written[0], 10U);
  EXPECT_EQ(sent.loads[0], 0U);
}

TEST(EarlyHome, SendsWhatIsWrittenLastAfterTheRunToo) {
  const Trace trace = run(made_and_read(), {early, early}, one_gpu(10));
  EXPECT_DOUBLE_EQ(trace.makespan_s, 17);  // Y travels then, and delays nobody
  EXPECT_EQ(trace.bytes_written[0], 20U);
}

TEST(EarlyHome, SendsAnItemOnceAfterItsLastWrite) {
  Parts parts;
  parts.bytes = {10};
  for (int t = 0; t < 4; ++t) {
    parts.add_task(std::vector<Index>{0}, std::vector{Access::read_write}, 20);
  }
  const Trace trace = run(parts, {early}, one_gpu(10, true));
  EXPECT_EQ(trace.bytes_written[0], 10U);
  EXPECT_DOUBLE_EQ(trace.makespan_s, 100);  // loaded until 10, computed until 90, home at 100
}

TEST(EarlyHome, SendsOneItemAfterTheOther) {
  // Four tasks of 1 s make 10 B each. An item leaves when the one before it is home, so that
  // another processor that asks for one would not wait for all of them.
  Parts parts;
  parts.bytes = {10, 10, 10, 10};
  for (Index t = 0; t < 4; ++t) parts.add_task(std::vector{t}, std::vector{Access::write}, 1);
  std::vector<double> left_s;
  run(parts, {early, early, early, early}, one_gpu(40), [&](const RunEvent& event) {
    if (event.kind == RunEvent::Kind::return_started) left_s.push_back(event.time_s);
  });
  EXPECT_EQ(left_s, (std::vector<double>{1, 11, 21, 31}));
}

TEST(EarlyHome, SendsEachTileOfAFactorisationOnce) {
  // Each tile is written for the last time once, and sent once; on one GPU nobody asks for it.
  const Workload workload = Workload::parse("cholesky:n=6,deps=true,home=early");
  const Platform platform =
      Scenario::parse("gpus:k=1,memory=16GB,times=POTRF:9ms+TRSM:9ms+SYRK:9ms+GEMM:9ms").draw(1, 0);
  const Trace trace =
      simulate_limited(workload, platform, StrategyChoice::parse("dmdas", workload), 1, 0);
  EXPECT_EQ(trace.bytes_written[0], workload.graph().bytes(0) * 21);
  EXPECT_EQ(trace.loads[0], 21U);
}

}  // namespace
}  // namespace damocles::early_home_test
