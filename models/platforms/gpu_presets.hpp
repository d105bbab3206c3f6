#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/precision.hpp"

namespace damocles {

/// A GPU whose numbers hold where a platform `gpus:preset=NAME` does not say another.
struct GpuPreset {
  std::string name;
  /// Products in each precision, in the order of `precisions`; 0: the source has none [GFlop/s].
  std::array<double, precisions.size()> gflops{};
  std::string memory;     ///< "500MB"
  std::string bandwidth;  ///< to the GPU, one direction: of one bus for all, or of each GPU's link
  bool own_links = false;
  std::string source;     ///< where the numbers come from
  std::string kernels{};  ///< those of measured_kernels() that ran on such a GPU

  [[nodiscard]] double gflops_in(Precision precision) const {
    return gflops.at(static_cast<std::size_t>(precision));
  }
};

/// Those of the papers come first: kernels and copies as their authors ran them, 500 MB of memory.
/// The others have what the vendor says of a card: peaks without sparsity, by tensor or matrix
/// cores where the card has such for a precision, of which kernels and copies reach less; and a
/// link of each GPU's own, so that k GPUs have k times its bandwidth.
[[nodiscard]] const std::vector<GpuPreset>& gpu_presets();

/// The rate of a core where the user gives none [flop/s]: what a core with AVX2 computes at best in
/// double precision at 2.5 GHz, two fused multiply-adds of four doubles (16 flop) a cycle.
inline constexpr double usual_core_flops_per_s = 40e9;

/// @throws InvalidInput on a name that is none
[[nodiscard]] const GpuPreset& gpu_preset(const std::string& name);

}  // namespace damocles
