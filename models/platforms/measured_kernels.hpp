#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/precision.hpp"
#include "models/workload.hpp"

namespace damocles {

/// What the kernels of Cholesky and LU take on one processor, in single precision, as measured: a
/// platform names it in `times=`.
struct MeasuredKernels {
  struct Kernel {
    std::string kind;
    double flops_a_cube;  ///< flops of the kernel over the cube of its tile
    double s_960;         ///< with tiles of 960 x 960 [s]
    double s_1920;        ///< of 1920 x 1920 [s]
  };
  static constexpr Precision precision = Precision::fp32;

  std::string name;
  std::string source;
  std::vector<Kernel> kernels;

  /// Powers of a task's flops that pass through both measurements. Those of kinds that a workload
  /// does not have mean nothing there.
  [[nodiscard]] std::vector<KernelTime> times() const;
};

[[nodiscard]] const std::vector<MeasuredKernels>& measured_kernels();
/// The one of that name, or null.
[[nodiscard]] const MeasuredKernels* measured_kernels_of(std::string_view name);

/// In place of a name: the platform gives the speed, at which all kernels run (kernels_by_flops).
inline constexpr std::string_view kernels_at_given_speed = "gflops";

/// Gives processors without times those of their kernels (ProcessorModel::kernels). Only where the
/// tasks are those of Cholesky or LU in single precision, on tiles of 480 to 3840, and wait for
/// each other: without dependencies they are a set of tasks that share data, of which the papers
/// ask for loads. On no tiles do kernels run faster than the fastest one that was measured.
void use_measured_kernels(MachineModel& machine, const Workload& workload);

/// Names of those that some of its tasks take their times from, each once: "v100+core"; on tiles of
/// a size that was not measured "v100@480". Where the workload's file recorded times, also
/// "recorded", "flops" and "given" (recorded_times_in_use).
[[nodiscard]] std::string measured_kernels_in_use(const MachineModel& machine,
                                                  const Workload& workload);

/// Such names for a reader: "v100 (measured), core (measured)", "v100 (measured at tiles of 960 and
/// 1920, extrapolated to 480)", "recorded in the workload's file".
[[nodiscard]] std::string measured_kernels_in_words(const std::string& names);

/// Whether its tasks are the kernels of a factorisation of tiles, not read from a file.
[[nodiscard]] bool factorises(const Workload& workload);

}  // namespace damocles
