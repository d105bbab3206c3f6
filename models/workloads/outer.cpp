#include "models/workloads/family.hpp"

namespace damocles {
namespace {

Workload outer_product(const Spec& spec) {
  const auto n = side(spec, max_extent);
  return Workload::outer(side_or(spec, "m", n, max_extent), n);
}

const Register outer_family{WorkloadFamily{
    .name = "outer",
    .place = 1,
    .keys = {"n", "m"},
    .forms = {{"outer:n=N", "outer product of two vectors of N blocks: N^2 tasks, 2 inputs each"},
              {"outer:m=M,n=N", "outer product of vectors of M and N blocks: M N tasks"}},
    .make = outer_product}};

}  // namespace
}  // namespace damocles
