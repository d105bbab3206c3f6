#include "experiments/figures/tiled_instances.hpp"

namespace damocles {
namespace {

constexpr const char* opti = "darts:opti=true";

CurveFigure figure_with(std::size_t memory_mib) {
  CurveFigure result{{}, {"eager", "dmdar", "darts", opti}};
  for (std::size_t n = 50; n <= 750; n += 50) {
    result.points.push_back(sparse_2d(n, ipdps22_gpus(4, memory_mib)));
  }
  for (const auto& name : hypergraph_if_built()) result.strategies.push_back(name);
  return result;
}

CurveFigure little_memory() { return figure_with(500); }
CurveFigure all_memory() { return figure_with(32 * 1024); }

/// OPTI costs nothing: not slower than without it, on average.
Check opti_does_no_harm(const Curves& curves) {
  Check check = also_gain(curves, opti, "darts", "");
  check.holds = mean_gain(curves, opti, "darts") >= -run_to_run;
  return check;
}

std::vector<Check> with_little_memory(const Curves& curves, std::uint64_t) {
  std::vector<Check> all{gain_is(curves, "darts", "dmdar", 0.40), opti_does_no_harm(curves)};
  for (const auto& name : hypergraph_if_built())
    all.push_back(also_gain(curves, "darts", name, ""));
  return all;
}

std::vector<Check> with_all_memory(const Curves& curves, std::uint64_t) {
  std::vector<Check> all{is_faster(curves, opti, "dmdar", every_point, "on all points"),
                         is_faster(curves, opti, "eager", every_point, "on all points"),
                         opti_does_no_harm(curves)};
  for (const auto& name : hypergraph_if_built()) {
    all.push_back(is_faster(curves, opti, name, every_point, "on all points"));
  }
  return all;
}

const RegisterClaims entries{
    {curve_claim({"ipdps22.fig12",
                  "sparse 2D product (98 % of the tasks removed), 4 GPUs: DARTS+LUF +40 % over "
                  "DMDAR; OPTI does no harm",
                  "sparse2d:n=50, 100, ..., 750,density=0.02 (1406 to 21094 MiB), 5 draws, 4 x 500 "
                  "MiB; scheduling time not charged",
                  little_memory, with_little_memory}),
     curve_claim({"ipdps22.fig13", "the same without memory limit: DARTS+OPTI is best",
                  "sparse2d:n=50, 100, ..., 750,density=0.02 (1406 to 21094 MiB), 5 draws, 4 x 32 "
                  "GiB; scheduling time not charged",
                  all_memory, with_all_memory})}};

}  // namespace
}  // namespace damocles
