#include "models/platforms/durations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "models/error.hpp"
#include "models/platforms/kernel_kinds.hpp"

namespace damocles {
namespace {

/// Of kinds and sizes of tasks on kinds of processors: 800 MB.
constexpr std::size_t most_times = 100'000'000;

/// "1228800, 4915200 bytes"
std::string sizes_text(std::vector<std::uint64_t> sizes) {
  constexpr std::size_t most_shown = 12;
  if (sizes.empty()) return "no sizes";
  const bool cut = sizes.size() > most_shown;
  sizes.resize(std::min(sizes.size(), most_shown));
  return fmt::format("{}{} bytes", fmt::join(sizes, ", "), cut ? ", ..." : "");
}

/// Of each kind whether its time depends on the size of the task; nothing where no processor has a
/// time of any.
std::optional<std::vector<bool>> kinds_by_size(const Workload& workload,
                                               const std::vector<ProcessorModel>& processors) {
  const std::size_t kinds = workload.graph().parts().kind_names.size();
  std::vector<bool> by_size(std::max<std::size_t>(1, kinds), false);
  bool some = false;
  for (const ProcessorModel& gpu : processors) {
    for (const KernelTime& kernel : gpu.kernel_times) {
      if (kernel.recorded) {
        some = true;
        by_size.assign(by_size.size(), true);
        continue;
      }
      if (kernel.if_named && !has_kind(workload, kernel.kind)) continue;
      some = true;
      const std::size_t kind = kernel_kind(workload, kernel.kind, "a time");
      by_size[kind] = by_size[kind] || kernel.by_size();
    }
  }
  return some ? std::optional(by_size) : std::nullopt;
}

}  // namespace

Durations::Durations(const Workload& workload, const Platform& platform)
    : graph_(workload.graph()), rates_(platform.speeds) {
  if (!platform.machine) return;
  overhead_s_ = platform.machine->overhead_s;
  teams_ = TeamLaws(workload, *platform.machine);
  for (const std::string& kind : platform.machine->synchronous) {
    if (kind.empty()) continue;  // tasks of which no kind is known
    static_cast<void>(kernel_kind(workload, kind, "a synchronous kernel"));
  }
  const auto& processors = platform.machine->processors;
  for (std::size_t p = 0; p < processors.size(); ++p) rates_[p] = processors[p].flops_per_s;
  const auto by_size = kinds_by_size(workload, processors);
  if (!by_size) return;
  const RecordedTimes recorded(graph_);
  if (platform.machine->uses_recorded_times() && !recorded.any()) {
    throw InvalidInput(
        fmt::format("times=recorded, but '{}' has no recorded times; give StarPU's tasks.rec of a "
                    "run, with StartTime and EndTime, as file:path=tasks.rec",
                    workload.text()));
  }
  classify(*by_size);
  std::vector<const ProcessorModel*> rows;
  for (const ProcessorModel& gpu : processors) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const ProcessorModel* const row) {
      return row->kernel_times == gpu.kernel_times && (row->in_host_memory == gpu.in_host_memory ||
                                                       !platform.machine->uses_recorded_times());
    });
    rows_.push_back(static_cast<std::size_t>(same - rows.begin()));
    if (same != rows.end()) continue;
    rows.push_back(&gpu);
    add_row(workload, gpu, recorded);
  }
  if (!all_run_all_) refuse_kinds_nobody_runs(workload);
}

/// Tasks of one kind, and where its time depends on them, of one size.
void Durations::classify(const std::vector<bool>& by_size) {
  using Size = std::tuple<std::uint64_t, double, std::optional<std::uint32_t>>;
  std::map<std::pair<std::uint16_t, Size>, std::uint32_t> known;
  // Tasks of a kind mostly have the size of the one before.
  std::vector<std::optional<std::pair<Size, std::uint32_t>>> last(by_size.size());
  const auto& kinds = graph_.parts().task_kinds;
  class_of_.reserve(graph_.tasks());
  for (Index task = 0; task < graph_.tasks(); ++task) {
    const std::uint16_t kind = kinds.empty() ? std::uint16_t{0} : kinds[task];
    const auto size = by_size[kind] ? Size(graph_.footprint(task), graph_.flops(task),
                                           graph_.recorded(task).footprint)
                                    : Size();
    if (!last[kind] || last[kind]->first != size) {
      const auto [at, added] =
          known.emplace(std::pair(kind, size), static_cast<std::uint32_t>(known.size()));
      if (added) first_of_.push_back(task);
      last[kind] = {size, at->second};
    }
    class_of_.push_back(last[kind]->second);
  }
  classes_ = known.size();
}

