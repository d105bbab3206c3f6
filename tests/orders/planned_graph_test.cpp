#include "orders/planned_graph.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "models/rng.hpp"

namespace damocles::planned_graph_test {
namespace {

/// Durations that tasks share are kept once; some tasks have their own.
TEST(PlannedGraph, HasTheDurationsThatItWasGiven) {
  constexpr std::size_t tasks = 60;
  constexpr std::size_t processors = 3;
  Rng rng(5, Draw::test, 0);
  std::vector<double> given;
  for (std::size_t task = 0; task < tasks; ++task) {
    const auto kind = static_cast<double>(rng.below(4));
    const double own = rng.below(5) == 0 ? static_cast<double>(task) : 0;
    const double second = kind == 1 ? std::numeric_limits<double>::infinity() : 2 + kind;
    given.insert(given.end(), {1 + kind, second, 3 + own});
  }
  const PlannedGraph graph(
      Dependencies(), tasks, processors,
      {.duration_s = [&](Dependencies::Index task,
                         std::size_t k) { return given[task * processors + k]; },
       .transfer_s = [](auto, auto) { return 0.0; }});
  for (Dependencies::Index task = 0; task < tasks; ++task) {
    const double* const own = &given[task * processors];
    for (std::size_t k = 0; k < processors; ++k) EXPECT_EQ(graph.duration_s(task, k), own[k]);
    EXPECT_EQ(graph.runs(task, 1), std::isfinite(own[1]));
    const double mean =
        std::isfinite(own[1]) ? (own[0] + own[1] + own[2]) / 3 : (own[0] + own[2]) / 2;
    EXPECT_DOUBLE_EQ(graph.mean_s(task), mean);
  }
}

}  // namespace
}  // namespace damocles::planned_graph_test
