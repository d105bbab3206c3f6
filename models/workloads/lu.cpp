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
  if (is_ordered) return prioritised(spec, lu_in_place(n, tiles, update));
  return workload_of(spec, lu(n, tiles), {});
}

const Register lu_family{WorkloadFamily{
    .name = "lu",
    .place = 5,
    .keys = {"n", "tile", "precision", "order", "seed", "deps", "updates"},
    .forms = {{"lu:n=N",
               "the tasks of the LU factorisation of N x N tiles without pivoting, without "
               "dependencies; also tile=, precision=, order=, deps=true, updates=, as cholesky"}},
    .make = lu_factorisation}};

}  // namespace
}  // namespace damocles
