// Who waits for whom: rows, orders and circles, and what accesses imply, beside brute force.

#include "models/dependencies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "models/error.hpp"
#include "models/levels.hpp"
#include "models/rng.hpp"
#include "models/workload.hpp"

namespace damocles::dependencies_test {
namespace {

using Index = TaskGraph::Index;
using Wait = Dependencies::Wait;

std::vector<Index> of(std::span<const Index> tasks) { return {tasks.begin(), tasks.end()}; }

TEST(Dependencies, CountWaitsAndListWhoComesAfter) {
  const std::vector<Wait> waits{{3, 1}, {2, 0}, {3, 0}, {3, 1}};

  const Dependencies all(4, waits);

  EXPECT_EQ(all.size(), 3U);  // one was given twice
  EXPECT_EQ(all.waits_for(3), 2U);
  EXPECT_EQ(all.waits_for(2), 1U);
  EXPECT_EQ(all.waits_for(0), 0U);
  EXPECT_EQ(of(all.after(0)), (std::vector<Index>{2, 3}));
  EXPECT_EQ(of(all.after(1)), std::vector<Index>{3});
  EXPECT_TRUE(all.after(3).empty());
}

TEST(Dependencies, OrderTakesTheLowestThatMayCome) {
  EXPECT_EQ(Dependencies(4, std::vector<Wait>{{0, 3}}).order(4), (std::vector<Index>{1, 2, 3, 0}));
  EXPECT_EQ(Dependencies().order(3), (std::vector<Index>{0, 1, 2}));
}

TEST(Dependencies, CirclesAreFound) {
  EXPECT_TRUE(circle(4, std::vector<Wait>{{1, 0}, {2, 1}, {2, 0}, {3, 2}}).empty());
  EXPECT_EQ(circle(3, std::vector<Wait>{{1, 1}}), std::vector<Index>{1});
  EXPECT_EQ(circle(4, std::vector<Wait>{{0, 2}, {1, 0}, {2, 1}, {3, 0}}),
            (std::vector<Index>{0, 2, 1}));
}

/// Tasks of random accesses; some waits are given, some of them against the order of submission.
TaskGraph random_accesses(std::uint64_t seed, bool with_given) {
  Rng rng(seed, Draw::workload, 0);
  TaskGraph::Parts parts;
  constexpr std::size_t tasks = 12;
  constexpr std::size_t data = 4;
  parts.bytes.assign(data, 1);
  for (std::size_t t = 0; t < tasks; ++t) {
    std::vector<Index> accessed;
    std::vector<Access> how;
    for (std::uint64_t a = rng.below(4); a > 0; --a) {
      accessed.push_back(static_cast<Index>(rng.below(data)));
      constexpr std::array any{Access::read,       Access::write,   Access::read,
                               Access::read_write, Access::commute, Access::reduce};
      how.push_back(any.at(rng.below(any.size())));
    }
    parts.add_task(accessed, how, 1);
  }
  std::vector<Index> order(tasks);
  for (std::size_t t = 0; t < tasks; ++t) order[t] = static_cast<Index>(t);
  rng.shuffle(std::span(order));
  for (int wait = 0; with_given && wait < 5; ++wait) {
    const auto a = rng.below(tasks);
    const auto b = rng.below(tasks);
    if (a != b) parts.dependencies.emplace_back(order[std::max(a, b)], order[std::min(a, b)]);
  }
  return TaskGraph(std::move(parts));
}

/// reach[a][b]: b runs after a in every order.
std::vector<std::vector<bool>> reach(const TaskGraph& graph) {
  std::vector result(graph.tasks(), std::vector<bool>(graph.tasks()));
  const auto order = graph.dependencies().order(graph.tasks());
  for (std::size_t at = order.size(); at-- > 0;) {
    const Index task = order[at];
    for (const Index later : graph.dependencies().after(task)) {
      result[task][later] = true;
      for (std::size_t t = 0; t < graph.tasks(); ++t) {
        if (result[later][t]) result[task][t] = true;
      }
    }
  }
  return result;
}

/// Whether two tasks access one data item that one of them writes, and do not both commute on it or
/// both reduce into it.
bool conflict(const TaskGraph& graph, Index a, Index b) {
  bool found = false;
  graph.for_each_access(a, [&](Index data, Access one) {
    graph.for_each_access(b, [&](Index other, Access two) {
      const bool any_order = (commutes(one) && commutes(two)) || (reduces(one) && reduces(two));
      found = found || (data == other && (writes(one) || writes(two)) && !any_order);
    });
  });
  return found;
}

TEST(Dependencies, OfAccessesOrderEveryConflictAsItWasSubmitted) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph = random_accesses(seed, false);
    const auto after = reach(graph);
    ASSERT_EQ(graph.dependencies().order(graph.tasks()).size(), graph.tasks());
    for (Index a = 0; a < graph.tasks(); ++a) {
      for (Index b = a + 1; b < graph.tasks(); ++b) {
        ASSERT_TRUE(after[a][b] || !conflict(graph, a, b)) << seed << ": " << a << " " << b;
        ASSERT_FALSE(after[b][a]) << seed;
      }
      // Nobody waits for whom it does not conflict with.
      for (const Index b : graph.dependencies().after(a)) ASSERT_TRUE(conflict(graph, a, b));
    }
  }
}

