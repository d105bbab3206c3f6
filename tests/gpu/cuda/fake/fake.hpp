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

/// What a GPU and its driver may do otherwise than the best.
struct Kind {
  bool has_green_contexts = true;
  unsigned groups = 16;             ///< of 8 multiprocessors that are scheduled together
  bool splits_in_pairs = true;      ///< where that is ignored
  int contexts = 1000;              ///< green ones, before there is no more memory for them
  bool times_green_streams = true;  ///< an event of theirs can be set against another's
  bool multiplies_on_green = true;  ///< cuBLAS takes their streams
  bool copies_take_turns = true;    ///< a GPU has one engine for all copies of a direction
  std::size_t pinnable_bytes = ~std::size_t{0};
  bool registers_memory = true;  ///< pins memory that it did not allocate
};
Kind& kind();

/// A fake of that kind for as long as this lives.
class Being {
 public:
  explicit Being(const Kind& other) { kind() = other; }
  ~Being() { kind() = {}; }
  Being(const Being&) = delete;
  Being& operator=(const Being&) = delete;
};

/// Works off what is queued, in order, on a thread of its own.
class Stream {
 public:
  Stream(int gpu, unsigned multiprocessors_first, unsigned multiprocessors, bool green = false);
  ~Stream();

  void queue(std::function<void()> work);
  void wait();

  const int gpu;
  const unsigned first;            // number of the first multiprocessor
  const unsigned multiprocessors;  // how many it has
  const bool green;                // of a green context

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

/// Where `bytes` at `at` lie, if they lie in one allocation.
enum class Place { nowhere, host, gpu };
Place place_of(const void* at, std::size_t bytes);
/// The error that a kernel's fault leaves behind for all later calls, or success.
std::atomic<cudaError_t>& fault();

}  // namespace damocles::fake
