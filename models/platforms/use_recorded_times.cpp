#include "models/platforms/use_recorded_times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "models/platforms/kernel_times.hpp"
#include "models/platforms/measured_kernels.hpp"
#include "models/platforms/recorded_times.hpp"

namespace damocles {
namespace {

/// What a file recorded on one kind of worker.
struct RecordedThere {
  std::uint64_t tasks = 0;           ///< whose time is known there
  std::vector<std::string> lacking;  ///< kinds with a task whose time is not
};

RecordedThere recorded_there(const TaskGraph& graph, const RecordedTimes& recorded, bool on_core) {
  RecordedThere result;
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    // Nobody records what takes no time, as StarPU's synchronisations do.
    if (graph.flops(task) == 0 && !recorded.time(task, !on_core)) continue;
    if (recorded.time(task, on_core)) {
      ++result.tasks;
      continue;
    }
    const std::string& kind = graph.kind_name(task);
    auto& lacking = result.lacking;
    if (std::find(lacking.begin(), lacking.end(), kind) == lacking.end()) lacking.push_back(kind);
  }
  return result;
}

/// Whether the platform leaves it open how long tasks take there.
bool is_open(const ProcessorModel& one) {
  return one.kernel_times.empty() && one.kernels != kernels_by_flops &&
         one.kernels != kernels_at_given_speed;
}

/// The entry of recorded times, or null.
const KernelTime* recorded_entry(const ProcessorModel& one) {
  const auto& times = one.kernel_times;
  const auto found = std::find_if(times.begin(), times.end(),
                                  [](const KernelTime& time) { return time.recorded; });
  return found == times.end() ? nullptr : &*found;
}

/// Whether it takes recorded times where there are some, and something else for other tasks.
bool takes_some(const ProcessorModel& one) {
  const KernelTime* const entry = recorded_entry(one);
  return entry != nullptr && entry->if_named;
}

/// Whether the other kind of worker is there too, and runs what only it was recorded to run.
bool others_run(const MachineModel& machine, bool on_core) {
  return std::any_of(machine.processors.begin(), machine.processors.end(), [&](const auto& one) {
    return one.in_host_memory != on_core &&
           (one.kernel_times.empty() || recorded_entry(one) != nullptr);
  });
}

/// "of GEMM, POTRF and 2 more kinds"; "" where kinds have no names.
std::string kinds_in_words(std::vector<std::string> kinds) {
  constexpr std::size_t most_shown = 4;
  if (kinds.front().empty()) return "";
  const std::size_t more = kinds.size() - std::min(kinds.size(), most_shown);
  kinds.resize(kinds.size() - more);
  return fmt::format(" of {}{}", fmt::join(kinds, ", "),
                     more > 0 ? fmt::format(" and {} more kinds", more) : "");
}

std::string lack_in_words(const ProcessorModel& on, const RecordedThere& there) {
  const char* const where = on.in_host_memory ? "a core" : "a GPU";
  const std::string rate = fmt::format("their flops over {:g} GFlop/s there", on.flops_per_s / 1e9);
  if (there.tasks == 0) return fmt::format("no task was recorded on {}; all take {}", where, rate);
  const std::string& kind = there.lacking.front();
  return fmt::format(
      "some tasks{} were never recorded on {}; they {} ({}times=recorded+{}:1ms gives a time)",
      kinds_in_words(there.lacking), where,
      recorded_entry(on)->seconds == never_s ? "do not run there" : "take " + rate,
      on.in_host_memory ? "cpu_" : "", kind.empty() ? "KIND" : kind);
}

}  // namespace

bool has_recorded_times(const Workload& workload) {
  if (!workload.source()) return false;
  const auto& recorded = workload.graph().parts().recorded;
  return std::any_of(recorded.begin(), recorded.end(),
                     [](const RecordedTask& task) { return task.seconds.has_value(); });
}

void use_recorded_times(MachineModel& machine, const Workload& workload) {
  if (!has_recorded_times(workload)) return;
  const RecordedTimes recorded(workload.graph());
  for (const bool core : {false, true}) {
    std::optional<RecordedThere> there;
    for (ProcessorModel& one : machine.processors) {
      if (one.in_host_memory != core || !is_open(one)) continue;
      if (!there) there = recorded_there(workload.graph(), recorded, core);
      if (there->tasks == 0) break;
      one.kernel_times = {{.kind = "recorded",
                           .seconds = others_run(machine, core) ? never_s : 0,
                           .recorded = true,
                           .if_named = !there->lacking.empty()}};
    }
  }
}

std::string recorded_times_in_use(const MachineModel& machine) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const ProcessorModel& one : machine.processors) {
    const bool some = recorded_entry(one) != nullptr;
    if (some) add("recorded");
    if (takes_some(one)) add(recorded_entry(one)->seconds == never_s ? "never" : "flops");
    if (one.kernel_times.empty()) add("flops");
    if (one.kernel_times.size() > (some ? 1U : 0U)) {
      add(measured_kernels_of(one.kernels) != nullptr ? one.kernels : "given");
    }
  }
  return fmt::format("{}", fmt::join(names, "+"));
}

std::string recorded_times_in_words(std::string_view name, std::string_view among) {
  const bool some = among.find("recorded") != std::string_view::npos;
  if (name == "recorded") return "recorded in the workload's file";
  if (name == "given") {
    return some ? "of some kinds given by the platform"
                : "given by the platform, not those that the workload's file recorded";
  }
  if (name == "never") return "what was never recorded on a kind of worker does not run there";
  if (name != "flops") return "";
  return some ? "flops over GFlop/s where the platform gives the rate or none was recorded"
              : "flops over GFlop/s, not those that the workload's file recorded (times=recorded)";
}

std::vector<std::string> lacking_recorded_times(const MachineModel& machine,
                                                const Workload& workload) {
  if (!has_recorded_times(workload)) return {};
  const RecordedTimes recorded(workload.graph());
  std::vector<std::string> sentences;
  for (const bool core : {false, true}) {
    const auto& all = machine.processors;
    const auto found = std::find_if(all.begin(), all.end(), [&](const ProcessorModel& one) {
      return one.in_host_memory == core && (is_open(one) || takes_some(one));
    });
    if (found == all.end()) continue;
    const auto there = recorded_there(workload.graph(), recorded, core);
    if (!there.lacking.empty()) sentences.push_back(lack_in_words(*found, there));
  }
  return sentences;
}

}  // namespace damocles
