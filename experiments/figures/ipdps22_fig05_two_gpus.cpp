#include <fmt/format.h>

#include "experiments/figures/tiled_instances.hpp"

namespace damocles {
namespace {

constexpr const char* mhfp = "hfp:eviction=lru";
constexpr const char* darts_lru = "darts:eviction=lru";
constexpr const char* where_short = "where A and B do not fit together";

CurveFigure figure() {
  CurveFigure result{products_2d(10, 150, 10, ipdps22_gpus(2)),
                     {"eager", "dmdar", mhfp, "darts", darts_lru}};
  for (const auto& name : hypergraph_if_built()) result.strategies.push_back(name);
  return result;
}

bool between_2500_and_3500(const Curves& curves, std::size_t i) {
  return curves.working_set_mib(i) >= 2500 && curves.working_set_mib(i) <= 3500;
}

Check darts_moves_more_there(const Curves& curves) {
  const double more = mean_more_bytes(curves, "darts", "dmdar", between_2500_and_3500);
  return {more > 0,
          fmt::format("between 2500 and 3500 MiB darts moves {:+.1f} % bytes against dmdar",
                      100 * more)};
}

std::vector<Check> checks(const Curves& curves, std::uint64_t seed) {
  std::vector<Check> all{
      gain_is(curves, "darts", "dmdar", 0.094),
      is_near_peak(curves, "darts"),
      is_near_peak(curves, mhfp),
      is_faster(curves, "dmdar", "eager", memory_is_short, where_short),
      is_faster(curves, "dmdar", darts_lru, memory_is_short, where_short),
      darts_moves_more_there(curves),
      is_never_slower(curves, "darts", {"dmdar"}, every_point, "at every point"),
  };
  for (const auto& name : hypergraph_if_built()) {
    all.push_back(is_faster(curves, "dmdar", name, memory_is_short, where_short));
    Check time = decisions_cost_too_much(curves, curves.points() - 1, name, "dmdar", seed);
    all.push_back({std::nullopt, "partitioning: " + time.numbers});
  }
  if (hypergraph_if_built().empty()) {
    all.push_back({std::nullopt, "hMETIS+R not run, this build has no hypergraph partitioning"});
  }
  return all;
}

const RegisterClaims entries{{curve_claim(
    {"ipdps22.fig5-7",
     "2D product, 2 GPUs: DARTS+LUF +9.4 % over DMDAR and close to ideal, mHFP very good without "
     "its scheduling time; EAGER, hMETIS+R and DARTS with LRU suffer where memory is short; "
     "DARTS+LUF moves more data than DMDAR between 2500 and 3500 MB and is still always faster",
     "gemm2d:n=10, 20, ..., 150 (281 to 4219 MiB), 2 x 500 MiB; scheduling time not charged",
     figure, checks})}};

}  // namespace
}  // namespace damocles