void Durations::add_row(const Workload& workload, const ProcessorModel& gpu,
                        const RecordedTimes& recorded) {
  const auto& times = gpu.kernel_times;
  const bool core = gpu.in_host_memory;
  if (kernel_s_.size() + classes_ > most_times) {
    throw Infeasible(fmt::format(
        "'{}' has {} kinds and sizes of tasks, too many for a time of each on so many different processors; give fewer of them times of their own",
        workload.text(), classes_));
  }
  for (const Index task : first_of_) {
    const auto& kind = graph_.kind_name(task);
    auto time = std::find_if(times.begin(), times.end(), [&](const KernelTime& one) {
      return !one.recorded && one.kind == kind;
    });
    if (time == times.end()) {
      time = std::find_if(times.begin(), times.end(),
                          [](const KernelTime& one) { return one.recorded; });
    }
    const MeasuredTime found =
        time == times.end() ? MeasuredTime{by_flops}
        : !time->recorded   ? time_of(workload, *time, task)
        : time->if_named
            ? recorded.time(task, core)
                  .value_or(MeasuredTime{
                      recorded.time(task, !core) && time->seconds == never_s ? never_s : by_flops})
            : recorded_time(workload, recorded, task, core);
    kernel_s_.push_back(found.mean_s);
    const bool varies = found.mean_s > 0 && found.deviation_s > 0;
    sigmas_.push_back(varies ? sigma_of_variation(found.deviation_s / found.mean_s) : 0);
    all_run_all_ = all_run_all_ && kernel_s_.back() != never_s;
  }
}

/// A task without flops that was never recorded, as StarPU's synchronisations are, takes none.
MeasuredTime Durations::recorded_time(const Workload& workload, const RecordedTimes& recorded,
                                      Index task, bool on_core) const {
  if (const auto time = recorded.time(task, on_core)) return *time;
  if (graph_.flops(task) == 0 && !recorded.time(task, !on_core)) return MeasuredTime{0};
  const auto footprint = graph_.recorded(task).footprint;
  const auto& kind = graph_.kind_name(task);
  const std::string example = kind.empty() ? "KIND" : kind;
  throw Infeasible(fmt::format(
      "times=recorded: task '{}' of '{}'{} was never recorded on a {}; give its time there, as times=recorded+{}:1ms, or times=recorded+{}:never",
      graph_.task_name(task), workload.text(),
      footprint ? fmt::format(", footprint {:08x},", *footprint) : "", on_core ? "core" : "GPU",
      example, example));
}

MeasuredTime Durations::time_of(const Workload& workload, const KernelTime& of, Index task) const {
  const TaskSize size{graph_.footprint(task), graph_.flops(task), graph_.recorded(task).footprint};
  const auto time = of.time_of(size);
  if (!time) {
    throw Infeasible(fmt::format(
        "task {} of '{}' is a {} of {} bytes, of which file '{}' has no time of {}; it has {}",
        graph_.task_name(task), workload.text(), of.kind, size.bytes, of.measured->file().path,
        of.architecture, sizes_text(of.measured->sizes(of.architecture))));
  }
  if (of.seconds != never_s && !(time->mean_s <= most_kernel_s)) {
    throw Infeasible(fmt::format(
        "task {} of '{}' would take {:g} s by the time of its kind, {}; at most {:g} s are possible",
        graph_.task_name(task), workload.text(), time->mean_s, of.kind, most_kernel_s));
  }
  return *time;
}

void Durations::refuse_kinds_nobody_runs(const Workload& workload) const {
  for (std::size_t of = 0; of < classes_; ++of) {
    std::size_t at = of;
    while (at < kernel_s_.size() && kernel_s_[at] == never_s) at += classes_;
    if (at < kernel_s_.size()) continue;
    throw Infeasible(
        fmt::format("no processor runs tasks of kind {0}, which '{1}' has; give a time in place of "
                    "never, as times={0}:1ms for GPUs or cpu_times={0}:1ms for cores",
                    graph_.kind_name(first_of_[of]), workload.text()));
  }
}

Durations Durations::drawn(const Workload& workload, const Platform& platform, std::uint64_t seed,
                           std::uint64_t replicate) {
  Durations result(workload, platform);
  if (!platform.machine || !platform.machine->noise) return result;
  result.sigma_ = platform.machine->noise->sigma;
  const std::size_t tasks = workload.graph().tasks();
  result.normal_.reserve(tasks);
  for (std::size_t task = 0; task < tasks; ++task) {
    result.normal_.push_back(normal_of_task(seed, replicate, task));
  }
  return result;
}

double Durations::noise(std::size_t processor, Index task) const {
  double sigma = sigma_;
  if (sigma == 0 && by_kind()) sigma = sigmas_[place(processor, task)];
  return lognormal_factor(sigma, normal_[task]);
}

std::vector<Durations::Alike> Durations::alike() const {
  std::map<Class, std::size_t> known;
  std::vector<Alike> result;
  for (std::size_t p = 0; p < rates_.size(); ++p) {
    const auto [at, added] = known.emplace(class_of(p), result.size());
    if (added) result.push_back({p, 0, rates_[p]});
    ++result[at->second].count;
  }
  return result;
}

std::vector<double> Durations::least_flops() const {
  const auto classes = alike();
  const auto of_task = [&](Index task) {
    if (!not_by_flops()) return graph_.flops(task);
    double least = std::numeric_limits<double>::infinity();
    for (const Alike& one : classes) {
      const double expected = expected_s(one.first, task);
      const double time_s = normal_.empty() ? expected : expected * noise(one.first, task);
      least = std::min(least, time_s * one.rate);
    }
    return least;
  };
  std::vector<double> result(graph_.tasks());
  for (Index task = 0; task < result.size(); ++task) result[task] = of_task(task);
  return result;
}

}  // namespace damocles
