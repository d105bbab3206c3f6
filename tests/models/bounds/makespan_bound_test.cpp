#include "models/bounds/makespan_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "models/bounds/graph_bound.hpp"
#include "models/bounds/workload_bound.hpp"
#include "models/platforms/scenario.hpp"
#include "tests/strategies/makespan_search.hpp"

namespace damocles::makespan_bound_test {
namespace {

using testing_oracle::grid;
using testing_oracle::least_makespan;
using testing_oracle::random_graph;
using testing_oracle::TinyMachine;
using Index = TaskGraph::Index;

constexpr double infinity = std::numeric_limits<double>::infinity();
// A bound is a handful of sums and quotients, and a table walked once.
constexpr double rounding = 1e-12;

MachineModel limits_of(const TinyMachine& machine) {
  MachineModel limits{
      .processors = {}, .bus_bytes_per_s = 1 / machine.transfer_s, .latency_s = machine.latency_s};
  for (const double speed : machine.flops_per_s) {
    limits.processors.push_back({.flops_per_s = speed,
                                 .memory_bytes = 0,
                                 .memory_data = machine.memory,
                                 .link_bytes_per_s = infinity});
  }
  for (const double transfer_s : machine.own_transfer_s) {
    limits.processors[limits.bus_rates.size()].bus = limits.bus_rates.size();
    limits.bus_rates.push_back(1 / transfer_s);
  }
  return limits;
}

MakespanBound bound_of(const TaskGraph& graph, const TinyMachine& machine) {
  const LoadBound loads = graph_load_bound(graph, machine.memory);
  return makespan_bound(graph, limits_of(machine),
                        pair_loaded_work(pair_work(graph), machine.memory), loads);
}

/// How a bound fares against optima: never above, and how often it meets them.
struct Tally {
  int cases = 0;
  int tight = 0;
  double sum = 0;

