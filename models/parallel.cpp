// Runs the parallel loop on threads of the C++ library.
#include "models/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <thread>
#include <vector>

#include "models/spec.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_threads = 4096;

/// Whether this thread makes calls of a loop.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): one for each thread
thread_local bool inside_a_loop = false;

/// What OMP_NUM_THREADS says, as users and batch systems set it; one for each core where it says
/// nothing sensible.
std::uint64_t available_threads() {
  const char* const text = std::getenv("OMP_NUM_THREADS");
  const std::string_view list = text == nullptr ? "" : text;  // of "4,2" the first counts
  const std::uint64_t asked = parse_integer(list.substr(0, list.find(','))).value_or(0);
  return asked > 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
}

/// Makes the calls of a loop until one of them throws. No exception leaves it before the end.
class Calls {
 public:
  Calls(std::uint64_t count, const std::function<void(std::uint64_t)>& body)
      : count_(count), body_(body) {}

  /// Makes calls, each of the next index, until none is left.
  void make() noexcept {
    inside_a_loop = true;
    try {
      for (auto index = next_++; index < count_ && !failed_; index = next_++) body_(index);
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
    inside_a_loop = false;
  }
  /// @pre all threads have stopped
  void throw_on() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::uint64_t count_;
  const std::function<void(std::uint64_t)>& body_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

}  // namespace

void in_parallel(std::uint64_t count, const std::function<void(std::uint64_t)>& body,
                 std::uint64_t threads) {
  if (threads == 0) threads = available_threads();
  threads = count < 2 || inside_a_loop ? 1 : std::min({count, threads, most_threads});
  if (threads < 2) {
    for (std::uint64_t index = 0; index < count; ++index) body(index);
    return;
  }
  Calls calls(count, body);
  std::vector<std::thread> others;
  others.reserve(threads - 1);
  try {
    while (others.size() + 1 < threads) others.emplace_back([&] { calls.make(); });
  } catch (const std::exception&) {  // a limit on processes or memory: fewer will do
  }
  calls.make();
  for (std::thread& other : others) other.join();
  calls.throw_on();
}

}  // namespace damocles
