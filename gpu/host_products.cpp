// One task is one thread's work: processors are threads already.
#define EIGEN_DONT_PARALLELIZE

#include "gpu/host_products.hpp"

#include <Eigen/Core>

namespace damocles {
namespace {

template <typename Number>
using Tile = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename Number>
Eigen::Map<const Tile<Number>> input(const std::byte* at, std::size_t rows, std::size_t columns) {
  return {reinterpret_cast<const Number*>(at), static_cast<Eigen::Index>(rows),
          static_cast<Eigen::Index>(columns)};
}

template <typename Number>
void product_of_tiles(const Kernel& kernel, const TaskCall& call) {
  const auto x = input<Number>(call.inputs[0].at, kernel.m, kernel.k);
  const auto y = input<Number>(call.inputs[1].at, kernel.k, kernel.n);
  Eigen::Map<Tile<Number>> result(reinterpret_cast<Number*>(call.output),
                                  static_cast<Eigen::Index>(kernel.m),
                                  static_cast<Eigen::Index>(kernel.n));
  if (call.accumulate) {
    result.noalias() += x * y;
  } else {
    result.noalias() = x * y;
  }
}

}  // namespace

void product_by_eigen(const Kernel& kernel, const TaskCall& call) {
  kernel.precision == Precision::fp32 ? product_of_tiles<float>(kernel, call)
                                      : product_of_tiles<double>(kernel, call);
}

}  // namespace damocles
