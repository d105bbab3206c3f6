// What is planned with gaps, and with optimistic costs, beside the rules, written down plainly.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "orders/lookahead_schedule.hpp"
#include "tests/orders/drawn_examples.hpp"

namespace damocles::plain_gaps_test {
namespace {

using Index = PlannedGraph::Index;
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Tasks that are placed, some for now, in gaps: when a task would end, by trying every start.
class PlainGaps {
 public:
  PlainGaps(const PlannedExample& example, const PlannedGraph& graph)
      : example_(example), graph_(graph), placed_(graph.tasks()) {}

  [[nodiscard]] Placement on(Index task, std::size_t k) const {
    const double duration_s = example_.durations[task][k];
    double data_s = 0;
    std::vector<double> starts;
    for (const auto& other : graph_.before(task)) {
      if (!placed_[other.task]) continue;
      const Placement& from = *placed_[other.task];
      data_s = std::max(data_s,
                        from.end_s + passing(example_, other.task, task, raw(from.processor), k));
    }
    const auto free = [&](double start_s) {
      return std::none_of(placed_.begin(), placed_.end(), [&](const auto& other) {
        return other && raw(other->processor) == k && start_s < other->end_s &&
               other->start_s < start_s + duration_s;
      });
    };
    double first_s = free(data_s) ? data_s : infinite;
    for (const auto& other : placed_) {
      if (!other || other->end_s < data_s || other->end_s >= first_s) continue;
      if (free(other->end_s)) first_s = other->end_s;
    }
    return {ProcessorId{static_cast<std::uint32_t>(k)}, first_s, first_s + duration_s};
  }
  [[nodiscard]] Placement first_end(Index task) const {
    Placement best{.end_s = infinite};
    for (std::size_t k = 0; k < graph_.processors(); ++k) {
      const Placement here = on(task, k);
      if (here.end_s < best.end_s) best = here;
    }
    return best;
  }
  void place(Index task, std::optional<Placement> placement) { placed_[task] = placement; }
  [[nodiscard]] const Placement& placement(Index task) const { return *placed_[task]; }

 private:
  const PlannedExample& example_;
  const PlannedGraph& graph_;
  std::vector<std::optional<Placement>> placed_;
};

/// From a placement of the task: when the last of those that wait for it ends.
double last_child_s(PlainGaps& plan, const PlannedGraph& graph, Index task, const Placement& here,
                    const std::vector<double>& ranks) {
  std::vector<Index> children;
  for (const auto& later : graph.after(task)) children.push_back(later.task);
  std::stable_sort(children.begin(), children.end(),
                   [&](Index a, Index b) { return ranks[a] > ranks[b]; });
  double last_s = 0;
  plan.place(task, here);
  for (const Index child : children) {
    plan.place(child, plan.first_end(child));
    last_s = std::max(last_s, plan.placement(child).end_s);
  }
  for (const Index child : children) plan.place(child, {});
  plan.place(task, {});
  return last_s;
}

/// Tasks of no time are left out: some gaps that have no length are none for a plan.
TEST(LookaheadSchedule, IsTheRule) {
  Rng rng(9, Draw::test, 0);
  for (int i = 0; i < 300; ++i) {
    PlannedExample example = drawn_of_few_kinds(rng);
    for (auto& times : example.durations) {
      for (double& time : times) time = std::max(time, 1.0);
    }
    for (Index t = 1; i % 4 == 0 && t < example.durations.size(); ++t) {
      example.transfers[{0, t}] =
          static_cast<double>(t % 2);  // so that processors get many children
    }
    const PlannedGraph graph = example.graph();
    const auto ranks = upward_ranks(graph);
    PlainGaps plan(example, graph);

    const auto placed = lookahead_schedule(graph);

    for (const Index task : by_priority(graph, ranks)) {
      std::tuple least{infinite, infinite, Placement{}};
      for (std::size_t k = 0; k < graph.processors(); ++k) {
        const Placement here = plan.on(task, k);
        if (here.end_s == infinite) continue;
        const double last_s = last_child_s(plan, graph, task, here, ranks);
        if (std::pair{last_s, here.end_s} >= std::pair{std::get<0>(least), std::get<1>(least)}) {
          continue;
        }
        least = {last_s, here.end_s, here};
      }
      plan.place(task, std::get<2>(least));
      ASSERT_EQ(placed[task].processor, plan.placement(task).processor) << "in instance " << i;
      ASSERT_EQ(placed[task].start_s, plan.placement(task).start_s) << "in instance " << i;
    }
  }
}

TEST(OptimisticCosts, AreTheRule) {
  Rng rng(10, Draw::test, 0);
  for (int i = 0; i < 200; ++i) {
    const PlannedExample example = i % 2 == 0 ? drawn(rng, {}) : drawn_of_few_kinds(rng);
    const PlannedGraph graph = example.graph();
    const std::size_t processors = graph.processors();

    const auto costs = optimistic_costs(graph);

    for (Index task = 0; task < graph.tasks(); ++task) {
      for (std::size_t k = 0; k < processors; ++k) {
        double most = 0;
        for (const auto& later : graph.after(task)) {
          double least = infinite;
          for (std::size_t q = 0; q < processors; ++q) {
            least = std::min(least, costs[later.task * processors + q] +
                                        example.durations[later.task][q] +
                                        passing(example, task, later.task, k, q));
          }
          most = std::max(most, least);
        }
        ASSERT_EQ(costs[task * processors + k], most) << "in instance " << i;
      }
    }
  }
}

}  // namespace
}  // namespace damocles::plain_gaps_test
