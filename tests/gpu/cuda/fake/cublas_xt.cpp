#include <cublasXt.h>

#include "tests/gpu/cuda/fake/fake.hpp"

// cublasXt by loops, on the host memory it is given.

struct cublasXtContext {
  int block = 2048;
};

namespace {

template <class Real>
cublasStatus_t multiply(cublasXtHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                        size_t m, size_t n, size_t k, Real alpha, const Real* a, size_t lda,
                        const Real* b, size_t ldb, Real beta, Real* c, size_t ldc) {
  if (of_a != CUBLAS_OP_N || of_b != CUBLAS_OP_N || lda < m || ldb < k || ldc < m) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  // Buffers for a block of each matrix, as far as the GPU's memory goes.
  const auto block = static_cast<size_t>(handle->block);
  void* buffers = nullptr;
  if (cudaMalloc(&buffers, 3 * block * block * sizeof(Real)) != cudaSuccess) {
    (void)cudaGetLastError();
    return CUBLAS_STATUS_ALLOC_FAILED;
  }
  for (size_t column = 0; column < n; ++column) {
    for (size_t row = 0; row < m; ++row) {
      Real sum = 0;
      for (size_t l = 0; l < k; ++l) sum += a[row + l * lda] * b[l + column * ldb];
      Real& at = c[row + column * ldc];
      at = beta == 0 ? alpha * sum : alpha * sum + beta * at;
    }
  }
  return cudaFree(buffers) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR;
}

}  // namespace

extern "C" {

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
  *handle = new cublasXtContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t /*handle*/, int count, int gpus[]) {
  return count == 1 && gpus[0] == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t /*handle*/,
                                         cublasXtPinnedMemMode_t /*mode*/) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int block) {
  handle->block = block;
  return block > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasXtSgemm(cublasXtHandle_t handle, cublasOperation_t of_a,
                             cublasOperation_t of_b, size_t m, size_t n, size_t k,
                             const float* alpha, const float* a, size_t lda, const float* b,
                             size_t ldb, const float* beta, float* c, size_t ldc) {
  return multiply(handle, of_a, of_b, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}
cublasStatus_t cublasXtDgemm(cublasXtHandle_t handle, cublasOperation_t of_a,
                             cublasOperation_t of_b, size_t m, size_t n, size_t k,
                             const double* alpha, const double* a, size_t lda, const double* b,
                             size_t ldb, const double* beta, double* c, size_t ldc) {
  return multiply(handle, of_a, of_b, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}

}  // extern "C"
