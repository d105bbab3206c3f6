#include "experiments/figures/tiled_instances.hpp"

namespace damocles {
namespace {

constexpr const char* darts_lru = "darts:eviction=lru";
constexpr const char* where_short = "where A and B do not fit together";

CurveFigure figure() {
  CurveFigure result{{}, {"eager", "dmdar", "darts", darts_lru}};
  for (std::size_t n = 10; n <= 130; n += 10) {
    result.points.push_back(shuffled_2d(n, ipdps22_gpus(2)));
  }
  for (const auto& name : hypergraph_if_built()) result.strategies.push_back(name);
  return result;
}

bool only_b_fits(const Curves& curves, std::size_t i) {
  return !curves.ab_fits(i) && curves.b_fits(i);
}

std::vector<Check> checks(const Curves& curves, std::uint64_t) {
  std::vector<Check> all{gain_is(curves, "darts", "dmdar", 0.75),
                         suffers(curves, "eager", memory_is_short, where_short),
                         suffers(curves, "dmdar", memory_is_short, where_short),
                         keeps_share_of_peak(curves, darts_lru, near_peak, only_b_fits,
                                             "where A and B do not fit but B does")};
  for (const auto& name : hypergraph_if_built()) {
    all.push_back(suffers(curves, name, memory_is_short, where_short));
  }
  return all;
}

const RegisterClaims entries{{curve_claim(
    {"ipdps22.fig9",
     "2D product in random order, 2 GPUs: DARTS+LUF +75 % over DMDAR; EAGER, DMDAR and hMETIS+R "
     "are highly impacted as soon as A and B do not fit; DARTS keeps a high throughput until B "
     "does not",
     "gemm2d:n=10, 20, ..., 130,order=random (281 to 3656 MiB), 5 orders, 2 x 500 MiB; scheduling "
     "time not charged",
     figure, checks})}};

}  // namespace
}  // namespace damocles
