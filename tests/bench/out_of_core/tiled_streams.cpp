#include "tests/bench/out_of_core/tiled_streams.hpp"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "gpu/cuda/check.hpp"
#include "gpu/cuda/handles.hpp"

namespace damocles {
namespace {

using cuda::check;

constexpr std::size_t workspace_bytes = std::size_t{32} << 20U;

using Handle =
    std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, cuda::Destroy<cublasDestroy_v2>>;

cublasStatus_t gemm(cublasHandle_t handle, int m, int n, int k, const float* a, const float* b,
                    float beta, float* c) {
  const float one = 1;
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &beta, c, m);
}
cublasStatus_t gemm(cublasHandle_t handle, int m, int n, int k, const double* a, const double* b,
                    double beta, double* c) {
  const double one = 1;
  return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &beta, c, m);
}

/// Numbers of 16 bits.
cublasStatus_t gemm16(cublasHandle_t handle, cudaDataType type, int m, int n, int k, const void* a,
                      const void* b, bool add, void* c) {
  const float one = 1;
  const float beta = add ? 1 : 0;
  return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, type, m, b, type, k,
                      &beta, c, type, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

/// A part of a matrix that is kept row by row, in numbers.
struct Part {
  std::size_t row;
  std::size_t column;
  std::size_t rows;
  std::size_t columns;
};

/// One stream with a tile of each matrix.
template <class Real>
class Lane {
 public:
  Lane(Precision precision, std::size_t tile)
      : precision_(precision),
        stream_(cuda::make_stream()),
        workspace_(cuda::make_memory(workspace_bytes, "allocating a workspace")),
        a_(room(tile)),
        b_(room(tile)),
        c_(room(tile)) {
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle), "making a cuBLAS handle");
    handle_.reset(handle);
    check(cublasSetStream(handle, stream_.get()), "giving cuBLAS its stream");
    check(cublasSetWorkspace(handle, workspace_.get(), workspace_bytes),
          "giving cuBLAS its workspace");
    check(cudaMemsetAsync(a_.get(), 0, tile * tile * sizeof(Real), stream_.get()), "clearing");
    check(cudaMemsetAsync(b_.get(), 0, tile * tile * sizeof(Real), stream_.get()), "clearing");
    multiply(tile, tile, tile, false);  // the first of a shape loads its kernel
    finish();
  }
  ~Lane() { (void)cudaStreamSynchronize(stream_.get()); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void load_a(const Real* from, std::size_t stride, const Part& part) {
    load(a_.get(), from, stride, part);
  }
  void load_b(const Real* from, std::size_t stride, const Part& part) {
    load(b_.get(), from, stride, part);
  }
  /// C (rows x columns) = or += A (rows x inner) B: to cuBLAS, which reads columns, C^T = B^T A^T.
  void multiply(std::size_t rows, std::size_t columns, std::size_t inner, bool add) {
    const auto m = static_cast<int>(columns);
    const auto n = static_cast<int>(rows);
    const auto k = static_cast<int>(inner);
    if constexpr (std::is_same_v<Real, std::uint16_t>) {
      const auto type = precision_ == Precision::bf16 ? CUDA_R_16BF : CUDA_R_16F;
      check(gemm16(handle_.get(), type, m, n, k, b_.get(), a_.get(), add, c_.get()),
            "multiplying tiles");
    } else {
      check(gemm(handle_.get(), m, n, k, static_cast<const Real*>(b_.get()),
                 static_cast<const Real*>(a_.get()), add ? Real{1} : Real{0},
                 static_cast<Real*>(c_.get())),
            "multiplying tiles");
    }
  }
  void store_c(Real* to, std::size_t stride, const Part& part) {
    check(cudaMemcpy2DAsync(to + part.row * stride + part.column, stride * sizeof(Real), c_.get(),
                            part.columns * sizeof(Real), part.columns * sizeof(Real), part.rows,
                            cudaMemcpyDeviceToHost, stream_.get()),
          "copying a tile out");
  }
  void finish() { check(cudaStreamSynchronize(stream_.get()), "multiplying tiles"); }

 private:
  static cuda::DeviceMemory room(std::size_t tile) {
    return cuda::make_memory(tile * tile * sizeof(Real), "allocating a tile");
  }
  void load(void* to, const Real* from, std::size_t stride, const Part& part) {
    check(cudaMemcpy2DAsync(to, part.columns * sizeof(Real), from + part.row * stride + part.column,
                            stride * sizeof(Real), part.columns * sizeof(Real), part.rows,
                            cudaMemcpyHostToDevice, stream_.get()),
          "copying a tile in");
  }

  Precision precision_;
  cuda::Stream stream_;
  cuda::DeviceMemory workspace_;
  cuda::DeviceMemory a_;
  cuda::DeviceMemory b_;
  cuda::DeviceMemory c_;
  Handle handle_;
};

