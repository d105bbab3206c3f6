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

void PlannedSchedule::data_everywhere(Index task, std::vector<double>& data_s) const {
  const std::size_t processors = graph_.processors();
  const auto before = graph_.before(task);
  data_s.resize(processors);
  if (before.size() >= processors) {
    for (std::size_t k = 0; k < processors; ++k) data_s[k] = this->data_s(task, k);
    return;
  }
  // From other processors it comes to all of a site at once.
  site_s_.assign(graph_.sites(), 0);
  for (const auto& other : before) {
    if (!placed_[other.task]) continue;
    const Placement& from = placements_[other.task];
    const std::size_t from_site = graph_.site(raw(from.processor));
    for (std::size_t to = 0; to < site_s_.size(); ++to) {
      site_s_[to] =
          std::max(site_s_[to], from.end_s + graph_.transfer_between_s(other, from_site, to));
    }
  }
  for (std::size_t k = 0; k < processors; ++k) data_s[k] = site_s_[graph_.site(k)];
  for (const auto& other : before) {
    if (!placed_[other.task]) continue;
    const std::size_t k = raw(placements_[other.task].processor);
    data_s[k] = this->data_s(task, k);
  }
}

Placement PlannedSchedule::in_gap(Index task, std::size_t processor, double from_s) const {
  const double duration_s = graph_.duration_s(task, processor);
  const double start_s = earliest_s(processor, from_s, duration_s);
  return {ProcessorId{static_cast<std::uint32_t>(processor)}, start_s, start_s + duration_s};
}

Placement PlannedSchedule::where_it_ends_first(Index task) const {
  Placement best{.end_s = std::numeric_limits<double>::infinity()};
  data_everywhere(task, data_s_);
  for (std::size_t k = 0; k < graph_.processors(); ++k) {
    // Wherever its gap is; and a processor that cannot run it never ends.
    if (data_s_[k] + graph_.duration_s(task, k) >= best.end_s) continue;
    const Placement here = in_gap(task, k, data_s_[k]);
    if (here.end_s < best.end_s) best = here;
  }
  return best;
}

void PlannedSchedule::place(Index task, const Placement& placement) {
  lines_[raw(placement.processor)].add(placement.start_s, placement.end_s);
  placements_[task] = placement;
  placed_[task] = true;
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
  key.reserve(2 * processors + traits_.size() / graph_.tasks());
  schedule_.data_everywhere(task, everywhere_s_);
  for (std::size_t k = 0; k < processors; ++k) {
    data_s_[task * processors + k] = everywhere_s_[k];
    key.insert(key.end(), {graph_.duration_s(task, k), everywhere_s_[k]});
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
