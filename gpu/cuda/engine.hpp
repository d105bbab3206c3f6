#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/cuda/handles.hpp"

namespace damocles::cuda {

/// One engine of a processor: a stream, and for each piece of work on it two events that say when
/// it began and ended.
///
/// start() and finish() may be called by two threads at once, each by one thread at a time.
class Engine {
 public:
  /// Takes a stream of GPU `gpu`, the calling thread's current one.
  /// @param patience        how long finish() asks again and again before it sleeps: waking up may
  ///                        take longer than a small task. For hosts with a core for every engine
  /// @param anchor_reach_s  see times()
  Engine(int gpu, Stream stream, std::chrono::microseconds patience = {},
         double anchor_reach_s = 8);

  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

  /// Queues what `enqueue(stream)` puts on the stream, between two events, and returns.
  template <class Enqueue>
  void start(const Enqueue& enqueue) {
    check(cudaSetDevice(gpu_), "choosing the GPU");
    Span span = take();
    try {
      check(cudaEventRecord(span.begin.get(), stream()), "recording a begin");
      enqueue(stream());
      check(cudaEventRecord(span.end.get(), stream()), "recording an end");
    } catch (...) {
      give_back(std::move(span));
      throw;
    }
    fly(std::move(span));
  }

  /// Waits for the oldest work that was started and not finished (and for a start, where there is
  /// none), not for later work on the same stream.
  ///
  /// @return when it ran [s]; nothing of meaning after cancel()
  /// @throws DeviceError if this work or any before it failed; `doing` says what it was
  Interval finish(const char* doing);

  /// Begins afresh, also after cancel(), and sets the clock of this idle engine: the event `base`
  /// of the same GPU was reached at base_s.
  void start_clock(cudaEvent_t base, double base_s);
  /// Time 0 comes so much later than start_clock() was told.
  void set_clock_back(double by_s);

  /// Wakes a finish() that waits for a start; one that waits for the GPU returns with its work.
  void cancel() noexcept;
  /// Waits until the stream is empty, whether it failed or not.
  void drain() noexcept;

 private:
  struct Span {
    Event begin;
    Event end;
  };

  [[nodiscard]] cudaError_t wait_for(cudaEvent_t end) const;

  Span take();
  void give_back(Span span);
  void fly(Span span);
  /// When the span ran [s], from the time since the anchor, which follows the run.
  ///
  /// cudaEventElapsedTime() answers in a float of milliseconds: 24 bits, which at 8 s are as coarse
  /// as the events themselves (0.5 to 1 us), and coarser later. Each move of the anchor adds at
  /// most that error: 0.1 ms in the worst case after 1000 s.
  Interval times(Span& span);

  int gpu_;
  Stream stream_;
  std::chrono::microseconds patience_;
  double anchor_reach_s_;

  std::mutex mutex_;
  std::condition_variable started_;
  std::vector<Span> idle_;
  std::deque<Span> flying_;  // oldest first
  bool cancelled_ = false;

  // Only finish() uses these two once the clock runs.
  Event anchor_;         // reached at anchor_s_, not long ago
  double anchor_s_ = 0;  // [s]
};

}  // namespace damocles::cuda
