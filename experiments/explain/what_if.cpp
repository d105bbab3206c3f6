// What would help a run: one thing at a time is made twice as good, and the run simulated again.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "experiments/explain/explanation.hpp"
#include "models/error.hpp"
#include "models/parallel.hpp"
#include "models/platforms/memory_limits.hpp"
#include "sim/simulate.hpp"

namespace damocles {
namespace {

using Change = std::function<void(Platform&)>;
struct NamedChange {
  std::string name;
  Change change;
};

/// Kinds of tasks whose times are tried one by one; of more kinds none is.
constexpr std::size_t most_tried_kinds = 6;

bool has_fixed_times(const MachineModel& machine) {
  const auto fixed = [](const KernelTime& time) { return time.recorded || time.measured; };
  return std::any_of(machine.processors.begin(), machine.processors.end(),
                     [&](const ProcessorModel& processor) {
                       const auto& times = processor.kernel_times;
                       return std::any_of(times.begin(), times.end(), fixed);
                     });
}

/// All tasks take half as long there.
void quicken(Platform& platform, bool cores) {
  for (std::size_t p = 0; p < platform.processors(); ++p) {
    ProcessorModel& processor = platform.machine->processors[p];
    if (processor.in_host_memory != cores) continue;
    platform.speeds[p] *= 2;
    processor.flops_per_s *= 2;
    for (KernelTime& time : processor.kernel_times) time.seconds /= 2;
  }
}

/// Tasks of one kind take half as long, everywhere.
void quicken_kind(Platform& platform, const std::string& kind) {
  for (std::size_t p = 0; p < platform.processors(); ++p) {
    auto& times = platform.machine->processors[p].kernel_times;
    const auto known = std::find_if(times.begin(), times.end(),
                                    [&](const KernelTime& time) { return time.kind == kind; });
    if (known != times.end()) {
      known->seconds /= 2;
      continue;
    }
    KernelTime by_flops;
    by_flops.kind = kind;
    by_flops.seconds = 0.5 / platform.speeds[p];
    by_flops.grows = KernelTime::Grows::with_flops;
    by_flops.exponent = 1;
    times.push_back(by_flops);
  }
}

std::vector<NamedChange> changes(const ExplainedRun& run) {
  const MachineModel& machine = *run.platform.machine;
  std::vector<NamedChange> all;
  all.push_back({machine.has_links() ? "bus and links twice as fast" : "bus twice as fast",
                 [](Platform& one) { one.machine = one.machine->with_rates_times(2); }});
  all.push_back({"twice the memory", [](Platform& one) {
                   for (ProcessorModel& processor : one.machine->processors) {
                     processor.memory_bytes *= 2;
                     processor.memory_data *= 2;
                   }
                 }});
  if (machine.decision_s > 0) {
    all.push_back({"decisions that take no time", [](Platform& one) {
                     one.machine->decision_s = 0;
                     one.machine->handover_s = 0;
                   }});
  }
  if (has_fixed_times(machine)) return all;
  const bool cores = machine.any_in_host_memory();
  if (machine.on_buses() > 0) {
    all.push_back({"GPUs twice as fast", [](Platform& one) { quicken(one, false); }});
  }
  if (cores) all.push_back({"cores twice as fast", [](Platform& one) { quicken(one, true); }});
  const auto& kinds = run.workload.graph().parts().kind_names;
  if (kinds.size() < 2 || kinds.size() > most_tried_kinds) return all;
  for (const std::string& kind : kinds) {
    all.push_back({kind + " twice as fast", [kind](Platform& one) { quicken_kind(one, kind); }});
  }
  return all;
}

}  // namespace

std::string what_is_not_tried(const ExplainedRun& run) {
  if (!run.platform.machine) return "";
  if (has_fixed_times(*run.platform.machine)) {
    return "faster processors and kinds of tasks, as times of tasks come from a file";
  }
  const std::size_t kinds = run.workload.graph().parts().kind_names.size();
  return kinds > most_tried_kinds ? fmt::format("faster tasks of one of {} kinds", kinds) : "";
}

std::vector<WhatIf> what_if(const ExplainedRun& run, const StrategyChoice& strategy,
                            std::uint64_t threads) {
  if (!run.platform.machine) return {};
  const auto tried = changes(run);
  std::vector<std::optional<WhatIf>> results(tried.size());
  const auto try_one = [&](std::uint64_t k) {
    Platform platform = run.platform;
    auto& depth = platform.machine->depth;  // else it would follow the rates
    if (depth == 0 && strategy.entry->depth == 0) {
      depth = prefetch_depth(*platform.machine, run.workload);
    }
    platform.machine->jitter = platform.machine->jitter_of();
    tried[k].change(platform);
    try {
      const Trace trace =
          simulate(run.workload, platform, strategy, *run.record.seed, *run.record.replicate);
      results[k] = {tried[k].name, trace.makespan_s, trace.total_loads()};
    } catch (const InvalidInput&) {
      // The strategy does not run on such a platform: nothing to tell.
    }
  };
  in_parallel(tried.size(), try_one, threads);
  std::vector<WhatIf> gains;
  const double before_s = run.record.makespan_s.value_or(0);
  for (auto& result : results) {
    if (result && result->makespan_s < 0.99 * before_s) gains.push_back(std::move(*result));
  }
  std::stable_sort(gains.begin(), gains.end(),
                   [](const WhatIf& a, const WhatIf& b) { return a.makespan_s < b.makespan_s; });
  return gains;
}

}  // namespace damocles
