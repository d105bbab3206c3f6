#include "models/workloads/family.hpp"

namespace damocles {
namespace {

Workload matrix_product(const Spec& spec) {
  const auto n = side(spec, max_extent);
  return Workload::matrix(side_or(spec, "m", n, max_extent), n, side_or(spec, "k", n, max_extent));
}

const Register matrix_family{WorkloadFamily{
    .name = "matrix",
    .place = 2,
    .keys = {"n", "m", "k"},
    .forms = {{"matrix:n=N",
               "product of two N x N block matrices: N^3 tasks, 3 inputs each (A, B, C)"},
              {"matrix:m=M,n=N,k=K", "product of M x K and K x N blocks: M N K tasks"}},
    .make = matrix_product}};

}  // namespace
}  // namespace damocles
