#include "tests/bench/out_of_core/cublas_xt.hpp"

#include <cublasXt.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <type_traits>

#include "gpu/cuda/check.hpp"
#include "gpu/cuda/handles.hpp"

namespace damocles {
namespace {

using cuda::check;

struct DestroyXt {
  void operator()(cublasXtHandle_t handle) const noexcept { (void)cublasXtDestroy(handle); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<cublasXtHandle_t>, DestroyXt>;

Handle make_handle(int block) {
  cublasXtHandle_t handle = nullptr;
  check(cublasXtCreate(&handle), "making a cublasXt handle");
  Handle owner(handle);
  std::array<int, 1> gpus{0};
  check(cublasXtDeviceSelect(handle, 1, gpus.data()), "choosing the GPU of cublasXt");
  check(cublasXtSetPinningMemMode(handle, CUBLASXT_PINNING_DISABLED), "setting up cublasXt");
  check(cublasXtSetBlockDim(handle, block), "setting the block size of cublasXt");
  return owner;
}

cublasStatus_t gemm(cublasXtHandle_t handle, std::size_t m, std::size_t n, std::size_t k,
                    const float* a, std::size_t lda, const float* b, std::size_t ldb, float* c) {
  const float one = 1;
  const float zero = 0;
  return cublasXtSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, lda, b, ldb, &zero, c,
                       m);
}
cublasStatus_t gemm(cublasXtHandle_t handle, std::size_t m, std::size_t n, std::size_t k,
                    const double* a, std::size_t lda, const double* b, std::size_t ldb, double* c) {
  const double one = 1;
  const double zero = 0;
  return cublasXtDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, lda, b, ldb, &zero, c,
                       m);
}

/// The first `rows` x `columns` of C. cuBLAS reads columns, so the row-major C = A B is to it
/// C^T = B^T A^T at the same addresses; a smaller C has its own leading dimension.
template <class Real>
void multiply(cublasXtHandle_t handle, PlainProduct& product, std::size_t rows,
              std::size_t columns) {
  check(gemm(handle, columns, rows, product.inner(), reinterpret_cast<const Real*>(product.b()),
             product.columns(), reinterpret_cast<const Real*>(product.a()), product.inner(),
             reinterpret_cast<Real*>(product.c())),
        "multiplying by cublasXt");
}

void multiply(cublasXtHandle_t handle, PlainProduct& product, std::size_t rows,
              std::size_t columns) {
  element_bytes(product.precision()) == 4 ? multiply<float>(handle, product, rows, columns)
                                          : multiply<double>(handle, product, rows, columns);
}

std::uint64_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  return free;
}

/// All memory of the GPU but `left_bytes`, until the end of the scope.
class TakenMemory {
 public:
  explicit TakenMemory(std::uint64_t left_bytes) {
    // What is free and what can be had differ a little: as much as can be had, by halves.
    std::uint64_t piece = free_bytes();
    while (piece >= smallest_piece) {
      const std::uint64_t free = free_bytes();
      if (free <= left_bytes) return;
      piece = std::min(piece, free - left_bytes);
      void* at = nullptr;
      const cudaError_t status = cudaMalloc(&at, piece);
      if (status == cudaSuccess) {
        taken_.emplace_back(at);
        continue;
      }
      if (status != cudaErrorMemoryAllocation) check(status, "taking memory from cublasXt");
      (void)cudaGetLastError();
      piece /= 2;
    }
  }

 private:
  static constexpr std::uint64_t smallest_piece = std::uint64_t{2} << 20U;

  std::vector<cuda::DeviceMemory> taken_;
};

}  // namespace

PeerRun multiply_by_cublas_xt(PlainProduct& product, int block, std::uint64_t memory_bytes) {
  PeerRun result{.block = block};
  try {
    check(cudaSetDevice(0), "choosing the GPU");
    // Its blocks are so small that they take no memory worth mentioning.
    constexpr int small = 256;
    multiply(make_handle(small).get(), product, std::min<std::size_t>(small, product.rows()),
             std::min<std::size_t>(small, product.columns()));
    const Handle handle = make_handle(block);
    const auto block_side = static_cast<std::size_t>(block);
    const TakenMemory taken(memory_bytes);
    result.memory_bytes = free_bytes();
    multiply(handle.get(), product, std::min<std::size_t>(block_side, product.rows()),
             product.columns());
    product.poison();
    const auto start = std::chrono::steady_clock::now();
    multiply(handle.get(), product, product.rows(), product.columns());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    result.seconds = took.count();
  } catch (const DeviceError& error) {
    result.failure = error.what();
  }
  return result;
}

}  // namespace damocles