/// Queues everything and waits for it. @return numbers loaded
template <class Real>
std::uint64_t multiply(PlainProduct& product, std::vector<std::unique_ptr<Lane<Real>>>& lanes,
                       std::size_t tile) {
  const auto* const a = reinterpret_cast<const Real*>(product.a());
  const auto* const b = reinterpret_cast<const Real*>(product.b());
  auto* const c = reinterpret_cast<Real*>(product.c());
  const std::size_t inner = product.inner();
  const std::size_t columns = product.columns();
  std::uint64_t loaded = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < product.rows(); i += tile) {
    const std::size_t height = std::min(tile, product.rows() - i);
    for (std::size_t j = 0; j < columns; j += tile) {
      const std::size_t width = std::min(tile, columns - j);
      Lane<Real>& lane = *lanes[next++ % lanes.size()];
      for (std::size_t l = 0; l < inner; l += tile) {
        const std::size_t depth = std::min(tile, inner - l);
        lane.load_a(a, inner, {i, l, height, depth});
        lane.load_b(b, columns, {l, j, depth, width});
        lane.multiply(height, width, depth, l > 0);
        loaded += (height + width) * depth;
      }
      lane.store_c(c, columns, {i, j, height, width});
    }
  }
  for (const auto& lane : lanes) lane->finish();
  return loaded;
}

template <class Real>
PeerRun run(PlainProduct& product, int streams, std::uint64_t memory_bytes) {
  PeerRun result{.streams = streams};
  const auto count = static_cast<std::size_t>(streams);
  const auto most = static_cast<std::size_t>(
      std::sqrt(static_cast<double>(memory_bytes / (3 * count * sizeof(Real)))));
  const std::size_t largest = std::max({product.rows(), product.columns(), product.inner()});
  constexpr std::size_t step = 128;  // cuBLAS is at its best
  const std::size_t tile = std::min(largest, most >= step ? most / step * step : most);
  result.block = static_cast<int>(tile);
  result.memory_bytes = 3 * count * tile * tile * sizeof(Real);
  if (tile == 0) {
    result.failure = "no tile fits";
    return result;
  }
  std::vector<std::unique_ptr<Lane<Real>>> lanes;
  for (int i = 0; i < streams; ++i)
    lanes.push_back(std::make_unique<Lane<Real>>(product.precision(), tile));
  product.poison();
  const auto start = std::chrono::steady_clock::now();
  result.loaded_bytes = multiply(product, lanes, tile) * sizeof(Real);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  result.seconds = took.count();
  return result;
}

}  // namespace

PeerRun multiply_by_tiled_streams(PlainProduct& product, int streams, std::uint64_t memory_bytes) {
  try {
    check(cudaSetDevice(0), "choosing the GPU");
    switch (element_bytes(product.precision())) {
      case 2:
        return run<std::uint16_t>(product, streams, memory_bytes);
      case 4:
        return run<float>(product, streams, memory_bytes);
      default:
        return run<double>(product, streams, memory_bytes);
    }
  } catch (const DeviceError& error) {
    PeerRun failed{.streams = streams};
    failed.failure = error.what();
    return failed;
  }
}

}  // namespace damocles
