#include "strategies/parts/drawn_by_speed.hpp"

namespace damocles {

DrawnBySpeed::DrawnBySpeed(const StrategyContext& context)
    : durations_(context.workload, context.platform),
      rng_(context.rng),
      speeds_(context.platform.speeds) {
  if (!durations_.not_by_flops()) return;
  const TaskGraph& graph = context.workload.graph();
  for (std::size_t p = 0; p < speeds_.size(); ++p) {
    double work = 0;
    double time_s = 0;
    for (Index task = 0; task < graph.tasks(); ++task) {
      if (!durations_.runs(p, task)) continue;
      work += graph.total_flops() > 0 ? graph.flops(task) : 1;
      time_s += durations_.s(p, task);
    }
    speeds_[p] = time_s > 0 ? work / time_s : 0;
  }
}

ProcessorId DrawnBySpeed::operator()(Index task) {
  double sum = 0;
  for (std::size_t p = 0; p < speeds_.size(); ++p) {
    if (durations_.runs(p, task)) sum += speeds_[p];
  }
  double left = rng_.uniform() * sum;
  std::size_t last = 0;
  for (std::size_t p = 0; p < speeds_.size(); ++p) {
    if (!durations_.runs(p, task)) continue;
    last = p;
    left -= speeds_[p];
    if (left < 0) break;
  }
  return ProcessorId{static_cast<std::uint32_t>(last)};
}

}  // namespace damocles
