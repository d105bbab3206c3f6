// Runs the parallel loop: by OpenMP where its module was built, else by threads of our own.
#include "models/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "models/modules.hpp"
#include "models/shared_loop.hpp"
#include "models/stop.hpp"

namespace damocles {
namespace {

/// What stops the loops of this thread.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): one for each caller
thread_local const std::atomic<bool>* stops = nullptr;

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): one for each caller
thread_local bool starts_no_threads = false;

/// Whether a call of a loop is being made.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): one for each thread
thread_local bool inside_a_loop = false;

/// Makes the calls of a loop until one of them throws. No exception leaves it before the end.
class Calls {
 public:
  explicit Calls(const std::function<void(std::uint64_t)>& body) : body_(body) {}

  void make(std::uint64_t index) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return;
    const bool before = std::exchange(inside_a_loop, true);
    try {
      body_(index);
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
    inside_a_loop = before;
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

using ShareLoop = void(const SharedLoop&);
const ModuleFunction openmp{"openmp", "damocles_share_loop", &damocles_share_loop};

/// Null where there is none: the module was not built, or OpenMP's library is not installed.
ShareLoop* find_openmp() {
  if (!openmp.exists()) return nullptr;
  // Threads that wait for the next loop would do so at full speed, which took three quarters of the
  // time of short executions. The library reads it when it is opened.
  (void)setenv("OMP_WAIT_POLICY", "passive", 0);  // NOLINT(concurrency-mt-unsafe): once
  try {
    return openmp.get();
  } catch (const InvalidInput&) {
    return nullptr;
  }
}

void share_by_own_threads(const SharedLoop& loop) {
  const std::uint64_t most =
      loop.threads > 0 ? loop.threads : std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t threads = std::min({loop.count, most, most_loop_threads});
  std::atomic<std::uint64_t> next{0};
  const auto run = [&] {
    for (auto index = next++; index < loop.count; index = next++) loop.make(loop.calls, index);
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

void run_loop(std::uint64_t count, const std::function<void(std::uint64_t)>& body,
              std::uint64_t threads) {
  if (count < 2 || threads == 1 || starts_no_threads || inside_a_loop) {
    for (std::uint64_t index = 0; index < count; ++index) body(index);
    return;
  }
  Calls calls(body);
  const auto make = [](void* all, std::uint64_t index) noexcept {
    static_cast<Calls*>(all)->make(index);
  };
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a function
  static ShareLoop* const by_openmp = find_openmp();
  (by_openmp != nullptr ? by_openmp : share_by_own_threads)({count, threads, make, &calls});
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
