#include "strategies/parts/paced_lists.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace damocles {
namespace {

std::vector<std::vector<TaskGraph::Index>> lists_of(const Plans& plans) {
  std::vector<std::vector<TaskGraph::Index>> result;
  result.reserve(plans.size());
  for (const PacedOrder& plan : plans) result.push_back(plan.order);
  return result;
}

}  // namespace

bool overlaps(const StrategyContext& context) {
  return context.platform.machine && context.platform.machine->depth != 1;
}

Plans unpaced(const std::vector<std::vector<TaskGraph::Index>>& lists) {
  Plans plans;
  for (const auto& list : lists) plans.push_back({list, {}, 0});
  return plans;
}

std::vector<Pace> paces_of(const StrategyContext& context) {
  const MachineModel& machine = *context.platform.machine;
  const std::uint64_t memory = memory_beside_prefetch(context);
  std::vector<Pace> paces;
  for (std::size_t p = 0; p < machine.processors.size(); ++p) {
    paces.push_back({.flops_per_s = machine.processors[p].flops_per_s,
                     .bytes_per_s = machine.home_rate(p),
                     .load_latency_s = machine.latency_s,
                     .spare_bytes = smallest_memory(context) - memory});
  }
  return paces;
}

Plans plans_for(const StrategyContext& context,
                const std::vector<std::vector<TaskGraph::Index>>& lists) {
  if (!overlaps(context)) return unpaced(lists);
  return paced_together(context.workload.graph(), lists, memory_beside_prefetch(context),
                        paces_of(context), context.platform.machine->all_buses_bytes_per_s());
}

PacedLists::Course::Course(std::vector<PlannedLoad> planned, std::size_t data)
    : loads(std::move(planned)),
      begin(data + 1, 0),
      firsts(loads.size()),
      fetched_for(data, std::numeric_limits<Index>::max()) {
  for (const PlannedLoad& load : loads) ++begin[load.data + 1];
  for (std::size_t d = 0; d < data; ++d) begin[d + 1] += begin[d];
  std::vector<std::size_t> end(begin.begin(), begin.end() - 1);
  for (const PlannedLoad& load : loads) firsts[end[load.data]++] = load.first;
  for (std::size_t d = 0; d < data; ++d) {
    std::sort(firsts.begin() + static_cast<std::ptrdiff_t>(begin[d]),
              firsts.begin() + static_cast<std::ptrdiff_t>(begin[d + 1]));
  }
}

PacedLists::PacedLists(const StrategyContext& context, Plans plans)
    : PerProcessorLists(
          context, lists_of(plans),
          {.steal = std::none_of(plans.begin(), plans.end(),
                                 [](const PacedOrder& plan) { return plan.order.empty(); })}),
      memory_(context.memory) {
  for (PacedOrder& plan : plans) {
    courses_.emplace_back(std::move(plan.loads), context.workload.graph().data());
  }
}

void PacedLists::request(ProcessorId processor, Grant& grant) {
  PerProcessorLists::request(processor, grant);
  if (grant.tasks.empty()) return;
  Course& course = courses_[raw(processor)];
  for (; course.next < course.loads.size(); ++course.next) {
    const PlannedLoad& load = course.loads[course.next];
    if (load.after > course.started) break;
    course.due.push_back(load);
    course.fetched_for[load.data] = load.first;
  }
  std::erase_if(course.due, [&](const PlannedLoad& load) {
    const DataId data{load.data};
    return memory_.resident(processor, data) || listed_use(processor, data) == never;
  });
  for (const PlannedLoad& load : course.due) grant.loads.push_back(DataId{load.data});
}

void PacedLists::on_started(ProcessorId processor, TaskId) { ++courses_[raw(processor)].started; }

std::uint64_t PacedLists::kept_for(ProcessorId processor, DataId data) const {
  const std::uint64_t use = listed_use(processor, data);
  const Course& course = courses_[raw(processor)];
  if (use == never || use == course.fetched_for[raw(data)]) return use;
  const auto begin = course.firsts.begin() + static_cast<std::ptrdiff_t>(course.begin[raw(data)]);
  const auto end = course.firsts.begin() + static_cast<std::ptrdiff_t>(course.begin[raw(data) + 1]);
  return std::binary_search(begin, end, use) ? never : use;
}

}  // namespace damocles
