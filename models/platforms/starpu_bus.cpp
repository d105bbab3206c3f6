#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/platforms/bus_sampling.hpp"
#include "models/platforms/gpus.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

/// The spec without its path, of the first `k` GPUs.
Spec gpus_of(const Spec& spec, std::size_t k) {
  Spec result = Spec::parse(fmt::format("{}:k={}", spec.name(), k), spec.what());
  for (const auto& key : spec.keys()) {
    if (key != "path" && key != "k") result.set(key, *spec.word(key));
  }
  return result;
}

/// Links between GPUs where both directions were measured: one has the bandwidth of their mean.
void link_peers(Limits& limits, const BusSampling& sampling, std::size_t k) {
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a + 1; b < k; ++b) {
      const double there = sampling.between[a][b];
      const double back = sampling.between[b][a];
      if (there > 0 && back > 0) limits.peer_links.push_back({a, b, (there + back) / 2});
    }
  }
}

/// As `gpus:`, but for what was measured and is not given: the link of each GPU has the bandwidth
/// from home; the bus has that of the fastest link, there or back, as StarPU takes it for the
/// machine's; a transfer has the mean latency. Source: StarPU, src/core/perfmodel/perfmodel_bus.c.
Scenario measured_bus(const Spec& spec) {
  const auto path = spec.word("path");
  if (!path) spec.refuse("needs path, as in starpu-bus:path=sampling/bus/HOST.config");
  const BusSampling sampling = BusSampling::of_files(*path);
  if (sampling.gpus == 0) {
    spec.refuse(fmt::format("'{}' is of a machine without GPUs; give one with some", *path));
  }
  const std::size_t k = spec.integer("k", 1, sampling.gpus).value_or(sampling.gpus);
  Limits limits = parse_gpus(gpus_of(spec, k));
  double fastest = 0;
  for (std::size_t gpu = 0; gpu < k; ++gpu) {
    if (!spec.has("link")) limits.gpus[gpu].link_bytes_per_s = sampling.to_gpu[gpu];
    fastest = std::max({fastest, sampling.to_gpu[gpu], sampling.to_home[gpu]});
  }
  if (!spec.has("bandwidth")) limits.bus_bytes_per_s = fastest;
  if (!spec.has("latency")) {
    const auto end = sampling.latency_s.begin() + static_cast<std::ptrdiff_t>(k);
    limits.latency_s =
        std::accumulate(sampling.latency_s.begin(), end, 0.0) / static_cast<double>(k);
  }
  if (!spec.has("peers")) link_peers(limits, sampling, k);
  limits.preset_rates = !spec.has("gflops");
  return Scenario::of_limits(spec.text(), std::move(limits), sampling.file);
}

const Register starpu_bus_form{PlatformForm{
    .name = "starpu-bus",
    .place = 11,
    .form =
        {"starpu-bus:path=FILE",
         "the GPUs of a machine whose bus StarPU measured (sampling/bus/HOST.config, .bandwidth "
         "and .latency: starpu_calibrate_bus), with the bandwidth of each link, the latency, and "
         "links between GPUs; k= of them, and all that gpus: takes, which counts more"},
    .make = measured_bus}};

}  // namespace
}  // namespace damocles
