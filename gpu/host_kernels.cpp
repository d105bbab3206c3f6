#include "gpu/host_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/host_products.hpp"

#if defined(DAMOCLES_HAS_OPENBLAS)
#include <cblas.h>
#include <openblas_config.h>
#else
#include <Eigen/Core>
#endif

namespace damocles {
namespace {

#if defined(DAMOCLES_HAS_OPENBLAS)
void product(const Kernel& kernel, const TaskCall& call) {
  // Processors are threads already; OpenBLAS would start as many again for each of them.
  [[maybe_unused]] static const bool alone = (openblas_set_num_threads(1), true);
  const auto m = static_cast<blasint>(kernel.m);
  const auto n = static_cast<blasint>(kernel.n);
  const auto k = static_cast<blasint>(kernel.k);
  if (kernel.precision == Precision::fp32) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1,
                reinterpret_cast<const float*>(call.inputs[0].at), k,
                reinterpret_cast<const float*>(call.inputs[1].at), n, call.accumulate ? 1.0F : 0.0F,
                reinterpret_cast<float*>(call.output), n);
  } else {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1,
                reinterpret_cast<const double*>(call.inputs[0].at), k,
                reinterpret_cast<const double*>(call.inputs[1].at), n, call.accumulate ? 1.0 : 0.0,
                reinterpret_cast<double*>(call.output), n);
  }
}
#else
void product(const Kernel& kernel, const TaskCall& call) { product_by_eigen(kernel, call); }
#endif

void checksum(const TaskCall& call) {
  constexpr std::size_t whole = sizeof(std::uint64_t);
  std::uint64_t sum = 0;
  for (std::uint64_t position = 0; position < call.inputs.size(); ++position) {
    const auto& input = call.inputs[position];
    for (std::size_t at = 0; at < input.bytes; at += whole) {
      std::uint64_t word = 0;
      std::memcpy(&word, input.at + at, std::min(whole, input.bytes - at));
      sum += folded_word(word, position, at / whole);
    }
  }
  std::memcpy(call.output, &sum, sizeof(sum));
}

}  // namespace

void run_on_host(const Kernel& kernel, const TaskCall& call) {
  if (kernel.kind == Kernel::Kind::product) product(kernel, call);
  if (kernel.kind == Kernel::Kind::checksum) checksum(call);
}

std::string host_kernel_library() {
#if defined(DAMOCLES_HAS_OPENBLAS)
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  const std::string all = openblas_get_config();
  return all.substr(0, all.find(' ', all.find(' ') + 1));
#else
  return fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                     EIGEN_MINOR_VERSION);
#endif
}

}  // namespace damocles
