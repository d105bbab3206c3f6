// Lets Python's signals, and its end, end what runs in C++: ctrl-C in a notebook or a script.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <utility>

#include "experiments/python/python_lock.hpp"
#include "models/parallel.hpp"
#include "sim/run_share.hpp"

namespace damocles {

/// Calls work(check) on a thread of its own, without Python's lock, and waits for it. When Python
/// has a signal whose handler raises, as ctrl-C does, `check` throws in the work, no call of a loop
/// begins, and the handler's exception is thrown here. The work must not touch Python. Meanwhile
/// `look` is called here, with the lock, and may throw as a handler does.
template <typename Work, typename Look>
auto interruptible(Work work, Look look) {
  namespace py = pybind11;
  constexpr std::chrono::milliseconds between{50};
  std::atomic<bool> stop{false};
  const StopCheck check = [&] {
    if (stop.load(std::memory_order_relaxed)) throw LoopStopped();
  };
  const auto raised_by = [&]() -> std::exception_ptr {
    try {
      if (work_is_to_end()) throw py::error_already_set();
      look();
      return {};
    } catch (...) {
      return std::current_exception();
    }
  };
  std::exception_ptr raised;
  WithoutLock others_may_run;
  auto result = std::async(std::launch::async, [&] {
    const StoppableLoops loops(stop);
    const RunShare share(&check);
    return work(check);
  });
  while (!stop.load() && result.wait_for(between) != std::future_status::ready) {
    raised = others_may_run.with_lock(raised_by);
    if (raised) stop.store(true);
  }
  result.wait();
  if (raised) std::rethrow_exception(raised);
  return result.get();
}

template <typename Work>
auto interruptible(Work work) {
  return interruptible(std::move(work), [] {});
}

/// What work that runs with Python's lock calls often: it looks for signals now and then, throws
/// what their handlers raise, and lets Python's other threads run.
inline StopCheck signal_check() {
  constexpr unsigned between = 256;  // calls: less than a millisecond
  return [calls = 0U]() mutable {
    if (++calls % between != 0) return;
    { const WithoutLock others_may_run; }
    if (work_is_to_end()) throw pybind11::error_already_set();
  };
}

/// Calls work(check) here, with Python's lock: for work that calls Python. No other thread takes
/// part. `check` is signal_check().
template <typename Work>
auto on_this_thread(Work work) {
  const StopCheck check = signal_check();
  const LoopsOnThisThread loops;
  const RunShare share(&check);
  return work(check);
}

}  // namespace damocles
