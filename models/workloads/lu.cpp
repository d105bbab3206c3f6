#include <utility>

#include "models/workloads/family.hpp"

namespace damocles {
namespace {

Workload lu_factorisation(const Spec& spec) {
  constexpr std::uint64_t most = 800;  // n^3/3 tasks
  const auto n = side(spec, most);
  const std::uint64_t exactly = n * (n + 1) * (2 * n + 1) / 6;
  const auto tasks = static_cast<double>(exactly);
  const Tiling tiles = tiling(spec);
  const MemoryPromise memory = promise(spec, tasks, 3 * tasks);
  const bool is_ordered = ordered(spec);
  const Access update = update_access(spec, is_ordered);
  const auto lifetimes = lifetimes_said(spec, is_ordered, n * n, "end");
  if (!is_ordered) return workload_of(spec, lu(n, tiles), {});
  auto parts = lu_in_place(n, tiles, update);
  parts.lifetimes = lifetimes;
  return prioritised(spec, std::move(parts));
}

const Register lu_family{WorkloadFamily{
    .name = "lu",
    .place = 5,
    .keys = {"n", "tile", "precision", "order", "seed", "deps", "updates", "home"},
    .forms =
        {{"lu:n=N",
          "the LU factorisation of N x N tiles without pivoting, whose tasks wait for others and "
          "write tiles; also tile=, precision=, updates=, home=, deps=false, order=, as cholesky"}},
    .make = lu_factorisation,
    .sides = {"n"},
    .changed_default = deps_became_true}};

}  // namespace
}  // namespace damocles