  void add(const MakespanBound& bound, double optimum, const std::string& where) {
    EXPECT_LE(bound.seconds, optimum * (1 + rounding)) << where << ", " << bound.argument;
    ++cases;
    tight += bound.seconds >= optimum * (1 - rounding) ? 1 : 0;
    sum += bound.seconds / optimum;
  }
  [[nodiscard]] std::string text() const {
    return std::to_string(tight) + " tight of " + std::to_string(cases) + ", mean share " +
           std::to_string(sum / cases);
  }
};

std::vector<TinyMachine> machines(std::uint64_t memory) {
  std::vector<TinyMachine> all;
  for (const double transfer : {0.25, 1.0, 3.0}) {
    for (const double latency : {0.0, 0.5}) {
      all.push_back({{1}, memory, transfer, latency});
      all.push_back({{1, 1}, memory, transfer, latency});
      all.push_back({{2, 1}, memory, transfer, latency});
      all.push_back({{2, 1}, memory, transfer, latency, {transfer, 0.5}});
      all.push_back({{1, 1}, memory, transfer, latency, {transfer, 2 * transfer}});
    }
  }
  return all;
}

TEST(MakespanBound, NeverExceedsTheOptimumOfTinyGrids) {
  Tally tally;
  for (const auto& [m, n] : std::vector<std::pair<Index, Index>>{{1, 1}, {1, 4}, {2, 2}, {2, 3}}) {
    for (std::uint64_t memory = 2; memory <= 4; ++memory) {
      for (const TinyMachine& machine : machines(memory)) {
        const TaskGraph graph = grid(m, n);
        tally.add(bound_of(graph, machine), least_makespan(graph, machine), machine.text());
      }
    }
  }
  RecordProperty("tight", tally.text());
  EXPECT_GE(tally.tight, tally.cases / 4) << tally.text();
}

TEST(MakespanBound, NeverExceedsTheOptimumOfRandomGraphs) {
  Rng rng(11, Draw::test, 0);
  Tally tally;
  for (int instance = 0; instance < 60; ++instance) {
    auto parts = random_graph(rng, static_cast<Index>(3 + rng.below(3)),
                              static_cast<Index>(3 + rng.below(3)), 3)
                     .parts();
    for (double& flops : parts.flops) flops = static_cast<double>(1 + rng.below(4));
    const TaskGraph graph(parts);
    for (const TinyMachine& machine : machines(graph.widest() + rng.below(2))) {
      tally.add(bound_of(graph, machine), least_makespan(graph, machine),
                std::to_string(instance) + " " + machine.text());
    }
  }
  RecordProperty("tight", tally.text());
  EXPECT_GE(tally.tight, tally.cases / 8) << tally.text();
}

/// n x n tasks of t seconds on K equal processors, data of `tau` seconds, memory for all: the least
/// T with tau (sum of 2 sqrt(x_k)) <= T, sum of x_k = n^2, x_k <= T / t, by bisection.
double closed_form(double n, double k, double t, double tau) {
  const auto fits = [&](double makespan) {
    const double most = makespan / t;
    const double full = std::floor(n * n / most);
    if (full >= k) return n * n <= k * most;
    return tau * 2 * (full * std::sqrt(most) + std::sqrt(n * n - full * most)) <= makespan;
  };
  double low = 0;
  double high = n * n * t + 2 * n * tau * k;
  for (int i = 0; i < 60; ++i) (fits((low + high) / 2) ? high : low) = (low + high) / 2;
  return high;
}

TEST(MakespanBound, IsAtLeastTheClosedFormOfAFullSplit) {
  for (const std::size_t k : {2U, 4U, 8U}) {
    for (const double tau : {0.5, 2.0, 6.0}) {
      const TaskGraph graph = grid(40, 40);
      const TinyMachine machine{std::vector<double>(k, 1), 80, tau, 0};

      const double bound = bound_of(graph, machine).seconds;

      // A load more or less of some 160, what is between whole loads, steps of x / 256.
      EXPECT_GE(bound, 0.99 * closed_form(40, static_cast<double>(k), 1, tau)) << k << " " << tau;
    }
  }
}

TEST(MakespanBound, SeesTheStartUpOfOneProcessor) {
  // Until 2 tau / t loads have come a load lets less than tau of work begin: tau^2 / t is lost.
  const TinyMachine machine{{1}, 400, 20, 0};

  const MakespanBound bound = bound_of(grid(200, 200), machine);

  EXPECT_EQ(bound.argument, "progress");
  EXPECT_NEAR(bound.seconds, 200 * 200 + 20 * 20, 20);  // within one transfer
}

TEST(MakespanBound, SeesThatSeveralProcessorsNeedDataOfTheirOwn) {
  // 16 / 27 K^2 tau^2 / t = 607 s for K >> 1; more for K = 8, as processors are whole.
  const TinyMachine machine{std::vector<double>(8, 1), 400, 4, 0};

  const double lost = bound_of(grid(200, 200), machine).seconds - 200.0 * 200 / 8;

  EXPECT_GE(lost, 0.9 * 16 / 27 * 64 * 16);
  EXPECT_LE(lost, 1.6 * 16 / 27 * 64 * 16);
}

TEST(MakespanBound, KeepsEachProcessorToItsLink) {
  MachineModel limits = limits_of({{1, 1}, 10, 1, 0});
  const TaskGraph graph = grid(6, 6);
  const LoadedWork work = pair_loaded_work(pair_work(graph), 10);
  const LoadBound loads = graph_load_bound(graph, 10);
  const double wide = makespan_bound(graph, limits, work, loads).seconds;
  for (auto& gpu : limits.processors) gpu.link_bytes_per_s = 0.25;

  const MakespanBound bound = makespan_bound(graph, limits, work, loads);

  EXPECT_GE(bound.seconds, 12 / 0.5 + 1);  // 12 data items over two links, then a task
  EXPECT_GT(bound.seconds, wide);
}

/// Two buses of 1 and 1/4 B/s bring 12 data items of a byte in 12 / 1.25 s, and a link of 1/2 B/s
/// before the first makes that 12 / 0.75.
TEST(MakespanBound, CountsEachBusWithItsLinks) {
  MachineModel limits = limits_of({{1, 1}, 10, 1, 0, {1, 4}});
  const TaskGraph graph = grid(6, 6);
  const LoadedWork work = pair_loaded_work(pair_work(graph), 10);
  const LoadBound loads = graph_load_bound(graph, 10);
  ASSERT_EQ(loads.loads, 12U);
  const MakespanBound wide = makespan_bound(graph, limits, work, loads);
  EXPECT_GE(wide.seconds, 12 / 1.25 + 1);
  limits.processors[0].link_bytes_per_s = 0.5;
  EXPECT_GE(makespan_bound(graph, limits, work, loads).seconds, 12 / 0.75 + 1);
  EXPECT_GT(makespan_bound(graph, limits, work, loads).seconds, wide.seconds);
}

TEST(MakespanBound, IsThatOfTheLongestTaskWhereOneTakesLongest) {
  auto parts = grid(2, 2).parts();
  parts.flops[3] = 100;
  const MakespanBound bound = bound_of(TaskGraph(parts), {{1, 2}, 4, 1, 0.5});

  EXPECT_EQ(bound.argument, "longest task");
  EXPECT_EQ(bound.seconds, 0.5 + 2 + 50);
}

/// A single GPU has nobody to be linked with, so its bounds are those of the same machine without
/// links or routes.
TEST(MakespanBound, IgnoresLinksThatCannotExist) {
  for (const char* const request : {"gemm2d:n=10,tile=960", "cholesky:n=6,deps=true"}) {
    const Workload workload = Workload::parse(request);
    for (const std::string machine : {"gpus:k=1,memory=500MB", "gpus:k=1,memory=100MB,duplex=true",
                                      "gpus:k=1,memory=500MB,cpus=2,cpu_gflops=40"}) {
      const Platform plain = Scenario::parse(machine).draw(1, 0);
      const LoadBound loads = workload_load_bound(workload, *plain.machine);
      const MakespanBound bound = workload_makespan_bound(workload, plain, loads);
      for (const char* const link : {"peers=24GB/s", "peers=24GB/s:half", "routes=bus"}) {
        const std::string linked = machine + "," + link;
        const Platform platform = Scenario::parse(linked).draw(1, 0);
        EXPECT_FALSE(platform.machine->has_links()) << linked;
        EXPECT_FALSE(platform.machine->has_peers()) << linked;
        EXPECT_EQ(workload_load_bound(workload, *platform.machine).loads, loads.loads) << linked;
        const MakespanBound other = workload_makespan_bound(workload, platform, loads);
        EXPECT_EQ(other.seconds, bound.seconds) << request << " on " << linked;
        EXPECT_EQ(other.argument, bound.argument) << request << " on " << linked;
      }
    }
  }
}

/// F against the most flops that any schedule does with x loads.
void expect_above_all_schedules(const LoadedWork& work, const TaskGraph& graph, unsigned memory) {
  const std::vector<double> most = testing_oracle::most_flops_by_loads(graph, memory);
  ASSERT_FALSE(most.empty());
  double slope = 0;
  for (std::size_t x = 0; x < most.size(); ++x) {
    const auto loads = static_cast<double>(x);
    EXPECT_GE(work(loads) * (1 + rounding), most[x]) << x << " loads, M = " << memory;
    if (most[x] > 0) {
      EXPECT_LE(work.loads_for(most[x]), loads * (1 + rounding));
    }
    const double step = work(loads + 1) - work(loads);
    EXPECT_GE(step, slope * (1 - rounding)) << "not convex at " << x;
    slope = step;
  }
}

TEST(LoadedWork, IsNeverBelowWhatAScheduleDoes) {
  Rng rng(12, Draw::test, 0);
  for (int instance = 0; instance < 100; ++instance) {
    auto parts = random_graph(rng, static_cast<Index>(3 + rng.below(8)),
                              static_cast<Index>(3 + rng.below(4)), 3)
                     .parts();
    for (double& flops : parts.flops) flops = static_cast<double>(1 + rng.below(4));
    const TaskGraph graph(parts);
    const auto memory = static_cast<unsigned>(graph.widest() + rng.below(2));
    expect_above_all_schedules(pair_loaded_work(pair_work(graph), memory), graph, memory);
  }
}

TEST(LoadedWork, OfProductsAndCholeskyIsNeverBelowWhatAScheduleDoes) {
  const Workload product = Workload::parse("gemm3d:n=2,tile=1,c=yes");          // 2 flops a task
  const Workload cholesky = Workload::parse("cholesky:n=3,tile=1,deps=false");  // a GEMM has 2
  for (unsigned memory = 3; memory <= 6; ++memory) {
    expect_above_all_schedules(run_loaded_work(most_box_tasks, 2, 0, memory), product.graph(),
                               memory);
    expect_above_all_schedules(run_loaded_work(most_triangles, 2, 2, memory), cholesky.graph(),
                               memory);
  }
}

TEST(LoadedWork, OfAnUnboundedGridIsWhatStreamingReaches) {
  // Hold 4 columns, stream rows: 4 tasks a load, 4 (x - 4) in all; before, x^2 / 4.
  const LoadedWork work =
      pair_loaded_work({.most_partners = 100, .two_sided = true, .of_pair = 1}, 5);

  EXPECT_EQ(work(3), 2);
  EXPECT_EQ(work(4), 4);
  EXPECT_EQ(work(8), 16);
  EXPECT_EQ(work(104), 400);
  EXPECT_EQ(work.loads_for(400), 104);
  EXPECT_EQ(work.loads_for(3), 3.5);
  EXPECT_EQ(work.loads_for(0), 0);
}

}  // namespace
}  // namespace damocles::makespan_bound_test
