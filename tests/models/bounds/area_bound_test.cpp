#include "models/bounds/area_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "models/platforms/kernel_times.hpp"
#include "models/rng.hpp"

namespace damocles::area_bound_test {
namespace {

/// What those worths prove: a lower bound of the linear program, by weak duality.
double value(const Areas& areas, const std::vector<double>& worth) {
  double seconds = 0;
  for (std::size_t q = 0; q < worth.size(); ++q) seconds += areas.processors[q] * worth[q];
  double needed = 0;
  for (const auto& times : areas.times) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t q = 0; q < worth.size(); ++q) {
      if (std::isfinite(times[q])) least = std::min(least, times[q] * worth[q]);
    }
    needed += least;
  }
  return needed / seconds;
}

double optimum(const Areas& areas) { return value(areas, dual_prices(areas)); }

/// 6 tasks A of 1 s on the first processor and 4 s on the second, 6 tasks B of 2 s on either: A on
/// the first, and a quarter of B too: 6 + 3 = 12 - 3 s.
TEST(WorthOfASecond, IsOfTheBestSplit) {
  const std::vector<double> one_each{1, 1};
  EXPECT_DOUBLE_EQ(optimum({one_each, {{6, 24}, {12, 12}}}), 9);
  // Nor would A have gone to the second if it could not run there;
  EXPECT_DOUBLE_EQ(optimum({one_each, {{6, never_s}, {12, 12}}}), 9);
  // but B stays there where the first cannot run it.
  EXPECT_DOUBLE_EQ(optimum({one_each, {{6, 24}, {never_s, 12}}}), 12);
  // With three of the second, 6 = 12 / 3 + 2 s of A's, of which a part goes there: 6 - x = (12 +
  // 4 x) / 3, and B all.
  EXPECT_DOUBLE_EQ(optimum({{1, 3}, {{6, 24}, {12, 12}}}), 6 - 6.0 / 7);
}

/// In proportion: all work over all rates.
TEST(WorthOfASecond, IsTheRateWhereAllTasksAreAlike) {
  EXPECT_DOUBLE_EQ(optimum({{2, 1, 4}, {{10, 20, 40}, {1, 2, 4}}}), 11 / (2 + 0.5 + 1));
  EXPECT_DOUBLE_EQ(optimum({{5}, {{10}, {20}}}), 6);
}

/// Every point of the simplex of y at which as many of the terms t_kq y_q are equal, or 0, as fix
/// it: the maximum of what is linear between them is at one.
class Corners {
 public:
  explicit Corners(const Areas& areas) : areas_(areas), worth_(areas.processors.size(), 0) {}

  /// The largest value(), by trying all.
  double best() {
    for (std::size_t first = 0; first < worth_.size(); ++first) {
      std::fill(worth_.begin(), worth_.end(), 0);
      worth_[first] = 1;
      fix();
    }
    return best_;
  }

 private:
  /// From those that are fixed one more is, by being as good for some kind of tasks; or no more.
  void fix() {
    best_ = std::max(best_, value(areas_, worth_));
    for (std::size_t q = 0; q < worth_.size(); ++q) {
      if (worth_[q] > 0) continue;
      for (const auto& times : areas_.times) {
        for (std::size_t other = 0; other < worth_.size(); ++other) {
          if (!(worth_[other] > 0) || !std::isfinite(times[q] + times[other])) continue;
          worth_[q] = worth_[other] * times[other] / times[q];
          fix();
          worth_[q] = 0;
        }
      }
    }
  }

  const Areas& areas_;
  std::vector<double> worth_;
  double best_ = 0;
};

Areas draw_areas(Rng& rng) {
  Areas areas;
  const bool exact = rng.below(2) == 0;  // ties, and pivots that change nothing
  const std::size_t kinds = 1 + rng.below(4);
  while (areas.processors.size() < kinds) {
    areas.processors.push_back(static_cast<double>(1 + rng.below(3)));
  }
  const std::size_t tasks = 1 + rng.below(5);
  while (areas.times.size() < tasks) {
    std::vector<double> times;
    for (std::size_t q = 0; q < kinds; ++q) {
      const auto few = static_cast<double>(1 + rng.below(4));
      times.push_back(rng.below(4) == 0 ? never_s : exact ? few : few * (1 + 100 * rng.uniform()));
    }
    if (!std::isfinite(*std::min_element(times.begin(), times.end()))) times[0] = 1;
    areas.times.push_back(std::move(times));
  }
  return areas;
}

