#include <fmt/format.h>

#include "experiments/figures/tiled_instances.hpp"

namespace damocles {
namespace {

constexpr const char* hfp = "hfp:eviction=lru";
constexpr const char* plain = "hfp:flip=false,ready=false,eviction=lru";
constexpr const char* only_flip = "hfp:ready=false,eviction=lru";
constexpr const char* only_ready = "hfp:flip=false,eviction=lru";
constexpr const char* only_belady = "hfp:flip=false,ready=false";
constexpr const char* where_short = "where A and B do not fit together";

/// The 422 MB of the paper, in less and less memory.
CurveFigure figure() {
  std::vector<CurvePoint> points;
  for (std::size_t memory = 500; memory >= 50; memory -= 50) {
    points.push_back(product_2d(15, coloc21_gpu(memory)));
    points.back().name = fmt::format("{} MiB", memory);
  }
  return {points,
          {"eager", "mst", "rcm", "dmdar", hfp, "hfp", plain, only_flip, only_ready, only_belady}};
}

/// What Ready alone gains over plain packages, against what another improvement alone does.
Check ready_helps_more_than(const Curves& curves, const std::string& other) {
  const double ready = mean_gain(curves, only_ready, plain, memory_is_short);
  const double others = mean_gain(curves, other, plain, memory_is_short);
  return {ready > others + run_to_run,
          fmt::format("over plain packages Ready alone gains {:+.1f} %, {} {:+.1f} % {}",
                      100 * ready, other, 100 * others, where_short)};
}

std::vector<Check> checks(const Curves& curves, std::uint64_t) {
  return {collapses_without_b(curves, "eager"),
          collapses_without_b(curves, "mst"),
          collapses_without_b(curves, "rcm"),
          is_faster(curves, hfp, "eager", memory_is_short, where_short),
          is_faster(curves, hfp, "mst", memory_is_short, where_short),
          is_faster(curves, hfp, "rcm", memory_is_short, where_short),
          is_faster(curves, hfp, "dmdar", memory_is_short, where_short),
          ready_helps_more_than(curves, only_flip),
          ready_helps_more_than(curves, only_belady),
          also_gain(curves, "hfp", hfp, " (Belady's rule)")};
}

const RegisterClaims entries{{curve_claim(
    {"coloc21.fig3b",
     "the same with 422 MB of matrices and less and less memory: Eager, MST and RCM are "
     "pathological where memory is short, HFP is ahead; Ready alone improves much, Belady's rule "
     "or flip alone do not provide the same",
     "gemm2d:n=15 (422 MiB) on one V100, 12557 GFlop/s, 6 GB/s, 500, 450, ..., 50 MiB", figure,
     checks})}};

}  // namespace
}  // namespace damocles
