#include "models/workloads/family.hpp"

namespace damocles {
namespace {

Workload gemm2d(const Spec& spec) {
  const std::uint64_t most = random_order(spec) ? max_side : max_extent;
  const auto n = side(spec, most);
  const auto m = side_or(spec, "m", n, most);
  Workload grid = Workload::grid(spec.text(), m, n, 0, panel_weights(spec),
                                 {.tile = tiling(spec).tile, .depth = panel_depth(spec)});
  return random_order(spec) ? workload_of(spec, grid.graph().parts(), grid.structure()) : grid;
}

const Register gemm2d_family{WorkloadFamily{
    .name = "gemm2d",
    .place = 3,
    .keys = {"n", "m", "tile", "k", "precision", "order", "seed"},
    .forms = {{"gemm2d:n=N",
               "rows of A times columns of B: N^2 tasks, 2 inputs of 14.7 MB (tile=960 rows or "
               "columns of k=3840 elements), also m=, precision=double (tf32, bf16, fp16), "
               "order=random,seed=1"}},
    .make = gemm2d,
    .sides = {"n", "m"}}};

}  // namespace
}  // namespace damocles
