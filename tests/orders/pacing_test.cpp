#include "orders/pacing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "orders/min_loads.hpp"
#include "tests/orders/least_panel_order.hpp"
#include "tests/strategies/schedule_search.hpp"

namespace damocles::pacing_test {
namespace {

using testing_oracle::grid;
using testing_oracle::random_graph;
using Index = TaskGraph::Index;

std::vector<Index> as_submitted(const TaskGraph& graph) {
  std::vector<Index> order(graph.tasks());
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

std::uint64_t largest_task(const TaskGraph& graph) {
  std::uint64_t most = 0;
  for (Index t = 0; t < graph.tasks(); ++t) most = std::max(most, graph.footprint(t));
  return most;
}

/// The most bytes in memory when a plan is carried out: what was loaded stays until the last task
/// that needs no later load of it.
std::uint64_t most_held(const TaskGraph& graph, const PacedOrder& plan) {
  std::uint64_t most = 0;
  for (std::size_t k = 0; k < plan.loads.size(); ++k) {
    const Index now = plan.loads[k].after;
    std::uint64_t held = 0;
    for (Index data = 0; data < graph.data(); ++data) {
      Index ends = plan.loads[k].data == data ? now + 1 : 0;  // what is on its way is held too
      for (std::size_t other = 0; other <= k; ++other) {
        if (plan.loads[other].data != data) continue;
        for (Index at = plan.loads[other].first; at < plan.order.size(); ++at) {
          const auto inputs = graph.inputs(plan.order[at]);
          const bool reads = std::find(inputs.begin(), inputs.end(), data) != inputs.end();
          const bool loaded_later = std::any_of(
              plan.loads.begin() + static_cast<std::ptrdiff_t>(k) + 1, plan.loads.end(),
              [&](const PlannedLoad& load) { return load.data == data && load.first <= at; });
          if (reads && !loaded_later) ends = std::max(ends, at + 1);
        }
      }
      if (ends > now) held += graph.bytes(data);
    }
    most = std::max(most, held);
  }
  return most;
}

/// When a plan ends, one load and one task at a time, each as early as the plan lets it.
double carried_out(const TaskGraph& graph, const PacedOrder& plan, const Pace& pace) {
  std::vector<double> ended(plan.order.size() + 1, 0);  // of so many tasks
  std::vector<double> loaded(plan.loads.size(), 0);
  std::vector<double> there(plan.order.size(), 0);  // the loads that each task is the first for
  std::size_t load = 0;
  const auto fetch = [&](std::size_t tasks) {
    for (; load < plan.loads.size() && plan.loads[load].after <= tasks; ++load) {
      const double free = load == 0 ? 0 : loaded[load - 1];
      loaded[load] = std::max(free, ended[plan.loads[load].after]) + pace.load_latency_s +
                     static_cast<double>(graph.bytes(plan.loads[load].data)) / pace.bytes_per_s;
      there[plan.loads[load].first] = std::max(there[plan.loads[load].first], loaded[load]);
    }
  };
  for (std::size_t at = 0; at < plan.order.size(); ++at) {
    fetch(at);
    const double start = std::max(ended[at], there[at]);
    ended[at + 1] = start + graph.flops(plan.order[at]) / pace.flops_per_s;
  }
  return ended.back();
}

TEST(Pacing, GrowsTheFirstBlockAsASquare) {
  // 3 x 3 tasks of 1 s, loads of 2 s, room for all. As given row 0 comes with columns 0, 1, 2, then
  // row 1 at 10 s and row 2 at 12 s: 16 s in all. Grown as a square, the last load (row 2, at 12 s)
  // frees 3 tasks and all others are done by then: 15 s.
  const TaskGraph graph = grid(3, 3);
  const Pace pace{.flops_per_s = 1, .bytes_per_s = 0.5};

  const PacedOrder plan = paced(graph, as_submitted(graph), 6, pace);

  std::vector<Index> loads;
  for (const PlannedLoad& load : plan.loads) loads.push_back(load.data);
  EXPECT_EQ(loads, (std::vector<Index>{0, 3, 4, 1, 5, 2}));  // r0 c0 c1 r1 c2 r2
  EXPECT_EQ(plan.makespan_s, 15);
}

TEST(Pacing, TurnsColumnByColumn) {
  // Rows 0 to 3 past columns {0, 1}, back past {2, 3}; M = 4: two rows beside a panel. Loads take
  // 2 s, tasks 1 s. Six loads fill and stream the first panel by 12 s; column 0's last task ends at
  // 13 s, so column 2 comes from 13 to 15 s and column 3 from 15 to 17 s, freeing two tasks each;
  // row 3 ends with column 3 at 18 s, so rows 1 and 0 are there at 20 and 22 s: 24 s in all.
  const TaskGraph graph = grid(4, 4);
  std::vector<Index> snake;
  for (Index i = 0; i < 4; ++i) snake.insert(snake.end(), {4 * i, 4 * i + 1});
  for (Index i = 4; i-- > 0;) snake.insert(snake.end(), {4 * i + 2, 4 * i + 3});
  const Pace pace{.flops_per_s = 1, .bytes_per_s = 0.5};

  const PacedOrder plan = paced(graph, snake, 4, pace);

  // 4 rows, 4 columns, and rows 0 and 1 again.
  ASSERT_EQ(plan.loads.size(), 10U);
  const auto load_of = [&](Index data) {
    return *std::find_if(plan.loads.begin(), plan.loads.end(),
                         [&](const PlannedLoad& load) { return load.data == data; });
  };
  // Column 2 is fetched while column 1 still has tasks to do, before the first panel has ended.
  EXPECT_LT(load_of(4 + 2).after, 8U);
  EXPECT_EQ(plan.makespan_s, carried_out(graph, plan, pace));
  EXPECT_EQ(plan.makespan_s, 24);
}

TEST(Pacing, MovesNoMoreThanTheOrderGivenAndNeverHoldsMoreThanMemory) {
  Rng rng(11, Draw::test, 0);
  for (int instance = 0; instance < 150; ++instance) {
    const auto data = static_cast<Index>(2 + rng.below(14));
    const std::uint64_t sizes = instance % 2 == 0 ? 1 : 5;
    const TaskGraph graph = random_graph(rng, static_cast<Index>(1 + rng.below(40)), data,
                                         static_cast<Index>(1 + rng.below(3)), sizes);
    const std::uint64_t memory = largest_task(graph) + rng.below(6);
    std::vector<Index> order = as_submitted(graph);
    rng.shuffle(std::span(order));
    const Pace pace{.flops_per_s = 1,
                    .bytes_per_s = 0.25 + static_cast<double>(rng.below(8)),
                    .spare_bytes = rng.below(3)};

    const PacedOrder plan = paced(graph, order, memory, pace);

    std::vector<Index> sorted = plan.order;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted, as_submitted(graph));
    const Loaded given = loaded_under_min(graph, order, memory);
    EXPECT_EQ(plan.loads.size(), given.loads);
    EXPECT_LE(most_held(graph, plan), memory + pace.spare_bytes) << instance;
    if (sizes == 1) {
      EXPECT_LE(min_loads(graph, plan.order, memory + pace.spare_bytes), given.loads);
    }
    // The same sums in the same order.
    EXPECT_EQ(plan.makespan_s, carried_out(graph, plan, pace));
  }
}

TEST(Pacing, IsSlowerThanNeitherEngineAloneAndFasterThanOneAfterTheOther) {
  Rng rng(12, Draw::test, 0);
  for (int instance = 0; instance < 50; ++instance) {
    const TaskGraph graph = random_graph(rng, 60, 12, 3);
    const Pace pace{.flops_per_s = 1, .bytes_per_s = 1};

    const PacedOrder plan = paced(graph, as_submitted(graph), 5, pace);

    const auto tasks = static_cast<double>(graph.tasks());
    const auto loads = static_cast<double>(plan.loads.size());
    EXPECT_GE(plan.makespan_s, std::max(tasks, loads));
    EXPECT_LE(plan.makespan_s, tasks + loads);
  }
}

TEST(Pacing, HidesAllButTheFirstLoadsOfASnake) {
  // 100 x 100 tasks, M = 32, loads of 2.3 tasks' time: the plain snake waits for 25 columns at
  // each of 4 panels. Here the machine computes from the second load on, but for the growing of the
  // first square: with x loads x^2 / 4 tasks are free, at worst 2.3 x - x^2 / 4 = 2.3^2 too few.
  const TaskGraph graph = grid(100, 100);
  const std::vector<Index> snake = panel_order(graph, 32).front();
  const Pace pace{.flops_per_s = 1, .bytes_per_s = 1 / 2.3};

  const PacedOrder plan = paced(graph, snake, 32, pace);

  EXPECT_EQ(plan.loads.size(), min_loads(graph, snake, 32));
  EXPECT_LE(plan.makespan_s, 10'000 + 2 * 2.3 + 2.3 * 2.3);
}

TEST(Pacing, SharesTheBusAmongProcessors) {
  // Tasks of 1 s, a bus of 1 B/s. The first processor loads 2 B; the second 1 B, which frees more a
  // byte, then 2 B. Both flow at 1/2 B/s: the 1 B is there at 2 s, the first 2 B at 4 s, when half
  // of the last 2 B has come, and alone the rest takes until 5 s. With a latency of 1 s: both flow
  // from 1 s on, the 1 B is there at 3 s; its successor waits until 4 s while the first 2 B flow
  // alone and arrive at 4 s; the last 2 B come from 4 to 6 s.
  TaskGraph::Parts parts;
  parts.bytes = {2, 2, 1};
  for (Index data = 0; data < 3; ++data) parts.add_task(std::vector<Index>{data}, 1);
  const TaskGraph graph(std::move(parts));
  const auto ends = [&](double latency_s) {
    const std::vector<Pace> paces(
        2, {.flops_per_s = 1, .bytes_per_s = 2, .load_latency_s = latency_s});
    const auto plans = paced_together(graph, {{0}, {1, 2}}, 3, paces, 1);
    return std::pair(plans[0].makespan_s, plans[1].makespan_s);
  };

  EXPECT_EQ(ends(0), std::pair(4.0 + 1, 5.0 + 1));
  EXPECT_EQ(ends(1), std::pair(4.0 + 1, 6.0 + 1));
}

TEST(Pacing, GivesNarrowLinksTheirPartFirst) {
  // 3 B each over links of 1 and 4 B/s on a bus of 4 B/s: they flow at 1 and 3 B/s.
  TaskGraph::Parts parts;
  parts.bytes = {3, 3};
  for (Index data = 0; data < 2; ++data) parts.add_task(std::vector<Index>{data}, 1);
  const TaskGraph graph(std::move(parts));
  const std::vector<Pace> paces{{.flops_per_s = 1, .bytes_per_s = 4},
                                {.flops_per_s = 1, .bytes_per_s = 1}};

  const auto plans = paced_together(graph, {{0}, {1}}, 3, paces, 4);

  EXPECT_EQ(plans[0].makespan_s, 1 + 1);
  EXPECT_EQ(plans[1].makespan_s, 3 + 1);
}

TEST(Pacing, OnAWideBusGoesAsEachProcessorAlone) {
  Rng rng(13, Draw::test, 0);
  for (int instance = 0; instance < 30; ++instance) {
    const TaskGraph graph = random_graph(rng, 40, 12, 3);
    std::vector<Index> order = as_submitted(graph);
    rng.shuffle(std::span(order));
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(rng.below(41));
    const std::vector<std::vector<Index>> orders{{order.begin(), middle}, {middle, order.end()}};
    const std::vector<Pace> paces(2, {.flops_per_s = 1, .bytes_per_s = 0.5});

    const auto wide = paced_together(graph, orders, 6, paces, 1);
    const auto narrow = paced_together(graph, orders, 6, paces, 0.25);

    double bytes = 0;
    double makespan_s = 0;
    for (std::size_t p = 0; p < 2; ++p) {
      const PacedOrder alone = paced(graph, orders[p], 6, paces[p]);
      EXPECT_EQ(wide[p].order, alone.order);
      EXPECT_EQ(wide[p].makespan_s, alone.makespan_s);
      bytes += static_cast<double>(narrow[p].loads.size());
      makespan_s = std::max(makespan_s, narrow[p].makespan_s);
    }
    EXPECT_GE(makespan_s, bytes / 0.25 * (1 - 1e-12));  // 80 sums of 64 bits
  }
}

TEST(Pacing, TakesTasksWithoutInputsOrWork) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  parts.add_task(std::vector<Index>{}, 1);
  parts.add_task(std::vector<Index>{0}, 0);
  parts.add_task(std::vector<Index>{}, 0);
  const TaskGraph graph(std::move(parts));

  const PacedOrder plan =
      paced(graph, as_submitted(graph), 1, {.flops_per_s = 1, .bytes_per_s = 1});

  EXPECT_EQ(plan.order.size(), 3U);
  EXPECT_EQ(plan.loads.size(), 1U);
  EXPECT_EQ(plan.makespan_s, 1);
}

TEST(Pacing, RefusesWhatCannotRun) {
  const TaskGraph graph = grid(2, 2);

  EXPECT_THROW((void)paced(graph, as_submitted(graph), 1, {.flops_per_s = 1, .bytes_per_s = 1}),
               InvalidInput);
}

}  // namespace
}  // namespace damocles::pacing_test
