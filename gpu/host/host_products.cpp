// One task is one thread's work: processors are threads already.
#define EIGEN_DONT_PARALLELIZE

#include "gpu/host/host_products.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "gpu/arithmetic/numbers.hpp"

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

/// Factors of a task as floats.
void read_factors(Precision precision, const std::byte* from, std::vector<float>& to) {
  if (precision == Precision::tf32) {
    const auto* const numbers = reinterpret_cast<const float*>(from);
    std::transform(numbers, numbers + to.size(), to.begin(), to_tf32);
    return;
  }
  with_number(precision, [&](auto number) {
    const auto* const numbers = reinterpret_cast<const decltype(number)*>(from);
    std::transform(numbers, numbers + to.size(), to.begin(),
                   [](const auto& one) { return static_cast<float>(one); });
  });
}

}  // namespace

void mixed_product(const Kernel& kernel, const TaskCall& call,
                   const std::function<void(const Kernel&, const TaskCall&)>& single) {
  // One thread runs many tasks of one size.
  thread_local std::vector<float> x;
  thread_local std::vector<float> y;
  thread_local std::vector<float> c;
  x.resize(kernel.m * kernel.k);
  y.resize(kernel.k * kernel.n);
  c.resize(kernel.m * kernel.n);
  read_factors(kernel.precision, call.inputs[0].at, x);
  read_factors(kernel.precision, call.inputs[1].at, y);
  const auto bytes_of = [](std::vector<float>& numbers) {
    return reinterpret_cast<std::byte*>(numbers.data());
  };
  Kernel in_single = kernel;
  in_single.precision = Precision::fp32;
  TaskCall with = call;
  with.inputs = {{bytes_of(x), x.size() * sizeof(float)}, {bytes_of(y), y.size() * sizeof(float)}};
  if (kernel.precision == Precision::tf32) {  // what is kept are floats
    single(in_single, with);
    return;
  }
  with.output = bytes_of(c);
  with_number(kernel.precision, [&](auto number) {
    using Number = decltype(number);
    auto* const kept = reinterpret_cast<Number*>(call.output);
    if (call.accumulate) {
      std::transform(kept, kept + c.size(), c.begin(),
                     [](const Number& one) { return static_cast<float>(one); });
    }
    single(in_single, with);
    std::transform(c.begin(), c.end(), kept, [](float one) { return static_cast<Number>(one); });
  });
}

void product_by_eigen(const Kernel& kernel, const TaskCall& call) {
  kernel.precision == Precision::fp32 ? product_of_tiles<float>(kernel, call)
                                      : product_of_tiles<double>(kernel, call);
}

}  // namespace damocles
