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
// device where there is no GPU; what a GPU does, and how fast, it cannot tell. Told how fast it is
// to be, it shows where the host lets a GPU wait.
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
  /// Of products on all multiprocessors [flop/s], and of the copies of a direction [B/s]. 0: they
  /// take what they take on the host.
  double flops_per_s = 0;
  double bytes_per_s = 0;
  double heard_after_s = 0;  ///< how late the host hears that an event was reached

  [[nodiscard]] bool is_timed() const { return flops_per_s > 0 || bytes_per_s > 0; }
};
/// At first of the rates in DAMOCLES_FAKE_FLOPS_PER_S and DAMOCLES_FAKE_BYTES_PER_S and as late as
/// DAMOCLES_FAKE_HEARD_AFTER_S says, if they are there.
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
///
/// Of a timed kind a stream has a time of its own: work begins when it was queued or where the work
/// before it ends, whichever is later, however late the thread wakes; so on a small and busy host
/// too intervals are those of the rates, and only what was queued late is late.
class Stream {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Moves its begin on to its end.
  using Work = std::function<void(Time& at)>;

  Stream(int gpu, unsigned multiprocessors_first, unsigned multiprocessors, bool green = false);
  ~Stream();

  void queue(Work work);
  void wait();

  const int gpu;
  const unsigned first;            // number of the first multiprocessor
  const unsigned multiprocessors;  // how many it has
  const bool green;                // of a green context

 private:
  void work_off();

  std::mutex mutex_;
  std::condition_variable changed_;
  struct Queued {
    Work work;
    Time since;
  };
  std::deque<Queued> queue_;
  Time until_{};  // the work before, done
  bool busy_ = false;
  bool over_ = false;
  std::thread thread_;
};

/// Work goes on for so long: nobody sees its end sooner.
void take(Stream::Time& at, double seconds);

constexpr unsigned multiprocessors_of_gpu = 132;

cudaStream_t handle_of(Stream* stream);
Stream& stream_of(cudaStream_t handle);

/// Where `bytes` at `at` lie, if they lie in one allocation.
enum class Place { nowhere, host, gpu };
Place place_of(const void* at, std::size_t bytes);
/// The error that a kernel's fault leaves behind for all later calls, or success.
std::atomic<cudaError_t>& fault();

}  // namespace damocles::fake
