#include "orders/static_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "models/data_flow.hpp"
#include "models/platforms/durations.hpp"
#include "orders/bil_schedule.hpp"
#include "orders/heft_schedule.hpp"
#include "orders/lookahead_schedule.hpp"
#include "orders/rank_schedules.hpp"
#include "orders/ready_schedules.hpp"

namespace damocles {
namespace {

using PlannedTask = PlannedGraph::Index;

constexpr std::array all_schedules{NamedSchedule{"bil", bil_schedule},
                                   NamedSchedule{"cpop", cpop_schedule},
                                   NamedSchedule{"dls", dls_schedule},
                                   NamedSchedule{"etf", etf_schedule},
                                   NamedSchedule{"heft", heft_schedule},
                                   NamedSchedule{"hlfet", hlfet_schedule},
                                   NamedSchedule{"lookahead", lookahead_schedule},
                                   NamedSchedule{"max-min", max_min_schedule},
                                   NamedSchedule{"min-min", min_min_schedule},
                                   NamedSchedule{"peft", peft_schedule},
                                   NamedSchedule{"sufferage", sufferage_schedule}};

/// Between processors, over host memory: two copies, one where one of them computes there. A copy
/// counts as many as it takes times as long, latencies aside, as one of the mean processor.
class HostWays {
 public:
  explicit HostWays(const Platform& platform)
      : machine_(platform.machine ? &*platform.machine : nullptr) {
    if (machine_ == nullptr) return;
    const std::size_t copying = machine_->on_buses();  // GPUs come first
    if (copying == 0) {
      mean_copies_ = 0;
      return;
    }
    bool alike = true;
    double slowness = 0;
    for (std::size_t k = 0; k < copying; ++k) {
      alike = alike && machine_->home_rate(k) == machine_->home_rate(0);
      slowness += 1 / machine_->home_rate(k);
    }
    mean_rate_ = alike ? machine_->home_rate(0) : static_cast<double>(copying) / slowness;
    // Each end of a pair copies unless it is in host memory.
    mean_copies_ =
        2 * static_cast<double>(copying) / static_cast<double>(machine_->processors.size());
  }

  /// [s]
  [[nodiscard]] double mean_s(std::uint64_t bytes) const {
    if (machine_ == nullptr || bytes == 0 || mean_copies_ == 0) return 0;
    return mean_copies_ * (machine_->latency_s + static_cast<double>(bytes) / mean_rate_);
  }
  [[nodiscard]] double share(std::size_t from, std::size_t to) const {
    if (from == to || mean_copies_ == 0) return 0;
    if (machine_ == nullptr) return 1;
    return (copies(from) + copies(to)) / mean_copies_;
  }
  /// Between host memory and there, over that of the mean processor; all that a share depends on.
  [[nodiscard]] double copies(std::size_t k) const {
    if (machine_ == nullptr || mean_copies_ == 0) return 0;
    return machine_->processors[k].in_host_memory ? 0 : mean_rate_ / machine_->home_rate(k);
  }

 private:
  const MachineModel* machine_;
  double mean_copies_ = 2;
  double mean_rate_ = 0;  // [B/s]
};

/// Who waits for whom, and beside that, who is passed something by whom.
Dependencies waits_and_flow(const TaskGraph& graph, const DataFlow& flow) {
  const Dependencies& given = graph.dependencies();
  std::vector<Dependencies::Wait> waits;
  for (PlannedTask task = 0; task < graph.tasks(); ++task) {
    for (const DataFlow::Passed& passed : flow.into(task)) {
      if (!given.waits(task, passed.from)) waits.emplace_back(task, passed.from);
    }
  }
  if (waits.empty()) return given;
  const std::size_t nodes = graph.tasks() + given.joints();
  for (PlannedTask node = 0; node < nodes; ++node) {
    for (const PlannedTask later : given.nodes_after(node)) waits.emplace_back(later, node);
  }
  return {graph.tasks(), waits, given.joints()};
}

PlannedGraph planned_graph(const Workload& workload, const Platform& platform) {
  const TaskGraph& graph = workload.graph();
  const Durations durations(workload, platform);
  const HostWays ways(platform);
  const DataFlow flow(graph);
  return {waits_and_flow(graph, flow),
          graph.tasks(),
          platform.processors(),
          {.duration_s = [&](PlannedTask task, std::size_t k) { return durations.s(k, task); },
           .transfer_s = [&](PlannedTask before,
                             PlannedTask after) { return ways.mean_s(flow.bytes(before, after)); },
           .share = [&](std::size_t from, std::size_t to) { return ways.share(from, to); },
           .site = [&](std::size_t k) { return ways.copies(k); }}};
}

}  // namespace

std::span<const NamedSchedule> named_schedules() { return all_schedules; }

Schedule schedule_called(std::string_view name) {
  const auto* const found =
      std::find_if(all_schedules.begin(), all_schedules.end(),
                   [&](const NamedSchedule& one) { return one.name == name; });
  if (found == all_schedules.end()) {
    throw std::logic_error(fmt::format("there is no static schedule '{}'", name));
  }
  return found->schedule;
}

StaticPlan static_plan(const Workload& workload, const Platform& platform, Schedule schedule) {
  const PlannedGraph planned = planned_graph(workload, platform);
  const std::vector<Placement> placements = schedule(planned);
  StaticPlan plan{.order = planned.order(), .of_processors{}};
  std::stable_sort(plan.order.begin(), plan.order.end(), [&](PlannedTask a, PlannedTask b) {
    return placements[a].start_s < placements[b].start_s;
  });
  plan.of_processors.resize(planned.processors());
  for (const PlannedTask task : plan.order) {
    plan.of_processors[raw(placements[task].processor)].push_back(task);
    plan.makespan_s = std::max(plan.makespan_s, placements[task].end_s);
  }
  return plan;
}

}  // namespace damocles
