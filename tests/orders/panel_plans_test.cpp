// Which of the panel orders is chosen, against rehearsing all that may be.

#include "orders/panel_plans.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "models/rng.hpp"
#include "models/workload.hpp"
#include "orders/panel_order.hpp"

namespace damocles::panel_plans_test {
namespace {

struct Rehearsed {
  std::vector<PacedOrder> plans;
  double makespan_s = 0;
  std::uint64_t bytes = 0;
};

/// As the header says, word by word: of all orders rehearsed within 2 % of the fastest, the one
/// that loads least. No graph here is so large that the number of tasks rehearsed is a limit.
Rehearsed best_of_all(const TaskGraph& graph, std::uint64_t memory, const std::vector<Pace>& paces,
                      double bus_bytes_per_s) {
  std::vector<Rehearsed> all;
  double fastest_s = std::numeric_limits<double>::infinity();
  double flops_per_s = 0;
  for (const Pace& pace : paces) flops_per_s += pace.flops_per_s;
  const auto sequences = panel_sequences(graph, memory, paces.size());
  for (std::size_t used = paces.size(); used > 0; --used) {
    if (used < paces.size() && graph.total_flops() / flops_per_s >= fastest_s) break;
    flops_per_s -= paces[used - 1].flops_per_s;
    for (PanelOrder& order : split_orders(graph, sequences, memory, std::vector<double>(used, 1))) {
      if (static_cast<double>(order.bytes) / bus_bytes_per_s >= fastest_s) break;
      order.parts.resize(paces.size());
      Rehearsed one{paced_together(graph, order.parts, memory, paces, bus_bytes_per_s), 0,
                    order.bytes};
      for (const PacedOrder& plan : one.plans) {
        one.makespan_s = std::max(one.makespan_s, plan.makespan_s);
      }
      fastest_s = std::min(fastest_s, one.makespan_s);
      all.push_back(std::move(one));
    }
  }
  Rehearsed best{{}, 0, std::numeric_limits<std::uint64_t>::max()};
  for (Rehearsed& one : all) {
    const bool better =
        one.bytes < best.bytes || (one.bytes == best.bytes && one.makespan_s < best.makespan_s);
    if (better && one.makespan_s <= 1.02 * fastest_s) best = std::move(one);
  }
  return best;
}

TEST(PanelPlans, ChooseTheSameAsRehearsingAllOrders) {
  for (std::uint64_t draw = 0; draw < 60; ++draw) {
    Rng rng(5, Draw::test, draw);
    const std::string text =
        draw % 3 == 0 ? fmt::format("gemm3d:n={}", 3 + rng.below(4))
                      : fmt::format("gemm2d:m={},n={}", 4 + rng.below(15), 4 + rng.below(15));
    const auto workload = Workload::parse(text);
    const TaskGraph& graph = workload.graph();
    const std::uint64_t memory = (4 + rng.below(10)) * graph.bytes(0);
    // From all transfers hidden to a bus that is busy all the time.
    const double bytes_per_s = 1e9 * static_cast<double>(std::uint64_t{1} << rng.below(8));
    const std::vector<Pace> paces(1 + rng.below(4), {.flops_per_s = 1e13,
                                                     .bytes_per_s = bytes_per_s,
                                                     .load_latency_s = 1e-5,
                                                     .spare_bytes = graph.bytes(0)});
    SCOPED_TRACE(fmt::format("{} {} {}", text, paces.size(), bytes_per_s));

    const auto plans = panel_plans(graph, memory, paces, bytes_per_s);

    const Rehearsed best = best_of_all(graph, memory, paces, bytes_per_s);
    ASSERT_EQ(plans.size(), best.plans.size());
    for (std::size_t p = 0; p < plans.size(); ++p) {
      EXPECT_EQ(plans[p].order, best.plans[p].order);
      EXPECT_EQ(plans[p].makespan_s, best.plans[p].makespan_s);
    }
  }
}

}  // namespace
}  // namespace damocles::panel_plans_test
