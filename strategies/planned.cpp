#include "strategies/planned.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace damocles {
namespace {

std::vector<std::vector<Bipartite::Index>> lists_of(const Plans& plans) {
  std::vector<std::vector<Bipartite::Index>> result;
  result.reserve(plans.size());
  for (const PacedOrder& plan : plans) result.push_back(plan.order);
  return result;
}

}  // namespace

bool overlaps(const Setting& setting) {
  return setting.platform.limits && setting.platform.limits->depth != 1;
}

Plans unpaced(const std::vector<std::vector<Bipartite::Index>>& lists) {
  Plans plans;
  for (const auto& list : lists) plans.push_back({list, {}, 0});
  return plans;
}

Plans plans_for(const Setting& setting, const std::vector<std::vector<Bipartite::Index>>& lists) {
  if (!overlaps(setting)) return unpaced(lists);
  Plans plans;
  const Limits& limits = *setting.platform.limits;
  for (std::size_t p = 0; p < lists.size(); ++p) {
    const double share = limits.bus_bytes_per_s / static_cast<double>(lists.size());
    plans.push_back(paced(setting.workload.graph(), lists[p], memory_beside_prefetch(setting),
                          {.flops_per_s = limits.gpus[p].flops_per_s,
                           .bytes_per_s = std::min(share, limits.gpus[p].link_bytes_per_s),
                           .load_latency_s = limits.latency_s}));
  }
  return plans;
}

Planned::Course::Course(std::vector<PlannedLoad> planned, std::size_t data)
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

Planned::Planned(const Setting& setting, Plans plans)
    : Listed(setting, lists_of(plans), {.steal = true}), memory_(setting.memory) {
  for (PacedOrder& plan : plans) {
    courses_.emplace_back(std::move(plan.loads), setting.workload.graph().data());
  }
}

void Planned::request(ProcessorId processor, Grant& grant) {
  Listed::request(processor, grant);
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
    return memory_.resident(processor, data) || Listed::next_use(processor, data) == never;
  });
  for (const PlannedLoad& load : course.due) grant.loads.push_back(DataId{load.data});
}

void Planned::on_started(ProcessorId processor, TaskId) { ++courses_[raw(processor)].started; }

std::uint64_t Planned::next_use(ProcessorId processor, DataId data) {
  const std::uint64_t use = Listed::next_use(processor, data);
  const Course& course = courses_[raw(processor)];
  if (use == never || use == course.fetched_for[raw(data)]) return use;
  const auto begin = course.firsts.begin() + static_cast<std::ptrdiff_t>(course.begin[raw(data)]);
  const auto end = course.firsts.begin() + static_cast<std::ptrdiff_t>(course.begin[raw(data) + 1]);
  return std::binary_search(begin, end, use) ? never : use;
}

}  // namespace damocles
