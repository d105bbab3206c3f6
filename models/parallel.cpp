// Runs the parallel loop: by OpenMP where this file is compiled for it, else by threads of our own.
#include "models/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <utility>

#if defined(_OPENMP) && __has_include(<omp.h>)  // which clang-tidy may lack
#define DAMOCLES_OPENMP
#include <omp.h>
#include <pthread.h>

#include "models/startable_threads.hpp"
#else
#include <thread>
#include <vector>
#endif

#include "models/stop.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_threads = 4096;

/// What stops the loops of this thread.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): one for each caller
thread_local const std::atomic<bool>* stops = nullptr;

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): one for each caller
thread_local bool starts_no_threads = false;

/// Makes the calls of a loop until one of them throws. No exception leaves it before the end.
class Calls {
 public:
  explicit Calls(const std::function<void(std::uint64_t)>& body) : body_(body) {}

  void make(std::uint64_t index) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      body_(index);
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
  }
  /// @pre all threads have stopped
  void throw_on() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::function<void(std::uint64_t)>& body_;
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

#ifdef DAMOCLES_OPENMP

/// OpenMP keeps the threads of a loop for the next loop of the same caller. How many there are, the
/// caller among them: a loop of so many starts none.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): one for each caller
thread_local std::uint64_t pool = 1;

void end_pool() {
  if (omp_pause_resource_all(omp_pause_soft) == 0) pool = 1;
}

/// A child of fork() has the caller alone, and its next loop would wait for the others for ever. At
/// the end of the program, valgrind takes the stacks of threads that still wait for lost.
bool pool_ends_in_time() {
  return pthread_atfork(end_pool, nullptr, nullptr) == 0 && std::atexit(end_pool) == 0;
}

std::uint64_t available_threads() { return static_cast<std::uint64_t>(omp_get_max_threads()); }

bool inside_a_loop() { return omp_in_parallel() != 0; }

/// libgomp ends the program if it cannot start a thread, so what it is asked for is tried before.
std::uint64_t team(std::uint64_t count, std::uint64_t threads) {
  if (count <= pool) return std::min(pool, threads);  // a smaller team would end the others
  const std::uint64_t wanted = std::min(count, threads);
  return wanted <= pool ? wanted : 1 + startable_threads(wanted - 1);
}

void share(Calls& calls, std::uint64_t count, std::uint64_t threads) {
  [[maybe_unused]] static const bool registered = pool_ends_in_time();
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
#pragma omp master
    pool = static_cast<std::uint64_t>(omp_get_num_threads());  // or less: OMP_THREAD_LIMIT
#pragma omp for schedule(dynamic)
    for (std::uint64_t index = 0; index < count; ++index) calls.make(index);
  }
}

#else

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): one for each caller
thread_local bool inside = false;

std::uint64_t available_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

bool inside_a_loop() { return inside; }

std::uint64_t team(std::uint64_t count, std::uint64_t threads) { return std::min(count, threads); }

void share(Calls& calls, std::uint64_t count, std::uint64_t threads) {
  std::atomic<std::uint64_t> next{0};
  const auto run = [&] {
    inside = true;
    for (auto index = next++; index < count; index = next++) calls.make(index);
    inside = false;
  };
  std::vector<std::thread> others;
  others.reserve(threads - 1);
  try {
    while (others.size() + 1 < threads) others.emplace_back(run);
  } catch (const std::exception&) {  // a limit on processes or memory: fewer will do
  }
  run();
  for (std::thread& other : others) other.join();
}

#endif

void run_loop(std::uint64_t count, const std::function<void(std::uint64_t)>& body,
              std::uint64_t threads) {
  if (threads == 0) threads = available_threads();
  const bool alone = count < 2 || starts_no_threads || inside_a_loop();
  threads = alone ? 1 : team(count, std::min(threads, most_threads));
  if (threads < 2) {
    for (std::uint64_t index = 0; index < count; ++index) body(index);
    return;
  }
  Calls calls(body);
  share(calls, count, threads);
  calls.throw_on();
}

/// What stops the loops of the caller stops what a call of them does on another thread, too.
class StopsHere {
 public:
  explicit StopsHere(const std::atomic<bool>* asked) : before_(std::exchange(stops, asked)) {}
  ~StopsHere() { stops = before_; }
  StopsHere(const StopsHere&) = delete;
  StopsHere& operator=(const StopsHere&) = delete;
  StopsHere(StopsHere&&) = delete;
  StopsHere& operator=(StopsHere&&) = delete;

 private:
  const std::atomic<bool>* before_;
};

}  // namespace

LoopsOnThisThread::LoopsOnThisThread() { starts_no_threads = true; }
LoopsOnThisThread::~LoopsOnThisThread() { starts_no_threads = false; }

void stop_if_asked() {
  if (stops != nullptr && stops->load(std::memory_order_relaxed)) throw LoopStopped();
}

StoppableLoops::StoppableLoops(const std::atomic<bool>& asked) { stops = &asked; }
StoppableLoops::~StoppableLoops() { stops = nullptr; }

void in_parallel(std::uint64_t count, const std::function<void(std::uint64_t)>& body,
                 std::uint64_t threads) {
  if (stops == nullptr) return run_loop(count, body, threads);
  const auto stoppable = [&body, asked = stops](std::uint64_t index) {
    const StopsHere here(asked);
    stop_if_asked();
    body(index);
  };
  run_loop(count, stoppable, threads);
}

}  // namespace damocles
