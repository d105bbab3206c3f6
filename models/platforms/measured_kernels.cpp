#include "models/platforms/measured_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "models/platforms/kernel_kinds.hpp"

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

/// Whether the factorisation's tiles are at most twice as large or half as large as those measured:
/// powers through two sizes say nothing of others.
bool measured_tiles(const Workload& workload) {
  const TaskGraph& graph = workload.graph();
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    const auto& kind = graph.kind_name(task);
    if (kind != "POTRF" && kind != "GETRF") continue;
    const double edge = std::cbrt(graph.flops(task) * (kind == "POTRF" ? 3 : 1.5));
    return edge > 479.5 && edge < 3840.5;
  }
  return false;
}

}  // namespace

void use_measured_kernels(MachineModel& machine, const Workload& workload) {
  const auto precision = workload.precision().value_or(MeasuredKernels::precision);
  if (precision != MeasuredKernels::precision || !workload.has_dependencies()) return;
  if (!factorises(workload) || !measured_tiles(workload)) return;
  for (ProcessorModel& one : machine.processors) {
    const auto* const known = measured_kernels_of(one.kernels);
    if (known != nullptr && one.kernel_times.empty()) one.kernel_times = known->times();
  }
}

std::string measured_kernels_in_use(const MachineModel& machine, const Workload& workload) {
  if (!factorises(workload)) return "";
  std::vector<std::string> names;
  for (const ProcessorModel& one : machine.processors) {
    if (one.kernel_times.empty() || one.kernels.empty()) continue;
    if (std::find(names.begin(), names.end(), one.kernels) == names.end()) {
      names.push_back(one.kernels);
    }
  }
  return fmt::format("{}", fmt::join(names, "+"));
}

std::string measured_kernels_in_words(const std::string& names) {
  std::string words = names;
  for (auto plus = words.find('+'); plus < words.size(); plus = words.find('+', plus + 1)) {
    words.replace(plus, 1, " (measured), ");
  }
  return words + " (measured)";
}

}  // namespace damocles
