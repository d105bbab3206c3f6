#include "models/platforms/measured_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "models/platforms/kernel_kinds.hpp"
#include "models/platforms/kernel_times.hpp"
#include "models/platforms/use_recorded_times.hpp"
#include "models/spec.hpp"

namespace damocles {

std::vector<KernelTime> MeasuredKernels::times() const {
  std::vector<KernelTime> result;
  for (const Kernel& kernel : kernels) {
    const double flops = kernel.flops_a_cube * 960 * 960 * 960;
    const double exponent =
        std::log2(kernel.s_1920 / kernel.s_960) / 3;  // of flops: 8 times as many
    result.push_back({.kind = kernel.kind,
                      .seconds = kernel.s_960 / std::pow(flops, exponent),
                      .grows = KernelTime::Grows::with_flops,
                      .exponent = exponent,
                      .if_named = true});
  }
  // LU's solves with the triangle on either side, where nobody measured them apart.
  const auto solve = std::find_if(result.begin(), result.end(),
                                  [](const KernelTime& one) { return one.kind == "TRSM"; });
  if (solve == result.end()) return result;
  for (const char* const kind : {"TRSM_LL", "TRSM_RU"}) {
    if (std::any_of(kernels.begin(), kernels.end(),
                    [&](const Kernel& one) { return one.kind == kind; })) {
      continue;
    }
    KernelTime same = *solve;
    same.kind = kind;
    result.push_back(std::move(same));
  }
  return result;
}

const std::vector<MeasuredKernels>& measured_kernels() {
  // The papers run SYRK as a full GEMM, by the same codelet. They have no LU: its GETRF is of 960
  // alone, from the V100-like models that StarPU was run with on SimGrid
  // (docs/explanation/peers.md), and grows as POTRF does. Cores: the fastest of 20 and of 6 calls.
  static const std::vector<MeasuredKernels> all{
      {"v100",
       "StarPU's models of a V100, IPDPS'22 figure 11 and COMPAS'23 figure 3",
       {{"POTRF", 1.0 / 3, 20.7e-3, 46.8e-3},
        {"TRSM", 1, 626.6e-6, 1519.7e-6},
        {"SYRK", 1, 139.1e-6, 1015e-6},
        {"GEMM", 2, 139.1e-6, 1015e-6},
        {"GETRF", 2.0 / 3, 9.04e-3, 20.4e-3}}},
      {"h200",
       "an NVIDIA H200, CUDA 13.0, as PyTorch 2.11 and CuPy 14.2 call its libraries, 2026-11",
       {{"POTRF", 1.0 / 3, 399.4e-6, 718.3e-6},
        {"TRSM", 1, 392.9e-6, 908.5e-6},
        {"SYRK", 1, 116.9e-6, 257e-6},
        {"GEMM", 2, 81.2e-6, 388.4e-6},
        {"GETRF", 2.0 / 3, 1853.6e-6, 4392.4e-6},
        {"TRSM_LL", 1, 269.5e-6, 737.8e-6},
        {"TRSM_RU", 1, 342e-6, 899.1e-6}}},
      {"core",
       "one core of an AMD EPYC with AVX2, OpenBLAS 0.3.21, 2026-11",
       {{"POTRF", 1.0 / 3, 3.77e-3, 26.6e-3},
        {"TRSM", 1, 9.98e-3, 74.3e-3},
        {"SYRK", 1, 8.84e-3, 69.5e-3},
        {"GEMM", 2, 16.9e-3, 135e-3},
        {"GETRF", 2.0 / 3, 7.62e-3, 53.5e-3}}}};
  return all;
}

const MeasuredKernels* measured_kernels_of(std::string_view name) {
  const auto& all = measured_kernels();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

bool factorises(const Workload& workload) {
  // A grid has no kinds, and may be too large to be written out.
  if (workload.is_grid() || workload.source()) return false;
  return has_kind(workload, "POTRF") || has_kind(workload, "GETRF");
}

namespace {

/// The side of the tiles of a factorisation. @pre factorises(workload)
double side_of_tiles(const Workload& workload) {
  const TaskGraph& graph = workload.graph();
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    const auto& kind = graph.kind_name(task);
    if (kind != "POTRF" && kind != "GETRF") continue;
    return std::round(std::cbrt(graph.flops(task) * (kind == "POTRF" ? 3 : 1.5)));
  }
  return 0;
}

/// Whether the tiles are at most twice as large or half as large as those measured: powers through
/// two sizes say nothing of others.
bool near_measured(double side) { return side >= 480 && side <= 3840; }

double cube(double side) { return side * side * side; }

/// The fastest of the kernels [flop/s].
double peak(const MeasuredKernels& known) {
  double best = 0;
  for (const auto& kernel : known.kernels) {
    best = std::max({best, kernel.flops_a_cube * cube(960) / kernel.s_960,
                     kernel.flops_a_cube * cube(1920) / kernel.s_1920});
  }
  return best;
}

/// Where a power law lies above the peak, beyond what was measured, tasks run at the peak.
void keep_below_peak(std::vector<KernelTime>& times, const MeasuredKernels& known, double side) {
  constexpr double rounding = 1e-9;
  const double most = peak(known);
  for (KernelTime& time : times) {
    if (time.grows != KernelTime::Grows::with_flops) continue;
    const auto kernel =
        std::find_if(known.kernels.begin(), known.kernels.end(),
                     [&](const auto& one) { return time.kind.starts_with(one.kind); });
    if (kernel == known.kernels.end()) continue;
    const double flops = kernel->flops_a_cube * cube(side);
    if (time.seconds * std::pow(flops, time.exponent) >= flops / most * (1 - rounding)) continue;
    time.seconds = 1 / most;
    time.exponent = 1;
  }
}

}  // namespace

void use_measured_kernels(MachineModel& machine, const Workload& workload) {
  if (!factorises(workload)) return;
  const double side = side_of_tiles(workload);
  const bool by_default =
      workload.precision().value_or(MeasuredKernels::precision) == MeasuredKernels::precision &&
      workload.has_dependencies() && near_measured(side);
  for (ProcessorModel& one : machine.processors) {
    const auto* const known = measured_kernels_of(one.kernels);
    if (known == nullptr) continue;
    if (by_default && one.kernel_times.empty()) one.kernel_times = known->times();
    keep_below_peak(one.kernel_times, *known, side);
  }
}

std::string measured_kernels_in_use(const MachineModel& machine, const Workload& workload) {
  if (has_recorded_times(workload)) return recorded_times_in_use(machine);
  if (!factorises(workload)) return "";
  const double side = side_of_tiles(workload);
  const std::string elsewhere = side == 960 || side == 1920 ? "" : fmt::format("@{:g}", side);
  std::vector<std::string> names;
  for (const ProcessorModel& one : machine.processors) {
    if (one.kernel_times.empty() || one.kernels.empty()) continue;
    if (std::find(names.begin(), names.end(), one.kernels + elsewhere) == names.end()) {
      names.push_back(one.kernels + elsewhere);
    }
  }
  return fmt::format("{}", fmt::join(names, "+"));
}

std::string measured_kernels_in_words(const std::string& names) {
  std::string words;
  for (const std::string_view one : summands(names)) {
    if (const auto own = recorded_times_in_words(one, names); !own.empty()) {
      words += fmt::format("{}{}", words.empty() ? "" : ", ", own);
      continue;
    }
    const auto at = std::min(one.find('@'), one.size());
    words += fmt::format("{}{} (measured", words.empty() ? "" : ", ", one.substr(0, at));
    if (at < one.size()) {
      const double side = parse_number(one.substr(at + 1)).value_or(0);
      words += fmt::format(" at tiles of 960 and 1920, {} to {:g}",
                           side > 960 && side < 1920 ? "interpolated" : "extrapolated", side);
    }
    words += ")";
  }
  return words;
}

}  // namespace damocles
