#include "strategies/orders/heft_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "strategies/orders/planned_line.hpp"

namespace damocles {
namespace {

using TaskIndex = Dependencies::Index;

std::vector<double> upward_ranks(const Dependencies& dependencies,
                                 const std::vector<TaskIndex>& order, std::size_t processors,
                                 const PlannedCosts& costs) {
  std::vector<double> ranks(order.size(), 0);
  for (std::size_t at = order.size(); at-- > 0;) {
    const TaskIndex task = order[at];
    double sum = 0;
    double able = 0;
    for (std::size_t k = 0; k < processors; ++k) {
      const double duration = costs.duration_s(task, k);
      if (!std::isfinite(duration)) continue;
      sum += duration;
      able += 1;
    }
    double behind = 0;
    for (const TaskIndex later : dependencies.after(task)) {
      behind = std::max(behind, costs.transfer_s(task, later) + ranks[later]);
    }
    ranks[task] = sum / able + behind;
  }
  return ranks;
}

}  // namespace

std::vector<Placement> heft_schedule(const Dependencies& dependencies, std::size_t tasks,
                                     std::size_t processors, const PlannedCosts& costs) {
  std::vector<TaskIndex> order = dependencies.order(tasks);
  const std::vector<double> ranks = upward_ranks(dependencies, order, processors, costs);
  // Who is waited for is before in `order`, and ranks no lower.
  std::stable_sort(order.begin(), order.end(),
                   [&](TaskIndex a, TaskIndex b) { return ranks[a] > ranks[b]; });
  std::vector<std::vector<TaskIndex>> before(tasks);
  for (const TaskIndex task : order) {
    for (const TaskIndex later : dependencies.after(task)) before[later].push_back(task);
  }
  std::vector<Placement> placements(tasks);
  std::vector<PlannedLine> lines(processors);
  for (const TaskIndex task : order) {
    Placement best{.end_s = std::numeric_limits<double>::infinity()};
    for (std::size_t k = 0; k < processors; ++k) {
      const ProcessorId processor{static_cast<std::uint32_t>(k)};
      const double duration = costs.duration_s(task, k);
      double ready_s = 0;
      for (const TaskIndex other : before[task]) {
        const Placement& from = placements[other];
        const double share = costs.share(raw(from.processor), k);
        const double transfer = share == 0 ? 0 : share * costs.transfer_s(other, task);
        ready_s = std::max(ready_s, from.end_s + transfer);
      }
      const double start = lines[k].earliest_s(ready_s, duration);
      if (start + duration < best.end_s) best = {processor, start, start + duration};
    }
    lines[raw(best.processor)].add(best.start_s, best.end_s);
    placements[task] = best;
  }
  return placements;
}

}  // namespace damocles
