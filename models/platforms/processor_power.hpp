#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace damocles {

/// What tasks of a kind draw, where that is not what others do.
struct KernelPower {
  std::string kind;
  double watts = 0;
};

/// What a processor draws.
struct ProcessorPower {
  double computing_w = 0;  ///< 0: not known, and then nothing else is
  double idle_w = 0;       ///< while it computes nothing, data on their way or not
  std::vector<KernelPower> of_kinds{};
};

/// Those of `GEMM:280W+POTRF:120W`; `where` names the platform in errors.
/// @throws InvalidInput on a kind without a power or named twice, a power that is not above 0
[[nodiscard]] std::vector<KernelPower> parse_kernel_powers(std::string_view text,
                                                           const std::string& where);

}  // namespace damocles