/// Between what was written before and what is read after, in any order.
TEST(Dependencies, AreNoneAmongTasksThatCommuteOrReduce) {
  for (const Access how : {Access::commute, Access::reduce}) {
    TaskGraph::Parts parts;
    parts.bytes = {1};
    for (const Access each : {Access::write, how, how, Access::read, how}) {
      parts.add_task(std::vector<Index>{0}, std::vector{each}, 1);
    }

    const TaskGraph graph(std::move(parts));

    EXPECT_EQ(graph.commutes(), commutes(how));
    EXPECT_EQ(graph.reduces(), reduces(how));
    EXPECT_EQ(of(graph.dependencies().after(0)), (std::vector<Index>{1, 2}));
    EXPECT_EQ(of(graph.dependencies().after(1)), (std::vector<Index>{3}));
    EXPECT_EQ(of(graph.dependencies().after(2)), (std::vector<Index>{3}));
    EXPECT_EQ(of(graph.dependencies().after(3)), (std::vector<Index>{4}));
  }
}

TEST(Accesses, ThatReadOrOverwriteTooDoNotCommute) {
  for (const Access other : {Access::read, Access::write, Access::read_write}) {
    TaskGraph::Parts parts;
    parts.bytes = {1};
    parts.add_task(std::vector<Index>{0, 0}, std::vector{Access::commute, other}, 1);
    const TaskGraph graph(std::move(parts));
    EXPECT_EQ(graph.accesses(0)[0], Access::read_write);
    EXPECT_FALSE(graph.ordered());
  }
}

TEST(Dependencies, GivenOnesComeBeforeTheOrderOfSubmission) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph = random_accesses(seed, true);
    const auto after = reach(graph);
    ASSERT_EQ(graph.dependencies().order(graph.tasks()).size(), graph.tasks()) << "a circle";
    for (const auto& [task, before] : graph.parts().dependencies) {
      ASSERT_TRUE(after[before][task]);
    }
    for (Index a = 0; a < graph.tasks(); ++a) {
      for (Index b = a + 1; b < graph.tasks(); ++b) {
        ASSERT_TRUE(after[a][b] || after[b][a] || !conflict(graph, a, b)) << seed;
      }
    }
  }
}

TEST(Dependencies, InACircleAreRefusedByName) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  for (int t = 0; t < 3; ++t) parts.add_task(std::vector<Index>{0}, 1);
  parts.task_names = {"A", "B", "C"};
  parts.dependencies = {{0, 2}, {2, 1}, {1, 0}};
  try {
    const TaskGraph graph(std::move(parts));
    FAIL() << "taken";
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(
        error.what(),
        "the task graph has a cycle: 'A' after 'C' after 'B' after 'A'; remove one dependency");
  }
}

TEST(Accesses, OfOneDataByOneTaskAreOne) {
  TaskGraph::Parts parts;
  parts.bytes = {1, 1};
  parts.add_task(std::vector<Index>{0, 1, 0},
                 std::vector{Access::read, Access::read, Access::write}, 1);

  const TaskGraph graph(std::move(parts));

  EXPECT_EQ(of(graph.inputs(0)), (std::vector<Index>{0, 1}));
  EXPECT_EQ(graph.accesses(0)[0], Access::read_write);
  EXPECT_EQ(graph.accesses(0)[1], Access::read);
  EXPECT_FALSE(graph.creates_data());
  EXPECT_TRUE(graph.dependencies().empty());
}

