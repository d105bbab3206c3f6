#include <fmt/format.h>

#include "experiments/figures/tiled_instances.hpp"

namespace damocles {
namespace {

constexpr const char* no_belady = "hfp:eviction=lru";
constexpr const char* only_flip = "hfp:ready=false,eviction=lru";
constexpr const char* only_ready = "hfp:flip=false,eviction=lru";
constexpr const char* only_belady = "hfp:flip=false,ready=false";
constexpr const char* where_no_b = "where B does not fit";
constexpr const char* where_short = "where A and B do not fit together";

/// Cubes of n^3 tasks; n = 17 has 3048 MiB, the paper's last point 3014.
CurveFigure figure() {
  std::vector<CurvePoint> points;
  for (const std::size_t n : {2, 4, 6, 8, 10, 12, 14, 16, 17}) {
    const auto tiles = static_cast<double>(n * n);
    points.push_back({fmt::format("n={}", n),
                      {fmt::format("gemm3d:n={},c=later", n)},
                      coloc21_gpu(500),
                      tiles,
                      2 * tiles});
  }
  return {points,
          {"eager", "mst", "rcm", "dmdar", "hfp", no_belady, only_flip, only_ready, only_belady}};
}

Check moves_more_and_is_faster(const Curves& curves, const std::string& other) {
  const double bytes = mean_more_bytes(curves, no_belady, other, b_does_not_fit);
  const double gain = mean_gain(curves, no_belady, other, b_does_not_fit);
  return {
      bytes > 0 && gain > 0,
      fmt::format("without Belady's rule HFP moves {:+.1f} % bytes and is {:+.1f} % faster than "
                  "{} {}",
                  100 * bytes, 100 * gain, other, where_no_b)};
}

std::vector<Check> checks(const Curves& curves, std::uint64_t) {
  return {gain_is(curves, "hfp", "eager", 0.794),
          gain_is(curves, "hfp", "mst", 0.481),
          gain_is(curves, "hfp", "rcm", 0.162),
          gain_is(curves, "hfp", "dmdar", 0.110),
          gain_is(curves, "hfp", only_flip, 0.020),
          gain_is(curves, "hfp", only_ready, 0.019),
          gain_is(curves, "hfp", only_belady, 0.027),
          moves_markedly_less(curves, "hfp", no_belady, memory_is_short, where_short),
          collapses_without_b(curves, "mst"),
          moves_markedly_less(curves, "rcm", "mst", b_does_not_fit, where_no_b),
          moves_markedly_less(curves, "dmdar", "mst", b_does_not_fit, where_no_b),
          moves_more_and_is_faster(curves, "rcm"),
          moves_more_and_is_faster(curves, "dmdar")};
}

const RegisterClaims entries{{curve_claim(
    {"coloc21.fig4",
     "3D product: mean gain of HFP over Eager 79.4 %, MST 48.1 %, RCM 16.2 %, DMDAR 11.0 %, flip "
     "alone 2.0 %, Ready alone 1.9 %, Belady alone 2.7 %; Belady's rule moves markedly less; MST "
     "collapses, RCM and DMDAR do not; without Belady's rule HFP moves more than these two and is "
     "faster",
     "gemm3d:n=2, 4, ..., 16, 17, c=later (32 to 3048 MiB) on one V100, 12557 GFlop/s, 6 GB/s, 500 "
     "MiB",
     figure, checks})}};

}  // namespace
}  // namespace damocles
