#include "experiments/python/only_command.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>

#include "experiments/python/python_lock.hpp"

namespace damocles {
namespace {

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): of the process
std::timed_mutex turn;
std::atomic<std::thread::id> whose_turn{};
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void give_turn_back() {
  whose_turn.store({});
  turn.unlock();
}

/// In a child of fork() the thread that had its turn is not there.
void take_turn_from_others() {
  if (whose_turn.load() == std::this_thread::get_id()) return;
  whose_turn.store({});
  new (&turn) std::timed_mutex;
}

}  // namespace

OnlyCommand::OnlyCommand() {
  [[maybe_unused]] static const int told = pthread_atfork(nullptr, nullptr, take_turn_from_others);
  constexpr std::chrono::milliseconds between{50};
  if (whose_turn.load() == std::this_thread::get_id()) {
    throw std::runtime_error(
        "a command of damocles is running in this thread, and calls this; ask when it has ended");
  }
  while (!turn.try_lock()) {
    if (work_is_to_end()) throw pybind11::error_already_set();
    const WithoutLock others_may_run;
    if (turn.try_lock_for(between)) break;
  }
  whose_turn.store(std::this_thread::get_id());
  if (!work_is_to_end()) return;  // where Python ends from now on, its end waits for this turn
  give_turn_back();
  throw pybind11::error_already_set();
}

OnlyCommand::~OnlyCommand() { give_turn_back(); }

bool OnlyCommand::runs() { return whose_turn.load() != std::thread::id{}; }

}  // namespace damocles