TEST(Accesses, ThatOnlyReadAreAsIfNotSaid) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  parts.add_task(std::vector<Index>{0}, std::vector{Access::read}, 1);

  EXPECT_FALSE(TaskGraph(std::move(parts)).writes());
}

TEST(Accesses, TellWhatIsReadFromHome) {
  TaskGraph::Parts parts;
  parts.bytes = {1, 1, 1};
  parts.add_task(std::vector<Index>{0, 1}, std::vector{Access::read, Access::write}, 1);
  parts.add_task(std::vector<Index>{1, 0}, std::vector{Access::read, Access::read_write}, 1);

  const TaskGraph graph(std::move(parts));

  EXPECT_TRUE(graph.read_from_home(0));
  EXPECT_FALSE(graph.read_from_home(1));  // made by the first task
  EXPECT_FALSE(graph.read_from_home(2));  // nobody's
  EXPECT_TRUE(graph.creates_data());
}

// --- Bottom levels -------------------------------------------------------------------------------

TEST(Accesses, InAnyOrderAreNamedWhereMemoryHasNoLimit) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  for (int t = 0; t < 2; ++t)
    parts.add_task(std::vector<Index>{0}, std::vector{Access::commute}, 1);
  const Workload workload = Workload::of_graph("turns", TaskGraph(std::move(parts)));
  EXPECT_TRUE(workload.has_dependencies());
  try {
    workload.refuse_dependencies();
    FAIL() << "taken";
  } catch (const Infeasible& error) {
    EXPECT_NE(std::string(error.what()).find("has tasks that write its data"), std::string::npos)
        << error.what();
  }
}

/// They take turns: no schedule is shorter than all of them one after the other.
/// So many tasks one after the other that access one data item so.
void add_group(TaskGraph::Parts& parts, std::size_t tasks, Access how) {
  for (std::size_t t = 0; t < tasks; ++t) {
    parts.add_task(std::vector<Index>{0}, std::vector{how}, 1);
  }
}

/// Groups of 40 tasks in any order: each of a group waits for each of the group before.
TEST(Dependencies, OfLargeGroupsAreThoseOfEachPair) {
  TaskGraph::Parts parts;
  parts.bytes = {8};
  add_group(parts, 1, Access::write);
  const std::array groups{Access::read, Access::commute, Access::read, Access::reduce};
  for (const Access how : groups) add_group(parts, 40, how);
  parts.dependencies = {{45, 3}, {90, 3}, {7, 6}};  // some follow from accesses, one does not
  const TaskGraph graph(parts);
  const Dependencies& ours = graph.dependencies();
  std::vector<Wait> pairs = parts.dependencies;
  for (Index task = 1; task < graph.tasks(); ++task) {
    const Index group = (task - 1) / 40;
    const Index first = group == 0 ? 0 : 1 + 40 * (group - 1);
    for (Index before = first; before < 1 + 40 * group; ++before) pairs.emplace_back(task, before);
  }
  const Dependencies plain(graph.tasks(), pairs);

  EXPECT_EQ(ours.joints(), 3U);
  EXPECT_EQ(plain.joints(), 0U);
  EXPECT_EQ(ours.size(), plain.size() + 1);  // (45, 3) is held beside a joint
  EXPECT_EQ(ours.order(graph.tasks()), plain.order(graph.tasks()));
  for (Index task = 0; task < graph.tasks(); ++task) {
    ASSERT_EQ(ours.after(task), plain.after(task)) << task;
    ASSERT_EQ(ours.waits_for(task) > 0, plain.waits_for(task) > 0) << task;
    for (Index other = 0; other < graph.tasks(); ++other) {
      ASSERT_EQ(ours.waits(task, other), plain.waits(task, other)) << task << " " << other;
    }
  }
  std::vector<std::uint32_t> depth{0};
  for (Index task = 1; task < graph.tasks(); ++task) depth.push_back(1 + (task - 1) / 40);
  for (Index task = 7; task < graph.tasks(); ++task) depth[task] += task == 7 || task > 40 ? 1 : 0;
  EXPECT_EQ(depths(graph), depth);
  EXPECT_EQ(bottom_levels(graph, graph.parts().flops)[0], 6);
}

