#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

// CUDA, cuBLAS and the driver on host threads, as far as gpu/cuda/ uses them: what the headers say
// of order, errors and handles, and numbers that are right. For testing the host's side of the
// device where there is no GPU; what a GPU does, and how fast, it cannot tell.
namespace damocles::fake {

/// A number of GPUs, until it is set otherwise; 1 at first.
void set_gpus(int count);
/// Whether there is a driver, new enough; at first there is.
void set_driver(bool has);
/// Whether the driver knows green contexts; at first it does.
void set_green_contexts(bool has);
[[nodiscard]] bool has_green_contexts();

/// Works off what is queued, in order, on a thread of its own.
class Stream {
 public:
  Stream(int gpu, unsigned multiprocessors_first, unsigned multiprocessors);
  ~Stream();

  void queue(std::function<void()> work);
  void wait();

  const int gpu;
  const unsigned first;            // number of the first multiprocessor
  const unsigned multiprocessors;  // how many it has

 private:
  void work_off();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false;
  bool over_ = false;
  std::thread thread_;
};

constexpr unsigned multiprocessors_of_gpu = 132;

cudaStream_t handle_of(Stream* stream);
Stream& stream_of(cudaStream_t handle);

/// Whether `bytes` at `at` lie in one allocation.
bool allocated(const void* at, std::size_t bytes);
/// The error that a kernel's fault leaves behind for all later calls, or success.
std::atomic<cudaError_t>& fault();

}  // namespace damocles::fake