TEST(WorthOfASecond, IsTheBestOfAllCorners) {
  Rng rng(1, Draw::test, 0);
  for (int run = 0; run < 500; ++run) {
    const Areas areas = draw_areas(rng);
    const double best = Corners(areas).best();
    // Terms of which either is a sum, and a pivot for each column.
    ASSERT_NEAR(optimum(areas), best, 1e-11 * best) << "run " << run;
  }
}

/// As a graph and a machine of as many processors: kinds of tasks K0, K1, ... of so many tasks.
struct Drawn {
  Workload workload;
  Platform platform;
};

Drawn draw_instance(Rng& rng) {
  TaskGraph::Parts parts;
  const std::size_t kinds = 1 + rng.below(3);
  const std::size_t tasks = kinds + rng.below(4);
  parts.bytes = {1};
  for (std::size_t k = 0; k < kinds; ++k) parts.kind_names.push_back("K" + std::to_string(k));
  for (std::size_t t = 0; t < tasks; ++t) {
    parts.add_task(std::array<TaskGraph::Index, 1>{0}, 1);
    parts.task_kinds.push_back(static_cast<std::uint16_t>(t < kinds ? t : rng.below(kinds)));
  }
  MachineModel machine;
  machine.overhead_s = rng.below(2) == 0 ? 0 : 0.5;
  if (rng.below(2) == 0) machine.noise = Noise{0.4};
  Platform platform;
  const std::size_t processors = 1 + rng.below(3);
  for (std::size_t p = 0; p < processors; ++p) {
    ProcessorModel gpu{.flops_per_s = 1};
    for (std::size_t k = 0; k < kinds; ++k) {
      const bool never = p > 0 && rng.below(4) == 0;
      gpu.kernel_times.push_back(
          {parts.kind_names[k], never ? never_s : static_cast<double>(1 + rng.below(5))});
    }
    machine.processors.push_back(gpu);
    platform.speeds.push_back(gpu.flops_per_s);
  }
  platform.machine = machine;
  return {Workload::of_graph("drawn", TaskGraph(std::move(parts))), platform};
}

/// The shortest makespan of the tasks from this one on, by trying every processor for each.
double shortest_s(const Durations& durations, std::size_t tasks, std::size_t task,
                  std::vector<double>& busy_s) {
  if (task == tasks) return *std::max_element(busy_s.begin(), busy_s.end());
  double least = std::numeric_limits<double>::infinity();
  const auto index = static_cast<TaskGraph::Index>(task);
  for (std::size_t p = 0; p < busy_s.size(); ++p) {
    if (!durations.runs(p, index)) continue;
    const double before = busy_s[p];
    busy_s[p] += durations.s(p, index);
    least = std::min(least, shortest_s(durations, tasks, task + 1, busy_s));
    busy_s[p] = before;
  }
  return least;
}

TEST(AreaBound, IsNoMoreThanTheOptimumAndOftenReachesIt) {
  Rng rng(2, Draw::test, 0);
  int reached = 0;
  for (std::uint64_t run = 0; run < 2000; ++run) {
    const auto [workload, platform] = draw_instance(rng);
    const Durations durations = Durations::drawn(workload, platform, 3, run);
    std::vector<double> busy_s(platform.processors(), 0);

    const double bound = area_bound_s(workload.graph(), durations);

    const double optimum = shortest_s(durations, workload.tasks(), 0, busy_s);
    ASSERT_LE(bound, optimum * (1 + 1e-12)) << "run " << run;
    reached += bound >= optimum * (1 - 1e-12) ? 1 : 0;
  }
  EXPECT_GE(reached, 600);  // on one processor it always does
}

/// A factor of each task changes nothing for the split: of all tasks together the bound is that of
/// their sums.
TEST(AreaBound, IsTheLinearProgramsOptimumUnderNoise) {
  Rng rng(4, Draw::test, 0);
  for (std::uint64_t run = 0; run < 300; ++run) {
    auto [workload, platform] = draw_instance(rng);
    platform.machine->overhead_s = 0;
    const Durations durations = Durations::drawn(workload, platform, 3, run);
    Areas areas;
    for (const auto& kind : durations.alike()) areas.processors.push_back(kind.count);
    const auto& graph = workload.graph();
    areas.times.assign(graph.parts().kind_names.size(),
                       std::vector<double>(areas.processors.size(), 0));
    for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
      for (std::size_t q = 0; q < areas.processors.size(); ++q) {
        areas.times[graph.parts().task_kinds[task]][q] +=
            durations.s(durations.alike()[q].first, task);
      }
    }
    const double best = Corners(areas).best();
    ASSERT_NEAR(area_bound_s(graph, durations), best, 1e-11 * best) << "run " << run;
  }
}

}  // namespace
}  // namespace damocles::area_bound_test
