#include "strategies/parts/completion_time.hpp"

#include <algorithm>

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// What one processor has been allotted so far.
struct Allotted {
  std::vector<Index> tasks;
  std::vector<bool> held;  ///< data, by what was allotted: nothing is evicted here
  double end_s = 0;
};

/// Time to send the inputs of the task that were not sent before: to processor k over its link, and
/// over a bus of which all K take as much, in both directions: 2 K bytes / bandwidth, as StarPU
/// predicts it (docs/peers.md).
double transfer_s(const Setting& setting, std::size_t k, const Allotted& allotted, Index task) {
  if (!setting.platform.limits) return 0;
  const Limits& limits = *setting.platform.limits;
  const double rate =
      std::min(limits.gpus[k].link_bytes_per_s,
               limits.bus_bytes_per_s / (2 * static_cast<double>(limits.gpus.size())));
  const TaskGraph& graph = setting.workload.graph();
  double time = 0;
  for (const Index input : graph.inputs(task)) {
    if (allotted.held[input]) continue;
    time += limits.latency_s + static_cast<double>(graph.bytes(input)) / rate;
  }
  return time;
}

}  // namespace

std::vector<std::vector<Index>> allot_by_completion_time(const Setting& setting) {
  const TaskGraph& graph = setting.workload.graph();
  const auto& speeds = setting.platform.speeds;
  std::vector<Allotted> all(speeds.size(), Allotted{{}, std::vector<bool>(graph.data()), 0});
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto task = static_cast<Index>(t);
    std::size_t best = 0;
    double best_cost = 0;
    double best_end = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const double transfer = transfer_s(setting, k, all[k], task);
      const double end = std::max(all[k].end_s, transfer) + graph.flops(task) / speeds[k];
      if (k > 0 && end + transfer >= best_cost) continue;
      best = k;
      best_cost = end + transfer;
      best_end = end;
    }
    all[best].end_s = best_end;
    all[best].tasks.push_back(task);
    for (const Index input : graph.inputs(task)) all[best].held[input] = true;
  }
  std::vector<std::vector<Index>> lists;
  for (Allotted& allotted : all) lists.push_back(std::move(allotted.tasks));
  return lists;
}

}  // namespace damocles
