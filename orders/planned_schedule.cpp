#include "orders/planned_schedule.hpp"

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
  return in_gap_from(data_s(task, processor), graph_.duration_s(task, processor), processor);
}

Placement PlannedSchedule::in_gap_from(double from_s, double duration_s,
                                       std::size_t processor) const {
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
    const double from_s = data_s(task, k);
    const double duration_s = graph_.duration_s(task, k);
    if (from_s + duration_s >= best.end_s) continue;  // wherever its gap is
    const Placement here = in_gap_from(from_s, duration_s, k);
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

AppendedSchedule::AppendedSchedule(const PlannedGraph& graph, std::vector<double> traits)
    : graph_(graph),
      schedule_(graph),
      traits_(std::move(traits)),
      waits_(graph.tasks()),
      data_s_(graph.tasks() * graph.processors(), 0),
      alike_to_(graph.tasks()) {
  for (Index task = 0; task < waits_.size(); ++task) {
    waits_[task] = graph.before(task).size();
    if (waits_[task] == 0) add(task);
  }
}

void AppendedSchedule::place(Index task, std::size_t processor) {
  const double start_s = this->start_s(task, processor);
  schedule_.place(task, {ProcessorId{static_cast<std::uint32_t>(processor)}, start_s,
                         start_s + graph_.duration_s(task, processor)});
  remove(task);
  for (const auto& later : graph_.after(task)) {
    if (--waits_[later.task] == 0) add(later.task);
  }
}

void AppendedSchedule::add(Index task) {
  const std::size_t processors = graph_.processors();
  std::vector<double> key;
  for (std::size_t k = 0; k < processors; ++k) {
    const double data_s = schedule_.data_s(task, k);
    data_s_[task * processors + k] = data_s;
    key.insert(key.end(), {graph_.duration_s(task, k), data_s});
  }
  const std::size_t traits = traits_.size() / graph_.tasks();
  const auto own = traits_.begin() + static_cast<std::ptrdiff_t>(task * traits);
  key.insert(key.end(), own, own + static_cast<std::ptrdiff_t>(traits));
  const auto at = alike_.try_emplace(std::move(key)).first;
  std::set<Index>& tasks = at->second;
  if (tasks.empty()) {
    lowest_.insert(place_in_lowest(task), task);
  } else if (task < *tasks.begin()) {
    lowest_.erase(place_in_lowest(*tasks.begin()));
    lowest_.insert(place_in_lowest(task), task);
  }
  tasks.insert(task);
  alike_to_[task] = at;
  ++ready_in_all_;
}

void AppendedSchedule::remove(Index task) {
  const auto at = alike_to_[task];
  std::set<Index>& tasks = at->second;
  const bool lowest = task == *tasks.begin();
  tasks.erase(task);
  --ready_in_all_;
  if (lowest) lowest_.erase(place_in_lowest(task));
  if (tasks.empty()) {
    alike_.erase(at);
  } else if (lowest) {
    lowest_.insert(place_in_lowest(*tasks.begin()), *tasks.begin());
  }
}

std::vector<PlannedSchedule::Index>::iterator AppendedSchedule::place_in_lowest(Index task) {
  return std::lower_bound(lowest_.begin(), lowest_.end(), task);
}

}  // namespace damocles
