#include <array>

#include "models/workloads/family.hpp"

namespace damocles {
namespace {

/// Task i reads data i, i + 1 and i + 2.
Workload tridiagonal(const Spec& spec) {
  const auto n = side(spec, max_side);
  const MemoryPromise memory = promise(spec, static_cast<double>(n), 3 * static_cast<double>(n));
  TaskGraph::Parts parts;
  parts.bytes.assign(n + 2, 1'000'000);
  for (TaskGraph::Index i = 0; i < n; ++i) {
    parts.add_task(std::array{i, i + 1, i + 2}, 1e9);
  }
  return workload_of(spec, parts, {});
}

const Register tridiagonal_family{
    WorkloadFamily{.name = "tridiagonal",
                   .place = 100,
                   .keys = {"n", "order", "seed"},
                   .forms = {{"tridiagonal:n=N",
                              "N tasks, each reads 3 data items of 1 MB in a row; also order="}},
                   .make = tridiagonal}};

}  // namespace
}  // namespace damocles
