#include "experiments/figures/tiled_instances.hpp"

namespace damocles {
namespace {

constexpr const char* hfp = "hfp:eviction=lru";  // as run natively: Ready and flip, no Belady
constexpr const char* only_flip = "hfp:ready=false,eviction=lru";
constexpr const char* only_ready = "hfp:flip=false,eviction=lru";
constexpr const char* literal = "hfp:partner=literal,eviction=lru";

/// Nine points, as in the paper; n = 15 is its 422 MB.
CurveFigure figure() {
  return {products_2d(5, 45, 5, coloc21_gpu(500)),
          {"eager", "mst", "rcm", "dmdar", hfp, only_flip, only_ready, "hfp", literal}};
}

std::vector<Check> checks(const Curves& curves, std::uint64_t) {
  return {gain_is(curves, hfp, "eager", 0.515),
          gain_is(curves, hfp, "mst", 0.256),
          gain_is(curves, hfp, "rcm", 0.260),
          gain_is(curves, hfp, "dmdar", 0.083),
          gain_is(curves, hfp, only_flip, 0.019),
          gain_is(curves, hfp, only_ready, -0.002),
          collapses_without_b(curves, "eager"),
          collapses_without_b(curves, "mst"),
          collapses_without_b(curves, "rcm"),
          is_near_peak(curves, hfp),
          also_gain(curves, "hfp", hfp, " (Belady's rule)"),
          also_gain(curves, literal, hfp, " (packages merged as Algorithm 1 is printed)")};
}

const RegisterClaims entries{{curve_claim(
    {"coloc21.fig3",
     "2D product: mean gain of HFP (Ready and flip) over Eager 51.5 %, MST 25.6 %, RCM 26.0 %, "
     "DMDAR 8.3 %, flip alone 1.9 %, Ready alone -0.2 %; Eager, MST and RCM collapse once B no "
     "longer fits, HFP stays near the peak",
     "gemm2d:n=5, 10, ..., 45 (141 to 1266 MiB) on one V100, 12557 GFlop/s, 6 GB/s, 500 MiB",
     figure, checks})}};

}  // namespace
}  // namespace damocles
