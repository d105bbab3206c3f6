#include "orders/heft_schedule.hpp"

#include <utility>

namespace damocles {
std::vector<Placement> heft_schedule(const PlannedGraph& graph) {
  PlannedSchedule schedule(graph);
  for (const PlannedGraph::Index task : by_priority(graph, upward_ranks(graph))) {
    schedule.place(task, schedule.where_it_ends_first(task));
  }
  return std::move(schedule).take();
}

}  // namespace damocles
