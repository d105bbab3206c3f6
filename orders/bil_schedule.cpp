#include "orders/bil_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace damocles {
namespace {

using BilTask = PlannedGraph::Index;

/// The best imaginary makespans of ready tasks, and what is chosen by them.
class Imaginary {
 public:
  Imaginary(const PlannedGraph& graph, const AppendedSchedule& schedule,
            const std::vector<double>& costs)
      : graph_(graph), schedule_(schedule), costs_(costs) {}

  [[nodiscard]] BilTask next_task() const {
    BilTask best = 0;
    std::vector<double> most;
    std::vector<double> here;
    for (const BilTask task : schedule_.ready()) {
      rank(task, here);
      if (!most.empty() && !(most < here)) continue;
      std::swap(most, here);
      best = task;
    }
    return best;
  }

  [[nodiscard]] std::size_t processor_of(BilTask task) const {
    std::size_t best = 0;
    double least_s = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < graph_.processors(); ++k) {
      if (!graph_.runs(task, k)) continue;
      const double here_s = revised_s(task, k);
      if (here_s > least_s || (here_s == least_s && all_s(k) <= all_s(best))) {
        continue;
      }
      least_s = here_s;
      best = k;
    }
    return best;
  }

 private:
  [[nodiscard]] double makespan_s(BilTask task, std::size_t k) const {
    return schedule_.end_s(task, k) + costs_[task * graph_.processors() + k];
  }
  /// The r-th smallest finite makespan of r ready tasks, or the largest, and all smaller ones.
  void rank(BilTask task, std::vector<double>& falling) const {
    falling.clear();
    for (std::size_t k = 0; k < graph_.processors(); ++k) {
      if (graph_.runs(task, k)) falling.push_back(makespan_s(task, k));
    }
    std::sort(falling.begin(), falling.end());
    falling.resize(std::min(falling.size(), schedule_.ready_in_all()));
    std::reverse(falling.begin(), falling.end());
  }
  /// With more ready tasks than processors the own duration counts more.
  [[nodiscard]] double revised_s(BilTask task, std::size_t k) const {
    const double makespan = makespan_s(task, k);
    const double a_processor =
        static_cast<double>(schedule_.ready_in_all()) / static_cast<double>(graph_.processors());
    if (a_processor <= 1) return makespan;  // it may be infinite, which times 0 is nothing
    return makespan + graph_.duration_s(task, k) * (a_processor - 1);
  }
  /// Of all ready tasks, the revised makespans there together; the task in question is among them,
  /// as it adds the same to processors that tie.
  [[nodiscard]] double all_s(std::size_t k) const {
    double sum_s = 0;
    for (const BilTask task : schedule_.ready()) {
      sum_s += static_cast<double>(schedule_.alike(task)) * revised_s(task, k);
    }
    return sum_s;
  }

  const PlannedGraph& graph_;
  const AppendedSchedule& schedule_;
  const std::vector<double>& costs_;  // by task and processor
};

}  // namespace

std::vector<Placement> bil_schedule(const PlannedGraph& graph) {
  const std::vector<double> costs = optimistic_costs(graph);
  AppendedSchedule schedule(graph, costs);
  const Imaginary imaginary(graph, schedule, costs);
  while (!schedule.ready().empty()) {
    const BilTask task = imaginary.next_task();
    schedule.place(task, imaginary.processor_of(task));
  }
  return std::move(schedule).take();
}

}  // namespace damocles
