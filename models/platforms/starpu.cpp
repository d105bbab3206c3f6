// The platform form `starpu:`: a machine as StarPU measured it, its bus and what kernels take
// there.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>

#include "models/error.hpp"
#include "models/platforms/bus_sampling.hpp"
#include "models/platforms/gpus.hpp"
#include "models/platforms/performance_model.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

namespace fs = std::filesystem;

/// Of StarPU 1.2 and later, the newest first: folders of performance models below codelets/.
constexpr std::array<const char*, 2> model_versions{"45", "44"};

/// The spec without what names files, of the first `k` GPUs.
Spec gpus_of(const Spec& spec, std::size_t k) {
  Spec result = Spec::parse(fmt::format("{}:k={}", spec.name(), k), spec.what());
  for (const auto& key : spec.keys()) {
    if (key != "path" && key != "host" && key != "k") result.set(key, *spec.word(key));
  }
  return result;
}

/// Links between GPUs where both directions were measured: one has the bandwidth of their mean.
void link_peers(MachineModel& machine, const BusSampling& sampling, std::size_t k) {
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a + 1; b < k; ++b) {
      const double there = sampling.between[a][b];
      const double back = sampling.between[b][a];
      if (there > 0 && back > 0) machine.peer_links.push_back({a, b, (there + back) / 2});
    }
  }
}

/// The names of the files of a folder, in order; none where it is no folder.
std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The host whose machine is meant: the one given, or the only one there.
std::string host_in(const Spec& spec, const fs::path& folder) {
  const std::string config = ".config";
  std::vector<std::string> hosts;
  for (const std::string& name : files_in(folder / "bus")) {
    if (name.ends_with(config)) hosts.push_back(name.substr(0, name.size() - config.size()));
  }
  std::string given = spec.word("host").value_or(hosts.size() == 1 ? hosts.front() : "");
  if (std::find(hosts.begin(), hosts.end(), given) != hosts.end()) return given;
  if (hosts.empty()) {
    spec.refuse(fmt::format(
        "'{}' has no bus/HOST.config; give StarPU's folder of samplings, as path=$HOME/.starpu/sampling after starpu_calibrate_bus",
        folder.string()));
  }
  spec.refuse(fmt::format("'{}' has the hosts {}{}; give one, as host={}", folder.string(),
                          fmt::join(hosts, ", "),
                          given.empty() ? "" : fmt::format(", not '{}'", given), hosts.front()));
}

/// What StarPU measured of one codelet: the times of the type of device, never where it has none.
void add_times(ProcessorModel& to, const std::string& kind, const std::string& type,
               const std::shared_ptr<const PerformanceModel>& model) {
  const auto given = [&](const KernelTime& one) { return one.kind == kind; };
  if (std::any_of(to.kernel_times.begin(), to.kernel_times.end(), given)) return;
  KernelTime time{.kind = kind, .if_named = true};
  if (model->has(type)) {
    time.measured = model;
    time.architecture = type;
  } else {
    time.seconds = never_s;
  }
  to.kernel_times.push_back(std::move(time));
  to.kernels.clear();
}

/// Gives processors the times of all the host's performance models; a codelet's name is the kind.
void add_models(MachineModel& machine, const fs::path& folder, const std::string& host) {
  const std::string ending = "." + host;
  for (const char* const version : model_versions) {
    const fs::path models = folder / "codelets" / version;
    for (const std::string& name : files_in(models)) {
      if (!name.ends_with(ending) || name.size() == ending.size()) continue;
      const std::string kind = name.substr(0, name.size() - ending.size());
      const auto model = std::make_shared<const PerformanceModel>(
          PerformanceModel::of_file((models / name).string()));
      if (model->architectures().empty()) continue;  // nothing was measured yet
      for (ProcessorModel& one : machine.processors)
        add_times(one, kind, one.in_host_memory ? "cpu" : "cuda", model);
    }
  }
}

/// As `gpus:`, but for what was measured and is not given: the link of each GPU has the bandwidth
/// from home; the bus has that of the fastest link, there or back, as StarPU takes it for the
/// machine's; a transfer has the mean latency. Source: StarPU, src/core/perfmodel/perfmodel_bus.c.
void set_bus(const Spec& spec, const BusSampling& sampling, std::size_t k, MachineModel& machine) {
  double fastest = 0;
  for (std::size_t gpu = 0; gpu < k; ++gpu) {
    if (!spec.has("link")) machine.processors[gpu].link_bytes_per_s = sampling.to_gpu[gpu];
    fastest = std::max({fastest, sampling.to_gpu[gpu], sampling.to_home[gpu]});
  }
  if (!spec.has("bandwidth")) machine.bus_bytes_per_s = fastest;
  if (!spec.has("latency")) {
    const auto end = sampling.latency_s.begin() + static_cast<std::ptrdiff_t>(k);
    machine.latency_s =
        std::accumulate(sampling.latency_s.begin(), end, 0.0) / static_cast<double>(k);
  }
  if (!spec.has("peers")) link_peers(machine, sampling, k);
}

std::vector<KeyText> keys_of_starpu_form() {
  std::vector<KeyText> texts{
      {"path", "sampling|sampling/bus/HOST.config", "",
       "StarPU's folder of samplings ($HOME/.starpu/sampling), or the bus of one host alone"},
      {"host", "HOST", "(the only host there)", "host whose bus and codelet times are taken"}};
  for (KeyText& key : keys_of_gpus_form()) {
    if (key.name == "k") key.otherwise = "(all)";
    for (const char* const name : {"link", "bandwidth", "latency", "peers"}) {
      if (key.name == name) key.otherwise = "(measured)";
    }
    texts.push_back(std::move(key));
  }
  return texts;
}

Scenario measured_machine(const Spec& spec) {
  const auto path = spec.word("path");
  if (!path) {
    spec.refuse(
        "needs path, as in starpu:path=sampling,host=HOST or starpu:path=sampling/bus/HOST.config");
  }
  const fs::path folder(*path);
  std::error_code absent;
  const bool whole = fs::is_directory(folder, absent);
  if (!whole && spec.has("host")) {
    spec.refuse(fmt::format("host= without a folder of samplings: '{}' is none", *path));
  }
  const std::string host = whole ? host_in(spec, folder) : "";
  const std::string bus = whole ? (folder / "bus" / (host + ".config")).string() : *path;
  const BusSampling sampling = BusSampling::of_files(bus);
  if (sampling.gpus == 0) {
    spec.refuse(fmt::format("'{}' is of a machine without GPUs; give one with some", bus));
  }
  const std::size_t k = spec.integer("k", 1, sampling.gpus).value_or(sampling.gpus);
  MachineModel machine = parse_gpus(gpus_of(spec, k));
  set_bus(spec, sampling, k, machine);
  if (whole) add_models(machine, folder, host);
  machine.preset_rates = machine.preset_rates && !spec.has("gflops");
  return Scenario::of_machine(spec.text(), std::move(machine), sampling.file);
}

const Register starpu_form{PlatformForm{
    .name = "starpu",
    .place = 11,
    .form =
        {"starpu:path=SAMPLING,host=HOST",
         "a machine as StarPU measured it: SAMPLING is its folder ($HOME/.starpu/sampling), HOST "
         "one of the hosts there. It has the GPUs, links and latency of bus/HOST.config, and the "
         "times of codelets/45/MODEL.HOST for tasks of kind MODEL; `damocles list platforms "
         "starpu` shows all keys"},
    .make = measured_machine,
    .keys = keys_of_starpu_form}};

}  // namespace
}  // namespace damocles
