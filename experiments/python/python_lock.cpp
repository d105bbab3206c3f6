#include "experiments/python/python_lock.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "experiments/python/only_command.hpp"

namespace damocles {
namespace {

enum class PythonPhase { runs, ends, ended };

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): Python is one, and ends once
std::atomic<PythonPhase> phase{PythonPhase::runs};
std::atomic<std::thread::id> ending_thread{};
std::atomic<int> taking_back{0};  // threads that ask for the lock, or have just got it
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

bool has_come_to(PythonPhase one) {
  return phase.load() >= one && std::this_thread::get_id() != ending_thread.load();
}

}  // namespace

void WithoutLock::take_back() {
  ++taking_back;
  if (has_come_to(PythonPhase::ended)) {
    --taking_back;
    while (true) (void)pause();
  }
  PyEval_RestoreThread(state_);
  --taking_back;
}

bool work_is_to_end() {
  if (has_come_to(PythonPhase::ends)) {
    PyErr_SetNone(PyExc_SystemExit);  // ends a thread without a word
    return true;
  }
  return PyErr_CheckSignals() != 0;
}

void end_other_threads() {
  constexpr std::chrono::milliseconds between{2};
  constexpr std::chrono::seconds patience{30};
  ending_thread.store(std::this_thread::get_id());
  phase.store(PythonPhase::ends);
  const WithoutLock others_may_run;
  const auto last = std::chrono::steady_clock::now() + patience;
  while (OnlyCommand::runs() && std::chrono::steady_clock::now() < last) {
    std::this_thread::sleep_for(between);
  }
  phase.store(PythonPhase::ended);
  while (taking_back.load() > 0) std::this_thread::sleep_for(between);
}

}  // namespace damocles
