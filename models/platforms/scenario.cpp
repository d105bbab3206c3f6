#include "models/platforms/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "models/error.hpp"
#include "models/platforms/bus_sampling.hpp"
#include "models/platforms/gpu_presets.hpp"
#include "models/platforms/measured_kernels.hpp"
#include "models/platforms/platform_file.hpp"
#include "models/platforms/use_recorded_times.hpp"
#include "models/rng.hpp"
#include "models/unknown_key.hpp"

namespace damocles {

std::size_t processor_count(const Spec& spec) {
  const auto p = spec.integer("p", 1, max_processors);
  if (!p) spec.refuse("needs p, the number of processors, as in " + spec.name() + ":p=20");
  return *p;
}

std::optional<std::uint64_t> fixed_draw(const Spec& spec) {
  return spec.integer("draw", 0, std::numeric_limits<std::uint64_t>::max());
}

double positive_speed(std::optional<double> speed, const std::string& where) {
  if (!speed || !(*speed >= min_speed && *speed <= max_speed)) {  // NaN is neither
    throw InvalidInput(fmt::format("{} must be a number of tasks per second from {:g} to {:g}",
                                   where, min_speed, max_speed));
  }
  return *speed;
}

const std::vector<std::array<std::string, 2>>& Scenario::forms() {
  static const std::vector<std::array<std::string, 2>> all = [] {
    std::vector<std::array<std::string, 2>> result;
    for (const PlatformForm& entry : Table<PlatformForm>::entries()) result.push_back(entry.form);
    result.push_back(
        {"FILE.toml",
         "[[processors]] tables with speed (tasks per second) and count; or [bus] with bandwidth, "
         "latency, ... and [[gpus]] with gflops, memory, link and count; FILE.toml,memory=1GB changes "
         "an option of all its GPUs"});
    return result;
  }();
  return all;
}

Scenario Scenario::homogeneous(std::uint64_t processors) {
  return parse(fmt::format("homogeneous:p={}", processors));
}

namespace {

/// A GPU's name alone is no platform; what was meant is.
void refuse_preset(const std::string& name) {
  for (const GpuPreset& preset : gpu_presets()) {
    if (preset.name != name) continue;
    throw InvalidInput(fmt::format(
        "unknown platform '{0}'; give it as a preset: gpus:k=1,preset={0}", preset.name));
  }
}

/// A file that is there, of another ending than a platform file's.
void refuse_plain_file(const std::string& path) {
  std::error_code absent;
  if (!std::filesystem::is_regular_file(path, absent)) return;
  throw InvalidInput(fmt::format(
      "platform '{0}' is a file: a file of speeds, one a line, is speeds:@{0}; a platform file ends in .toml",
      path));
}

/// The machine of a file with other values of the options behind its name.
Scenario changed(const Scenario& of_file, const NamedPlatformFile& file) {
  if (!of_file.machine()) {
    const std::string& key = file.options.keys().front();
    throw UnknownKey(key, fmt::format("platform file '{}' has speeds alone, and no option '{}'",
                                      file.path, key));
  }
  MachineModel machine = *of_file.machine();
  file.change(machine);
  return Scenario::of_machine(file.text(), std::move(machine), of_file.source());
}

}  // namespace

Scenario Scenario::parse(std::string_view text) {
  if (const auto file = NamedPlatformFile::in(text)) {
    Scenario of_file = of_named_file(file->path);
    return file->options.keys().empty() ? of_file : changed(of_file, *file);
  }
  const Spec spec = Spec::parse(text, PlatformForm::what);
  if (is_bus_sampling(text) && Table<PlatformForm>::find(spec.name()) == nullptr) {
    throw InvalidInput(bus_sampling_advice(text));
  }
  if (const auto* const form = Table<PlatformForm>::find(spec.name())) return form->make(spec);
  refuse_preset(spec.name());
  refuse_plain_file(std::string(text));
  auto names = Table<PlatformForm>::names();
  names.emplace_back("FILE.toml");
  refuse_unknown(PlatformForm::what, spec.name(), names, command_to_list(PlatformForm::list));
}

Scenario Scenario::of_named_file(const std::string& path) {
  std::error_code absent;
  const auto written = std::filesystem::last_write_time(path, absent);
  Scenario scenario = read_scenario(path);
  scenario.source_ = SourceFile{path, digest_of_file(path)};
  if (std::filesystem::last_write_time(path, absent) != written) {
    throw InvalidInput(
        fmt::format("platform file '{}' changed while it was read; run again", path));
  }
  return scenario;
}

Scenario Scenario::of_speeds(std::string text, SpeedSource speeds,
                             std::optional<SourceFile> source) {
  Scenario scenario;
  scenario.text_ = std::move(text);
  scenario.speeds_ = std::move(speeds);
  scenario.source_ = std::move(source);
  return scenario;
}

Scenario Scenario::of_machine(std::string text, MachineModel machine,
                              std::optional<SourceFile> source) {
  SpeedSource speeds{.processors = machine.processors.size()};
  for (const ProcessorModel& gpu : machine.processors) speeds.given.push_back(gpu.flops_per_s);
  Scenario scenario = of_speeds(std::move(text), std::move(speeds), std::move(source));
  scenario.machine_ = std::move(machine);
  return scenario;
}

Scenario Scenario::for_tasks_of(const Workload& workload) const {
  Scenario result = *this;
  if (!result.machine_) return result;
  use_measured_kernels(*result.machine_, workload);
  use_recorded_times(*result.machine_, workload);
  return result;
}

Platform Scenario::draw(std::uint64_t seed, std::uint64_t replicate) const {
  if (!speeds_.given.empty()) return {speeds_.given, speeds_.drift, machine_};
  Rng rng = speeds_.draw ? Rng(*speeds_.draw, Draw::speeds, 0) : Rng(seed, Draw::speeds, replicate);
  Platform platform{std::vector<double>(speeds_.processors), speeds_.drift, {}};
  for (double& speed : platform.speeds) {
    // hi - u (hi - lo) with u in [0, 1): never 0, also when lo is.
    speed = speeds_.set.empty() ? speeds_.hi - rng.uniform() * (speeds_.hi - speeds_.lo)
                                : speeds_.set[rng.below(speeds_.set.size())];
  }
  return platform;
}

}  // namespace damocles
