#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "gpu/device.hpp"

namespace damocles {

/// What is made of the CUDA GPUs of this machine.
struct CudaOptions {
  /// 0: as many as `multiprocessors` names, or one a GPU.
  std::size_t processors = 0;
  /// Streaming multiprocessors (SMs) of each processor, shape (processors), as {8, 16, 32, 64};
  /// empty: equal shares. A GPU gives them in groups (of 8 on sm_90).
  std::vector<unsigned> multiprocessors{};
  /// Threads of the host that compute meanwhile: whoever waits for a GPU leaves them their cores.
  std::size_t threads_beside = 0;
};

/// Whether the module of the device was built.
[[nodiscard]] bool cuda_was_built();

/// The GPUs that the CUDA driver shows, as processors. Processor i is on GPU i mod (number of
/// GPUs); processors that share one get multiprocessors of their own (green contexts), see
/// gpu/cuda/README.md.
///
/// Sets CUDA_DEVICE_MAX_CONNECTIONS in the environment where it is not set.
/// @throws InvalidInput if that module was not built, or if the shares cannot be had
/// @throws DeviceError if there is no GPU, or it fails
[[nodiscard]] std::unique_ptr<Device> make_cuda_device(const CudaOptions& options);

}  // namespace damocles
