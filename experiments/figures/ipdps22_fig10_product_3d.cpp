#include <fmt/format.h>

#include "experiments/figures/tiled_instances.hpp"

namespace damocles {
namespace {

constexpr const char* three_inputs = "darts:inputs=3";

/// Four tiles deep, as in the authors' scripts, and with C as a third input: of two inputs one load
/// always suffices once the other is there, and 3inputs would be DARTS itself.
CurveFigure figure() {
  CurveFigure result{{}, {"eager", "dmdar", "darts", three_inputs}};
  for (std::size_t n = 20; n <= 120; n += 20) {
    const auto side = static_cast<double>(n);
    result.points.push_back({fmt::format("n={}", n),
                             {fmt::format("gemm3d:m={},n={},k=4,c=yes", n, n)},
                             ipdps22_gpus(4),
                             4 * side,
                             8 * side});
  }
  for (const auto& name : hypergraph_if_built()) result.strategies.push_back(name);
  return result;
}

bool after_the_first(const Curves&, std::size_t i) { return i > 0; }

std::vector<Check> checks(const Curves& curves, std::uint64_t) {
  std::vector<std::string> others{"eager", "dmdar", "darts"};
  for (const auto& name : hypergraph_if_built()) others.push_back(name);
  return {gain_is(curves, three_inputs, "dmdar", 0.61),
          is_faster(curves, three_inputs, "darts", every_point, "on all points"),
          is_never_slower(curves, three_inputs, others, after_the_first, "after the first point")};
}

const RegisterClaims entries{{curve_claim(
    {"ipdps22.fig10",
     "3D product, 4 GPUs: DARTS+LUF-3inputs +61 % over DMDAR and better than DARTS+LUF; better "
     "than all from the second working set on",
     "gemm3d:m=n=20, 40, ..., 120, k=4, c=yes (1969 to 54000 MiB; 3inputs only matters with three "
     "inputs), 4 x 500 MiB; scheduling time not charged",
     figure, checks})}};

}  // namespace
}  // namespace damocles
