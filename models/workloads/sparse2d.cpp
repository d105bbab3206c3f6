#include "models/workloads/family.hpp"

namespace damocles {
namespace {

constexpr double usual_density = 0.02;  // IPDPS'22: 98 % of the tasks removed

Workload sparse2d(const Spec& spec) {
  const auto n = side(spec, max_side);
  const auto m = side_or(spec, "m", n, max_side);
  const double density = spec.number("density", 1e-9, 1).value_or(usual_density);
  const double tasks = density * static_cast<double>(m * n);
  if (tasks > 0x1p29) spec.refuse("has more than 2^29 tasks; make density m n smaller");
  const BlockWeights weights = panel_weights(spec);
  const MemoryPromise memory = promise(spec, tasks, 2 * tasks);
  return workload_of(spec,
                     sparse_product_2d(m, n, density, seed_in(spec), weights.bytes, weights.flops,
                                       weights.output_bytes),
                     {.kind = Structure::Kind::part_of_product_2d,
                      .m = m,
                      .n = n,
                      .tile = tiling(spec).tile,
                      .depth = panel_depth(spec)});
}

const Register sparse2d_family{WorkloadFamily{
    .name = "sparse2d",
    .place = 6,
    .keys = {"n", "m", "density", "tile", "k", "precision", "order", "seed"},
    .forms =
        {{"sparse2d:n=N,density=0.02,seed=1",
          "gemm2d with only a share density of its tasks, drawn at random; also m=, tile=, k=, order="}},
    .make = sparse2d,
    .sides = {"n", "m"}}};

}  // namespace
}  // namespace damocles
