#include "gpu/starpu/watchdog.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

namespace damocles {
namespace {

[[noreturn]] void end_process(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::fflush(stderr);
  _exit(1);
}

}  // namespace

void Watchdog::watch() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds glance{20};
  std::uint64_t seen = 0;
  auto since = Clock::now();
  while (!over_) {
    std::this_thread::sleep_for(glance);
    if (StrategyPolicy* const policy = policy_) {
      if (const std::string failure = policy->failure(); !failure.empty()) end_process(failure);
    }
    const std::uint64_t ended = ended_;
    if (std::exchange(seen, ended) != ended) since = Clock::now();
    const std::chrono::duration<double> still = Clock::now() - since;
    if (ended == tasks_ || still.count() < standstill_s_) continue;
    end_process(fmt::format(
        "StarPU stood still for {} s after {} of {} tasks, as it may where memory holds few data items: "
        "give more memory, or wait longer",
        standstill_s_, ended, tasks_));
  }
}

}  // namespace damocles
