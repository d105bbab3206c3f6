#include "gpu/cuda/engine.hpp"

#include <thread>

namespace damocles::cuda {
namespace {

// More than the executor keeps on an engine: two tasks or loads, and the results of tasks that end
// together. Should it not be enough, take() makes more, which waits for nothing on the GPU.
constexpr std::size_t spans = 64;

double seconds_between(cudaEvent_t begin, cudaEvent_t end) {
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin, end), "reading the time between two events");
  return static_cast<double>(ms) * 1e-3;
}

}  // namespace

Engine::Engine(int gpu, Stream stream, std::chrono::microseconds patience, double anchor_reach_s)
    : gpu_(gpu),
      stream_(std::move(stream)),
      patience_(patience),
      anchor_reach_s_(anchor_reach_s),
      anchor_(make_event()) {
  idle_.reserve(spans);
  for (std::size_t i = 0; i < spans; ++i) idle_.push_back({make_time(), make_event()});
}

Engine::Span Engine::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Span span = std::move(idle_.back());
      idle_.pop_back();
      return span;
    }
  }
  return {make_time(), make_event()};
}

void Engine::give_back(Span span) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(span));
}

void Engine::fly(Span span) {
  {
    const std::lock_guard lock(mutex_);
    flying_.push_back(std::move(span));
  }
  started_.notify_one();
}

cudaError_t Engine::wait_for(cudaEvent_t end) const {
  const auto until = std::chrono::steady_clock::now() + patience_;
  cudaError_t status = cudaEventQuery(end);
  const bool waits = status == cudaErrorNotReady;
  while (status == cudaErrorNotReady && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();  // engines that ask without a pause hold up those who queue work
    status = cudaEventQuery(end);
  }
  if (waits) (void)cudaGetLastError();  // "not ready" is no error, yet it is kept as the last one
  return status == cudaErrorNotReady ? cudaEventSynchronize(end) : status;
}

Interval Engine::finish(const char* doing) {
  cudaEvent_t end = nullptr;
  {
    std::unique_lock lock(mutex_);
    started_.wait(lock, [this] { return cancelled_ || !flying_.empty(); });
    if (flying_.empty()) return {};
    end = flying_.front().end.get();
  }
  // Not under the lock: the next work is queued meanwhile.
  check(cudaSetDevice(gpu_), "choosing the GPU");
  const cudaError_t status = wait_for(end);
  std::unique_lock lock(mutex_);
  Span span = std::move(flying_.front());
  flying_.pop_front();
  const bool cancelled = cancelled_;
  lock.unlock();
  Interval ran;
  if (!cancelled) {
    check(status, doing);
    check(cudaGetLastError(), doing);
    ran = times(span);
  }
  give_back(std::move(span));
  return ran;
}

Interval Engine::times(Span& span) {
  Interval ran;
  ran.begin_s = anchor_s_ + seconds_between(anchor_.get(), span.begin.get());
  ran.end_s = ran.begin_s + seconds_between(span.begin.get(), span.end.get());
  if (ran.end_s - anchor_s_ > anchor_reach_s_) {
    // This end lies before the begin of all later work of the stream.
    std::swap(anchor_, span.end);
    anchor_s_ = ran.end_s;
  }
  return ran;
}

void Engine::start_clock(cudaEvent_t base, double base_s) {
  check(cudaSetDevice(gpu_), "choosing the GPU");
  check(cudaEventRecord(anchor_.get(), stream()), "starting the clock");
  check(cudaEventSynchronize(anchor_.get()), "starting the clock");
  const std::lock_guard lock(mutex_);
  // A run that failed may have left work that nobody finished; the stream is empty now.
  for (Span& left : flying_) idle_.push_back(std::move(left));
  flying_.clear();
  cancelled_ = false;
  anchor_s_ = base_s + seconds_between(base, anchor_.get());
}

void Engine::set_clock_back(double by_s) {
  const std::lock_guard lock(mutex_);
  anchor_s_ -= by_s;
}

void Engine::cancel() noexcept {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  started_.notify_all();
}

void Engine::drain() noexcept {
  (void)cudaSetDevice(gpu_);
  (void)cudaStreamSynchronize(stream());
}

}  // namespace damocles::cuda
