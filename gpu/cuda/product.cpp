#include "gpu/cuda/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "models/error.hpp"

namespace damocles::cuda {
namespace {

// cuBLAS's own recommendation, in the table at cublasSetWorkspace(): 32 MiB on Hopper and later,
// 4 MiB before.
std::size_t workspace_bytes() {
  int gpu = 0;
  int major = 0;
  check(cudaGetDevice(&gpu), "asking for the current GPU");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu),
        "asking for the compute capability");
  return std::size_t{major >= 9 ? 32U : 4U} << 20U;
}

cublasStatus_t gemm(cublasHandle_t handle, int rows, int columns, int inner, double alpha,
                    const double* a, const double* b, double beta, double* c) {
  return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, inner, &alpha, a, rows, b,
                     inner, &beta, c, rows);
}

cublasStatus_t gemm(cublasHandle_t handle, int rows, int columns, int inner, float alpha,
                    const float* a, const float* b, float beta, float* c) {
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, inner, &alpha, a, rows, b,
                     inner, &beta, c, rows);
}

// Tensor cores: sums in fp32, results in what is kept.
cublasStatus_t mixed_gemm(cublasHandle_t handle, Precision precision, int rows, int columns,
                          int inner, const void* a, const void* b, bool accumulate, void* c) {
  const float one = 1;
  const float beta = accumulate ? 1 : 0;
  const cudaDataType type = precision == Precision::tf32   ? CUDA_R_32F
                            : precision == Precision::bf16 ? CUDA_R_16BF
                                                           : CUDA_R_16F;
  const cublasComputeType_t compute =
      precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, inner, &one, a, type, rows,
                      b, type, inner, &beta, c, type, rows, compute, CUBLAS_GEMM_DEFAULT);
}

// cuBLAS reads columns: to it the row-major C (m x n) = X (m x k) Y (k x n) is the transposed
// C^T (n x m) = Y^T (n x k) X^T (k x m), the same numbers at the same addresses.
template <class Real>
cublasStatus_t multiply(cublasHandle_t handle, const Kernel& kernel, const TaskCall& call) {
  return gemm(handle, static_cast<int>(kernel.n), static_cast<int>(kernel.m),
              static_cast<int>(kernel.k), Real{1}, reinterpret_cast<const Real*>(call.inputs[1].at),
              reinterpret_cast<const Real*>(call.inputs[0].at), call.accumulate ? Real{1} : Real{0},
              reinterpret_cast<Real*>(call.output));
}

/// Waits at the end of its life, also where an error ends it, for what was queued on a stream.
struct Drained {
  cudaStream_t stream;
  explicit Drained(cudaStream_t of) : stream(of) {}
  ~Drained() { (void)cudaStreamSynchronize(stream); }
  Drained(const Drained&) = delete;
  Drained& operator=(const Drained&) = delete;
};

cublasStatus_t multiply_mixed(cublasHandle_t handle, const Kernel& kernel, const TaskCall& call) {
  return mixed_gemm(handle, kernel.precision, static_cast<int>(kernel.n),
                    static_cast<int>(kernel.m), static_cast<int>(kernel.k), call.inputs[1].at,
                    call.inputs[0].at, call.accumulate, call.output);
}

}  // namespace

Product::Product(cudaStream_t stream, unsigned multiprocessors) : stream_(stream) {
  const std::size_t bytes = workspace_bytes();
  workspace_ = make_memory(bytes, "allocating cuBLAS's workspace");
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "making a cuBLAS handle");
  handle_.reset(handle);
  // In this order: setting the stream puts the handle back to cuBLAS's own workspace.
  check(cublasSetStream(handle, stream), "giving cuBLAS its stream");
  check(cublasSetWorkspace(handle, workspace_.get(), bytes), "giving cuBLAS its workspace");
  check(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST), "setting up cuBLAS");
  // Not CUBLAS_PEDANTIC_MATH: it also forgoes the fp64 tensor cores, which are IEEE double, and
  // half the peak with them. The default mode never rounds fp32 inputs to TF32. Sums of 16-bit
  // numbers that are split among blocks stay fp32.
  check(cublasSetMathMode(
            handle, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                              CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
        "setting up cuBLAS");
  if (multiprocessors != 0) {
    check(cublasSetSmCountTarget(handle, static_cast<int>(multiprocessors)),
          "telling cuBLAS its share of multiprocessors");
  }
}

void Product::start(const Kernel& kernel, const TaskCall& call) {
  assert(call.inputs.size() >= 2);
  const cublasStatus_t status =
      is_mixed(kernel.precision)            ? multiply_mixed(handle_.get(), kernel, call)
      : kernel.precision == Precision::fp32 ? multiply<float>(handle_.get(), kernel, call)
                                            : multiply<double>(handle_.get(), kernel, call);
  check(status, "starting a matrix product");
}

void Product::warm_up(const Kernel& kernel) {
  if (std::min({kernel.m, kernel.n, kernel.k}) == 0 ||
      std::max({kernel.m, kernel.n, kernel.k}) > std::size_t{std::numeric_limits<int>::max()}) {
    throw InvalidInput(fmt::format(
        "cuBLAS cannot multiply {} x {} by {} x {}; every extent must lie in 1 .. 2^31 - 1",
        kernel.m, kernel.k, kernel.k, kernel.n));
  }
  const std::size_t element = element_bytes(kernel.precision);
  const std::size_t x = kernel.m * kernel.k * element;
  const std::size_t y = kernel.k * kernel.n * element;
  const std::size_t c = kernel.m * kernel.n * element;
  const DeviceMemory at[] = {make_memory(x, "allocating for a first product"),
                             make_memory(y, "allocating for a first product"),
                             make_memory(c, "allocating for a first product")};
  const Drained before_they_go{stream_};
  check(cudaMemsetAsync(at[0].get(), 0, x, stream_), "preparing a first product");
  check(cudaMemsetAsync(at[1].get(), 0, y, stream_), "preparing a first product");
  TaskCall call;
  call.inputs = {{static_cast<const std::byte*>(at[0].get()), x},
                 {static_cast<const std::byte*>(at[1].get()), y}};
  call.output = static_cast<std::byte*>(at[2].get());
  for (const bool accumulate : {false, true}) {
    call.accumulate = accumulate;
    start(kernel, call);
  }
  check(cudaStreamSynchronize(stream_), "running a first product");
}

}  // namespace damocles::cuda
