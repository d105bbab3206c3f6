#pragma once

#include <cublas_v2.h>

#include <memory>
#include <type_traits>

#include "gpu/cuda/handles.hpp"
#include "gpu/kernel.hpp"

namespace damocles::cuda {

/// Products of row-major tiles by cuBLAS on one stream, with a workspace of its own.
class Product {
 public:
  /// @param stream           of the calling thread's current GPU
  /// @param multiprocessors  that the stream may use, for cuBLAS's choice of a kernel; 0: all
  Product(cudaStream_t stream, unsigned multiprocessors);

  /// Queues output = x y, or += where call.accumulate, of a kernel of Kind::product.
  ///
  /// fp32 is IEEE single precision, fp64 double: cuBLAS rounds inputs to less (TF32, BF16x9) only
  /// where it is asked to.
  /// Relative error as of any summation order: k epsilon |x| |y|.
  void start(const Kernel& kernel, const TaskCall& call);

  /// Runs the products of this shape once, on memory of its own, and waits: cuBLAS loads a kernel
  /// when it is used first. Before start_clock().
  /// @throws InvalidInput if the shape is none that cuBLAS takes
  void warm_up(const Kernel& kernel);

 private:
  using Handle = std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, Destroy<cublasDestroy>>;

  cudaStream_t stream_;
  DeviceMemory workspace_;  // outlives the handle
  Handle handle_;
};

}  // namespace damocles::cuda
