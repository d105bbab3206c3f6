// Temporary data in simulated runs: they are dropped after their last access, and written to host
// memory only where they are evicted before it, or sent to another processor.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/bounds/workload_bound.hpp"
#include "models/platforms/platform.hpp"
#include "sim/limited_run.hpp"
#include "tests/sim/one_gpu.hpp"
#include "tests/strategies/writing_graphs.hpp"

namespace damocles::temporary_data_test {
namespace {

using Index = TaskGraph::Index;
using Parts = TaskGraph::Parts;

Trace run(const Parts& parts, std::uint64_t memory_bytes, bool write_back = false) {
  const Workload workload = Workload::of_graph("by hand", TaskGraph(parts));
  return simulate_limited(workload, one_gpu(memory_bytes, write_back),
                          StrategyChoice::parse("eager", workload), 1, 0);
}

constexpr Lifetime kept = Lifetime::kept;
constexpr Lifetime temporary = Lifetime::temporary;

Parts with_lifetimes(Parts parts, std::vector<Lifetime> lifetimes) {
  parts.lifetimes = std::move(lifetimes);
  return parts;
}

/// Tasks of 1 s; A has 1 B. X (1), which the first makes and the second reads, is then of no use,
/// and has to make room for Y (2).
Parts dead_copy() {
  Parts parts;
  parts.bytes = {1, 10, 10};
  parts.add_task(std::vector<Index>{0, 1}, std::vector{Access::read, Access::write}, 1);
  parts.add_task(std::vector<Index>{1, 0}, std::vector{Access::read, Access::write}, 1);
  parts.add_task(std::vector<Index>{0, 2}, std::vector{Access::read, Access::write}, 1);
  return parts;
}

TEST(TemporaryData, LeaveWithoutATransferAfterTheirLastAccess) {
  // A is loaded until 1, and the tasks run until 4. Else X goes to host memory from 3 to 13.
  const Trace without = run(dead_copy(), 12);
  EXPECT_DOUBLE_EQ(without.makespan_s, 14);
  EXPECT_EQ(without.bytes_written[0], 10U);
  const Trace with = run(with_lifetimes(dead_copy(), {kept, temporary, kept}), 12);
  EXPECT_DOUBLE_EQ(with.makespan_s, 4);
  EXPECT_EQ(with.bytes_written[0], 0U);
  EXPECT_EQ(with.evictions[0], 0U);
  EXPECT_EQ(with.invalidations[0], 1U);
}

TEST(TemporaryData, AreWrittenHomeWhenEvictedBeforeTheirLastAccess) {
  Parts parts;  // B (1) and C (2) need all the room while a task is still to read X (0)
  parts.bytes = {10, 10, 10};
  parts.lifetimes = {temporary, kept, kept};
  parts.add_task(std::vector<Index>{0}, std::vector{Access::write}, 1);
  parts.add_task(std::vector<Index>{1, 2}, std::vector{Access::read, Access::write}, 1);
  parts.add_task(std::vector<Index>{0}, std::vector{Access::read}, 1);
  const Trace trace = run(parts, 20);
  EXPECT_EQ(trace.bytes_written[0], 10U);  // X
  EXPECT_EQ(trace.loads[0], 2U);           // B, and X again
}

/// A task of 1 s makes X (0), of which another of 1 s makes Y (1).
Parts chain() {
  Parts parts;
  parts.bytes = {10, 10};
  parts.add_task(std::vector<Index>{0}, std::vector{Access::write}, 1);
  parts.add_task(std::vector<Index>{0, 1}, std::vector{Access::read, Access::write}, 1);
  return parts;
}

TEST(TemporaryData, DoNotGoHomeAtTheEnd) {
  EXPECT_DOUBLE_EQ(run(chain(), 20, true).makespan_s, 22);
  const Trace trace = run(with_lifetimes(chain(), {temporary, kept}), 20, true);
  EXPECT_DOUBLE_EQ(trace.makespan_s, 12);  // Y from 2 to 12
  EXPECT_EQ(trace.bytes_written[0], 10U);
}

TEST(TemporaryData, AreNoReturnsToTheBoundOnTime) {
  const auto bound_s = [](const Parts& parts) {
    const Workload workload = Workload::of_graph("by hand", TaskGraph(parts));
    const Platform platform = one_gpu(20, true);
    return workload_makespan_bound(workload, platform,
                                   workload_load_bound(workload, *platform.machine))
        .seconds;
  };
  EXPECT_DOUBLE_EQ(bound_s(with_lifetimes(chain(), {temporary, kept})), 12);
  EXPECT_DOUBLE_EQ(bound_s(with_lifetimes(chain(), {temporary, temporary})), 2);
  EXPECT_DOUBLE_EQ(bound_s(chain()), 21);  // X from 1 on, and Y, over one stream
}

/// What tasks make and others read last is temporary here; what else they write are results.
TEST(TemporaryData, LeaveOnlyResultsToReturn) {
  for (const auto* text : {"layered:n=4,layers=4,tile=1", "stencil:n=3,steps=2,tile=1"}) {
    Parts parts = Workload::parse(text).graph().parts();
    const TaskGraph graph(parts);
    std::vector<bool> met(graph.data(), false);
    std::vector<bool> made(graph.data(), false);
    std::vector<bool> written(graph.data(), false);
    std::vector<bool> written_last(graph.data(), false);
    for (Index task = 0; task < graph.tasks(); ++task) {
      graph.for_each_access(task, [&](Index data, Access access) {
        if (!met[data]) made[data] = access == Access::write;
        met[data] = true;
        written[data] = written[data] || writes(access);
        written_last[data] = writes(access);
      });
    }
    std::uint64_t all = 0;
    std::uint64_t results = 0;
    std::uint64_t passed_on = 0;
    parts.lifetimes.assign(graph.data(), kept);
    for (Index data = 0; data < graph.data(); ++data) {
      if (made[data] && !written_last[data]) parts.lifetimes[data] = temporary;
      all += graph.bytes(data);
      if (parts.lifetimes[data] == temporary) {
        passed_on += graph.bytes(data);
      } else if (written[data]) {
        results += graph.bytes(data);
      }
    }
    EXPECT_GT(passed_on, 0U) << text;
    EXPECT_EQ(run(parts, all, true).bytes_written[0], results) << text;
    EXPECT_EQ(run(with_lifetimes(parts, {}), all, true).bytes_written[0], results + passed_on)
        << text;
  }
}

TEST(TemporaryData, MoveNoMoreThanOthersOnDrawnGraphs) {
  Rng rng(29, Draw::test, 0);
  std::uint64_t tight_loads[2] = {0, 0};
  std::uint64_t tight_bytes[2] = {0, 0};
  std::uint64_t ample_bytes[2] = {0, 0};
  for (int i = 0; i < 400; ++i) {
    const TaskGraph graph = drawn_writing_graph(rng);
    std::uint64_t all = 1;
    std::uint64_t least = 1;
    for (Index data = 0; data < graph.data(); ++data) all += graph.bytes(data);
    for (Index task = 0; task < graph.tasks(); ++task) {
      least = std::max(least, graph.footprint(task));
    }
    Parts with = graph.parts();  // of which none goes home early
    for (Lifetime& lifetime : with.lifetimes) lifetime = lifetime == temporary ? temporary : kept;
    const Parts without = with_lifetimes(with, {});
    const Trace ample[2] = {run(without, all, true), run(with, all, true)};
    EXPECT_EQ(ample[1].loads, ample[0].loads) << i;
    EXPECT_LE(ample[1].bytes_written[0], ample[0].bytes_written[0]) << i;
    EXPECT_LE(ample[1].makespan_s, ample[0].makespan_s) << i;
    const Trace tight[2] = {run(without, least, true), run(with, least, true)};
    for (int flags = 0; flags < 2; ++flags) {
      ample_bytes[flags] += ample[flags].bytes_written[0];
      tight_bytes[flags] += tight[flags].bytes_written[0];
      tight_loads[flags] += tight[flags].loads[0];
    }
  }
  EXPECT_LT(ample_bytes[1], ample_bytes[0]);
  EXPECT_LT(tight_bytes[1], tight_bytes[0]);
  EXPECT_LE(tight_loads[1], tight_loads[0]);
}

}  // namespace
}  // namespace damocles::temporary_data_test
