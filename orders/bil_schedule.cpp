#include "orders/bil_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
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

  [[nodiscard]] BilTask next_task() {
    BilTask best = 0;
    double most_s = -1;   // the first of its rank
    bool ranked = false;  // `most_` is its rank
    for (const BilTask task : schedule_.ready()) {
      list(task, here_);
      const double here_s = first(here_);
      if (here_s < most_s) continue;
      if (here_s == most_s) {  // rarely needs to be known
        if (!std::exchange(ranked, true)) {
          list(best, most_);
          rank(most_);
        }
        rank(here_);
        if (!(most_ < here_)) continue;
        std::swap(most_, here_);
      } else {
        ranked = false;
      }
      most_s = here_s;
      best = task;
    }
    return best;
  }

  [[nodiscard]] std::size_t processor_of(BilTask task) const {
    std::size_t best = 0;
    double least_s = std::numeric_limits<double>::infinity();
    std::optional<double> best_all_s;  // where it is known
    for (std::size_t k = 0; k < graph_.processors(); ++k) {
      if (!graph_.runs(task, k)) continue;
      const double here_s = revised_s(task, k);
      if (here_s > least_s) continue;
      std::optional<double> here_all_s;
      if (here_s == least_s) {
        if (!best_all_s) best_all_s = all_s(best);
        here_all_s = all_s(k);
        if (*here_all_s <= *best_all_s) continue;
      }
      least_s = here_s;
      best_all_s = here_all_s;
      best = k;
    }
    return best;
  }

 private:
  [[nodiscard]] double makespan_s(BilTask task, std::size_t k) const {
    return schedule_.end_s(task, k) + costs_[task * graph_.processors() + k];
  }
  /// Its finite makespans.
  void list(BilTask task, std::vector<double>& makespans) const {
    makespans.clear();
    for (std::size_t k = 0; k < graph_.processors(); ++k) {
      if (graph_.runs(task, k)) makespans.push_back(makespan_s(task, k));
    }
  }
  /// The r-th smallest of them for r ready tasks, or the largest.
  [[nodiscard]] double first(std::vector<double>& makespans) const {
    const std::size_t r = std::min(makespans.size(), schedule_.ready_in_all());
    if (r == makespans.size()) return *std::max_element(makespans.begin(), makespans.end());
    const auto at = makespans.begin() + static_cast<std::ptrdiff_t>(r - 1);
    std::nth_element(makespans.begin(), at, makespans.end());
    return *at;
  }
  /// That one, and all smaller ones, falling.
  void rank(std::vector<double>& makespans) const {
    std::sort(makespans.begin(), makespans.end());
    makespans.resize(std::min(makespans.size(), schedule_.ready_in_all()));
    std::reverse(makespans.begin(), makespans.end());
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
  std::vector<double> most_;
  std::vector<double> here_;
};

}  // namespace

std::vector<Placement> bil_schedule(const PlannedGraph& graph) {
  const std::vector<double> costs = optimistic_costs(graph);
  AppendedSchedule schedule(graph, costs);
  Imaginary imaginary(graph, schedule, costs);
  while (!schedule.ready().empty()) {
    const BilTask task = imaginary.next_task();
    schedule.place(task, imaginary.processor_of(task));
  }
  return std::move(schedule).take();
}

}  // namespace damocles
