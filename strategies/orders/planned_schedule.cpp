#include "strategies/orders/planned_schedule.hpp"

#include <algorithm>
#include <limits>

namespace damocles {

double PlannedSchedule::data_s(Index task, std::size_t processor) const {
  double result = 0;
  for (const auto& other : graph_.before(task)) {
    if (!placed_[other.task]) continue;
    const Placement& from = placements_[other.task];
    result =
        std::max(result, from.end_s + graph_.transfer_s(other, raw(from.processor), processor));
  }
  return result;
}

Placement PlannedSchedule::in_gap(Index task, std::size_t processor) const {
  const double duration_s = graph_.duration_s(task, processor);
  double from_s = data_s(task, processor);
  while (true) {
    const double start_s = lines_[processor].earliest_s(from_s, duration_s);
    const double end_s = start_s + duration_s;
    const auto& assumed = assumed_[processor];
    const auto hit = std::find_if(assumed.begin(), assumed.end(), [&](const Placement& other) {
      return start_s < other.end_s && other.start_s < end_s;
    });
    if (hit == assumed.end()) {
      return {ProcessorId{static_cast<std::uint32_t>(processor)}, start_s, end_s};
    }
    from_s = hit->end_s;
  }
}

Placement PlannedSchedule::where_it_ends_first(Index task) const {
  Placement best{.end_s = std::numeric_limits<double>::infinity()};
  for (std::size_t k = 0; k < graph_.processors(); ++k) {
    if (!graph_.runs(task, k)) continue;
    const Placement here = in_gap(task, k);
    if (here.end_s < best.end_s) best = here;
  }
  return best;
}

void PlannedSchedule::place(Index task, const Placement& placement) {
  lines_[raw(placement.processor)].add(placement.start_s, placement.end_s);
  placements_[task] = placement;
  placed_[task] = true;
}

void PlannedSchedule::assume(Index task, const Placement& placement) {
  assumed_[raw(placement.processor)].push_back(placement);
  assumed_tasks_.push_back(task);
  placements_[task] = placement;
  placed_[task] = true;
}

void PlannedSchedule::forget() {
  for (const Index task : assumed_tasks_) {
    assumed_[raw(placements_[task].processor)].clear();
    placed_[task] = false;
  }
  assumed_tasks_.clear();
}

AppendedSchedule::AppendedSchedule(const PlannedGraph& graph)
    : graph_(graph),
      schedule_(graph),
      waits_(graph.tasks()),
      data_s_(graph.tasks() * graph.processors(), 0) {
  for (Index task = 0; task < waits_.size(); ++task) {
    waits_[task] = graph.before(task).size();
    if (waits_[task] == 0) ready_.push_back(task);
  }
}

void AppendedSchedule::place(Index task, std::size_t processor) {
  const double start_s = this->start_s(task, processor);
  schedule_.place(task, {ProcessorId{static_cast<std::uint32_t>(processor)}, start_s,
                         start_s + graph_.duration_s(task, processor)});
  const auto at = [&](Index ready) {
    return std::lower_bound(ready_.begin(), ready_.end(), ready);
  };
  ready_.erase(at(task));
  for (const auto& later : graph_.after(task)) {
    if (--waits_[later.task] > 0) continue;
    for (std::size_t k = 0; k < graph_.processors(); ++k) {
      data_s_[later.task * graph_.processors() + k] = schedule_.data_s(later.task, k);
    }
    ready_.insert(at(later.task), later.task);
  }
}

}  // namespace damocles
