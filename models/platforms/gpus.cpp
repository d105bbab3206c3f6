#include "models/platforms/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "models/platforms/machine_keys.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

/// What `gpus:` calls a key of the table [bus], and one of [[cpus]].
std::string in_spec(std::string_view key) { return std::string(key == "sharing" ? "bus" : key); }
std::string of_cpus(std::string_view key) { return fmt::format("cpu_{}", key); }

/// Those of `gpus:`.
std::vector<std::string> keys_of_spec() {
  std::vector<std::string> keys{"k", "preset", "precision", "buses"};
  for (const auto& key : gpu_keys()) keys.emplace_back(key.name);
  for (const auto& key : bus_keys()) keys.push_back(in_spec(key.name));
  keys.emplace_back("cpus");
  for (const auto& key : cpu_keys()) keys.push_back(of_cpus(key.name));
  return keys;
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
void add_cpus(const Spec& spec, Limits& limits) {
  const auto cpus = spec.integer("cpus", 1, most_limited_processors - limits.gpus.size());
  if (!cpus) {
    for (const auto& key : cpu_keys()) {
      if (spec.has(of_cpus(key.name))) {
        spec.refuse(
            fmt::format("{}= without cores; give their number, as cpus=8", of_cpus(key.name)));
      }
    }
    return;
  }
  if (!spec.has("cpu_gflops")) limits.preset_rates = true;
  GpuModel cpu = unnamed_core();
  set_of_spec<GpuModel>(spec, cpu_keys(), cpu, of_cpus);
  limits.gpus.insert(limits.gpus.end(), *cpus, cpu);
}

}  // namespace

Limits parse_gpus(const Spec& spec) {
  spec.allow(keys_of_spec());
  const GpuPreset& preset = gpu_preset(spec.word("preset").value_or("v100"));
  const Precision precision = precision_in(spec);
  if (!spec.has("gflops") && preset.gflops_in(precision) == 0) {
    spec.refuse(fmt::format("preset {} has no GFlop/s in {}; give gflops=", preset.name,
                            precision_word(precision)));
  }
  Limits limits = machine_of(preset, precision);
  set_of_spec<Limits>(spec, bus_keys(), limits);
  set_of_spec<GpuModel>(spec, gpu_keys(), limits.gpus.front());
  limits.preset_rates = !spec.has("gflops") || !spec.has("bandwidth");
  if (!spec.has("gflops")) limits.preset_precision = precision;
  const auto k = spec.integer("k", spec.has("cpus") ? 0 : 1, most_limited_processors).value_or(1);
  limits.gpus.resize(k, limits.gpus.front());
  if (preset.own_links && !spec.has("bandwidth") && k > 0) {
    limits.bus_bytes_per_s = static_cast<double>(k) * limits.gpus.front().link_bytes_per_s;
  }
  // Of equal parts of the GPUs, in their order.
  const std::uint64_t most = std::clamp<std::uint64_t>(k, 1, most_buses);
  const std::uint64_t bandwidths = std::max<std::uint64_t>(1, limits.bus_rates.size());
  if (k > 0 && bandwidths > most) {
    spec.refuse(fmt::format("bandwidth= gives {} buses, but there {}; give one, or one a bus",
                            bandwidths, k == 1 ? "is 1 GPU" : fmt::format("are {} GPUs", k)));
  }
  const auto buses = spec.integer("buses", 1, most).value_or(bandwidths);
  for (std::size_t gpu = 0; gpu < k; ++gpu) limits.gpus[gpu].bus = gpu * buses / k;
  add_cpus(spec, limits);
  check_machine(limits, fmt::format("platform '{}'", spec.text()));
  return limits;
}

namespace {

Scenario gpus(const Spec& spec) { return Scenario::of_limits(spec.text(), parse_gpus(spec)); }

const Register gpus_form{PlatformForm{
    .name = "gpus",
    .place = 10,
    .form =
        {"gpus:k=K,memory=500MB",
         "K GPUs of limited memory on one bus; preset=v100 (the default: IPDPS'22) or another "
         "(`damocles list presets`), precision=single|double|tf32|bf16|fp16 (of its GFlop/s), "
         "memory=35data, gflops=, bandwidth=12GB/s|12GB/s+6GB/s (of one bus, or each of several), "
         "link=, latency=10us, request=0s, "
         "bus=fair|fifo, buses=1 (in equal parts of the GPUs), depth=, writeback=true|traffic, streams=2|1, duplex=, "
         "jitter=off|0.007, noise=off|lognormal:0.05|history, decision=0ns, handover=0us, overhead=0us, "
         "interference=0, peers=24GB/s+0-3:48GB/s:half (links between GPUs; half: both ways in "
         "turn), routes=0-1-2+0-bus-4 (of GPUs without a link: over others', or over the buses; "
         "bus: of all; bus:once: such a copy takes its rate of a bus once, not there and back), "
         "times=POTRF:never+GEMM:1015us+TRSM:2e-13*bytes^1.5+SYRK:cuda@FILE (of kinds of tasks, instead of flops "
         "over GFlop/s; never: it cannot run them; FILE: a performance model of StarPU) or times=recorded (as the workload's tasks.rec says), "
         "synchronous=POTRF+GETRF (kinds of tasks for which a GPU's driver waits: meanwhile it takes no task and asks for no copy), "
         "power=300W, idle=50W, powers=GEMM:280W (then rows have energy_j); cpus=8,cpu_gflops=40 "
         "(cores, which compute where all data lie; 40 GFlop/s each is the default; cpu_times=, cpu_power=, cpu_idle=, "
         "cpu_powers=; cpu_speedup=amdahl:0.05|power:0.9|table:1/1.9/2.7, for some kinds of tasks "
         "GEMM:amdahl:0.05+...: several compute a task together where the strategy has them do so)"},
    .make = gpus}};

}  // namespace
}  // namespace damocles