TEST(Countdown, FreesEachTaskWithTheLastThatItWaitsFor) {
  TaskGraph::Parts parts;
  parts.bytes = {8};
  for (const Access how : {Access::read, Access::reduce, Access::read}) add_group(parts, 30, how);
  parts.dependencies = {{70, 2}, {31, 30}};
  const TaskGraph graph(parts);
  const Dependencies& dependencies = graph.dependencies();
  ASSERT_EQ(dependencies.joints(), 2U);
  Countdown left(dependencies, graph.tasks());
  std::vector<bool> ended(graph.tasks(), false);
  Rng rng(3, Draw::test, 0);
  for (std::size_t step = 0; step < graph.tasks(); ++step) {
    std::vector<Index> can;
    for (Index task = 0; task < graph.tasks(); ++task) {
      bool waits = false;
      for (Index before = 0; before < graph.tasks(); ++before) {
        waits = waits || (!ended[before] && dependencies.waits(task, before));
      }
      ASSERT_EQ(left.waits(task), waits) << task;
      if (!waits && !ended[task]) can.push_back(task);
    }
    ASSERT_FALSE(can.empty());
    const Index task = can[rng.below(can.size())];
    ended[task] = true;
    std::vector<Index> freed;
    left.ended(task, [&](Index later) { freed.push_back(later); });
    EXPECT_TRUE(std::is_sorted(freed.begin(), freed.end()));
    for (const Index later : freed) EXPECT_FALSE(left.waits(later));
  }
}

/// As pairs these are 5 10^9, which take 80 GB.
TEST(Dependencies, OfManyReadersAndManyThatCommuteTakeLittleMemory) {
  constexpr Index many = 50'000;
  TaskGraph::Parts parts;
  parts.bytes = {8};
  add_group(parts, 1, Access::write);
  add_group(parts, many, Access::read);
  add_group(parts, many, Access::commute);
  add_group(parts, many, Access::read);
  const TaskGraph graph(std::move(parts));

  EXPECT_EQ(graph.dependencies().joints(), 2U);
  EXPECT_EQ(graph.dependencies().size(), many + 2 * std::uint64_t{many} * many);
  EXPECT_EQ(critical_path(graph, graph.parts().flops), many);  // who commutes takes turns
  EXPECT_EQ(depths(graph).back(), 3U);
}

TEST(Levels, OfTasksThatCommuteAddUpInTheCriticalPath) {
  TaskGraph::Parts parts;
  parts.bytes = {1, 1};
  for (const Index data : {0U, 0U, 1U, 0U}) {
    parts.add_task(std::vector<Index>{data}, std::vector{Access::commute}, 2);
  }
  const TaskGraph graph(std::move(parts));
  EXPECT_EQ(critical_path(graph, graph.parts().flops), 6);
}

TEST(Levels, AreLongestWaysToTheEnd) {
  TaskGraph::Parts parts;  // 0 -> 1 -> 3, 0 -> 2 -> 3
  parts.bytes = {10, 100, 1000};
  const std::array out{Access::write};
  const std::array in_out{Access::read, Access::write};
  parts.add_task(std::vector<Index>{0}, out, 1);
  parts.add_task(std::vector<Index>{0, 1}, in_out, 2);
  parts.add_task(std::vector<Index>{0, 2}, in_out, 5);
  parts.add_task(std::vector<Index>{1, 2}, std::vector{Access::read, Access::read}, 3);
  const TaskGraph graph(std::move(parts));
  const auto& flops = graph.parts().flops;

  EXPECT_EQ(bottom_levels(graph, flops), (std::vector<double>{9, 5, 8, 3}));
  EXPECT_EQ(critical_path(graph, flops), 9);
}

/// The longest way: POTRF, TRSM, then GEMM and TRSM for each further column, SYRK, POTRF.
TEST(Levels, OfCholeskyGoAlongItsUpdates) {
  for (const std::uint64_t n : {1U, 2U, 5U, 9U}) {
    const Workload made = Workload::parse("cholesky:n=" + std::to_string(n) + ",tile=3,deps=true");
    const TaskGraph& graph = made.graph();
    const double cube = 27;
    const auto steps = static_cast<double>(n);

    EXPECT_EQ(graph.tasks(), n * (n + 1) * (n + 2) / 6);
    EXPECT_NEAR(critical_path(graph, graph.parts().flops),
                cube * (n == 1 ? 1.0 / 3 : 3 * steps - 4 + 2.0 / 3), 1e-9);
    EXPECT_EQ(graph.priority(0), critical_path(graph, graph.parts().flops));
    EXPECT_EQ(graph.kind_name(0), "POTRF");
  }
}

}  // namespace
}  // namespace damocles::dependencies_test
