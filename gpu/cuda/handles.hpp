#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "gpu/cuda/check.hpp"

namespace damocles::cuda {

// What a failed GPU says when it is asked to give something back is of no use: the run has ended
// with that GPU's first error. So no deleter looks at its status.
template <auto destroy>
struct Destroy {
  template <class Handle>
  void operator()(Handle* handle) const noexcept {
    (void)destroy(handle);
  }
};

using Stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy<cudaStreamDestroy>>;
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy<cudaEventDestroy>>;
using DeviceMemory = std::unique_ptr<void, Destroy<cudaFree>>;

/// A stream of the current GPU that does not wait for the default stream.
inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  return Stream(stream);
}

/// An event with a time, whose waiters sleep: engines have a thread each, often more than the host
/// has cores.
inline Event make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventBlockingSync), "making an event");
  return Event(event);
}

/// An event with a time that nobody waits for: it interrupts nobody.
inline Event make_time() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDefault), "making an event");
  return Event(event);
}

/// Memory of the current GPU.
inline DeviceMemory make_memory(std::size_t bytes, const char* what) {
  void* at = nullptr;
  check_allocation(cudaMalloc(&at, bytes), bytes, what);
  return DeviceMemory(at);
}

}  // namespace damocles::cuda
