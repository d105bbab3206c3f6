// Python's lock, given away while C++ works or waits, also when Python ends meanwhile.
#pragma once

#include <pybind11/pybind11.h>

namespace damocles {

/// While one lives, this thread works without Python's lock. Where Python has ended meanwhile, as
/// it does around a daemon thread, the thread never goes on: Python would end it amid C++.
class WithoutLock {
 public:
  WithoutLock() : state_(PyEval_SaveThread()) {}
  ~WithoutLock() { take_back(); }
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;
  WithoutLock(WithoutLock&&) = delete;
  WithoutLock& operator=(WithoutLock&&) = delete;

  /// Calls ask() with the lock.
  template <typename Ask>
  auto with_lock(Ask ask) {
    take_back();
    const auto answer = ask();
    state_ = PyEval_SaveThread();
    return answer;
  }

 private:
  void take_back();

  PyThreadState* state_;
};

/// What ends the work of this thread, to be called with the lock: a signal whose handler raises, as
/// ctrl-C does, or the end of Python. True where a Python exception is set.
[[nodiscard]] bool work_is_to_end();

/// To be called when Python ends, with the lock: the other threads' commands end, those that do not
/// soon are left alone.
void end_other_threads();

}  // namespace damocles
