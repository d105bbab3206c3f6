#include "experiments/figures/curve_checks.hpp"
#include "experiments/figures/tiled_instances.hpp"

namespace damocles::ipdps22_fig09_random_order {
namespace {

constexpr const char* darts_lru = "darts:eviction=lru";
/// "Maintains high throughput" where the others do not: by this factor.
constexpr double far = 1.5;

CurveFigure figure() {
  CurveFigure result{{}, {"eager", "dmdar", "darts", darts_lru}, ipdps22_peak, "ipdps22.fig9"};
  for (std::size_t n = 5; n <= 65; n += 5) {
    result.points.push_back(shuffled_2d(n, ipdps22_gpus(2)));
  }
  for (const auto& name : if_built(hypergraph_shuffled)) result.strategies.push_back(name);
  return result;
}

std::vector<CurveTest> tests() {
  const std::vector<std::string> others{"eager", "dmdar", hypergraph_shuffled};
  return {
      {{"DARTS+LUF achieves 75 % more GFlop/s than DMDAR on average", "V-D"},
       gain_is("darts", "dmdar", 0.75)},
      {{"EAGER, DMDAR and hMETIS+R are highly impacted as soon as the memory does not allow loading both input matrices",
        "V-D"},
       each(others, [](const auto& name) { return suffers(name, memory_is_short()); })},
      {{"DARTS maintains high throughput until the memory is inferior to one input matrix", "V-D"},
       each({"darts", darts_lru},
            [=](const auto& name) { return is_at_least(far, name, others, only_b_fits()); })}};
}

const Register entries{curve_claim(
    {"ipdps22.fig9",
     "2D product in random order, 2 GPUs: DARTS+LUF +75 % over DMDAR; EAGER, DMDAR and hMETIS+R "
     "are highly impacted as soon as A and B do not fit; DARTS keeps a high throughput",
     "gemm2d:n=5, 10, ..., 65,order=random (141 to 1828 MiB), 5 orders, 2 x (13253 GFlop/s, 10.8 "
     "GB/s, 500 MiB) behind 12.36 GB/s, 24.1 GB/s between the two; decisions 45 ns a data item or "
     "task looked at; hMETIS+R's parts random, as a file made for row order is here",
     figure, tests()})};

}  // namespace
}  // namespace damocles::ipdps22_fig09_random_order
