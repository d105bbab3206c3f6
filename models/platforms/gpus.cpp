#include "models/platforms/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "models/platforms/machine_keys.hpp"
#include "models/platforms/scenario.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

/// What `gpus:` calls a key of the table [bus], and one of [[cpus]].
std::string in_spec(std::string_view key) { return std::string(key == "sharing" ? "bus" : key); }
std::string of_cpus(std::string_view key) { return fmt::format("cpu_{}", key); }

template <typename Of>
void add_texts(std::span<const PlatformKey<Of>> keys, std::string (*name_of)(std::string_view),
               std::vector<KeyText>& texts) {
  for (const auto& key : keys) {
    texts.push_back({name_of(key.name), std::string(key.values), std::string(key.otherwise),
                     std::string(key.meaning)});
  }
}

/// Sets what the spec has of these keys, under the names it gives them.
template <typename Of>
void set_of_spec(const Spec& spec, std::span<const PlatformKey<Of>> keys, Of& to,
                 std::string (*name_of)(std::string_view) = in_spec) {
  for (const auto& key : keys) {
    const std::string name = name_of(key.name);
    const auto text = spec.word(name);
    if (text) key.set(to, {name, *text, fmt::format("platform '{}'", spec.text())});
  }
}

/// `cpus=8,cpu_gflops=40`: after the GPUs
void add_cpus(const Spec& spec, MachineModel& machine) {
  const auto cpus = spec.integer("cpus", 1, most_limited_processors - machine.processors.size());
  if (!cpus) {
    for (const auto& key : cpu_keys()) {
      if (spec.has(of_cpus(key.name))) {
        spec.refuse(
            fmt::format("{}= without cores; give their number, as cpus=8", of_cpus(key.name)));
      }
    }
    return;
  }
  if (!spec.has("cpu_gflops")) machine.preset_rates = true;
  ProcessorModel cpu = unnamed_core();
  set_of_spec<ProcessorModel>(spec, cpu_keys(), cpu, of_cpus);
  machine.processors.insert(machine.processors.end(), *cpus, cpu);
}

}  // namespace

std::vector<KeyText> keys_of_gpus_form() {
  std::vector<KeyText> texts{
      {"k", "2", "1", "number of GPUs; with cpus= it may be 0"},
      {"preset", "v100|a100", "v100",
       "GPU that gives the values not written here (`damocles list presets`)"},
      {"precision", "single|double|tf32|bf16|fp16", "single",
       "precision in which the preset's GFlop/s are taken"},
      {"buses", "2", "1",
       "number of buses; the GPUs are divided among them as evenly as possible"}};
  add_texts(gpu_keys(), in_spec, texts);
  add_texts(bus_keys(), in_spec, texts);
  texts.push_back({"cpus", "8", "(none)", "number of CPU cores, which compute in host memory"});
  add_texts(cpu_keys(), of_cpus, texts);
  return texts;
}

MachineModel parse_gpus(const Spec& spec) {
  std::vector<std::string> keys;
  for (const KeyText& key : keys_of_gpus_form()) keys.push_back(key.name);
  spec.allow(keys);
  const GpuPreset& preset = gpu_preset(spec.word("preset").value_or("v100"));
  const Precision precision = precision_in(spec);
  if (!spec.has("gflops") && preset.gflops_in(precision) == 0) {
    spec.refuse(fmt::format("preset {} has no GFlop/s in {}; give gflops=", preset.name,
                            precision_word(precision)));
  }
  MachineModel machine = machine_of(preset, precision);
  set_of_spec<MachineModel>(spec, bus_keys(), machine);
  set_of_spec<ProcessorModel>(spec, gpu_keys(), machine.processors.front());
  machine.preset_rates = !spec.has("gflops") || !spec.has("bandwidth");
  if (!spec.has("gflops")) machine.preset_precision = precision;
  if (spec.word("k") == "0" && !spec.has("cpus")) {
    spec.refuse("k=0 is possible only with CPU cores; give k=1 or more, or add cpus=8");
  }
  const auto k = spec.integer("k", spec.has("cpus") ? 0 : 1, most_limited_processors).value_or(1);
  machine.processors.resize(k, machine.processors.front());
  if (preset.own_links && !spec.has("bandwidth") && k > 0) {
    machine.bus_bytes_per_s = static_cast<double>(k) * machine.processors.front().link_bytes_per_s;
  }
  // Of equal parts of the GPUs, in their order.
  const std::uint64_t most = std::clamp<std::uint64_t>(k, 1, most_buses);
  const std::uint64_t bandwidths = std::max<std::uint64_t>(1, machine.bus_rates.size());
  if (k > 0 && bandwidths > most) {
    spec.refuse(fmt::format("bandwidth= gives {} buses, but there {}; give one, or one a bus",
                            bandwidths, (k == 1 ? "is " : "are ") + counted(k, "GPU")));
  }
  const auto buses = spec.integer("buses", 1, most).value_or(bandwidths);
  for (std::size_t gpu = 0; gpu < k; ++gpu) machine.processors[gpu].bus = gpu * buses / k;
  add_cpus(spec, machine);
  check_machine(machine, fmt::format("platform '{}'", spec.text()));
  return machine;
}

std::string preset_memory_in_words(std::string_view platform) {
  if (platform != "gpus" && !platform.starts_with("gpus:")) return "";
  const Spec spec = Spec::parse(platform, PlatformForm::what);
  const std::string count = spec.word("k").value_or("1");
  if (spec.has("memory") || count == "0") return "";
  std::string name = spec.word("preset").value_or("v100");
  const auto& presets = gpu_presets();
  const auto preset = std::find_if(presets.begin(), presets.end(),
                                   [&](const GpuPreset& one) { return one.name == name; });
  if (preset == presets.end()) return "";  // of another version
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  std::string memory = preset->memory;
  memory.insert(memory.find_first_not_of("0123456789"), " ");
  return fmt::format("{} {} of {} (memory= changes it)", count, name, memory);
}

namespace {

Scenario gpus(const Spec& spec) { return Scenario::of_machine(spec.text(), parse_gpus(spec)); }

const Register gpus_form{
    PlatformForm{.name = "gpus",
                 .place = 10,
                 .form = {"gpus:k=K,memory=500MB",
                          "K GPUs of limited memory on a bus, with cpus= also CPU cores; "
                          "`damocles list platforms gpus` shows all keys"},
                 .make = gpus,
                 .keys = keys_of_gpus_form}};

}  // namespace
}  // namespace damocles
