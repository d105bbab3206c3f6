#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/platforms/kernel_times.hpp"

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

}  // namespace damocles
