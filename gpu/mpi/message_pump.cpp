#include "gpu/mpi/message_pump.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace damocles {
namespace {

constexpr std::chrono::microseconds shortest_sleep{20};
constexpr std::chrono::microseconds longest_sleep{300};

}  // namespace

void MessagePump::post(RankMessage message) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(message));
  }
  changed_.notify_one();
}

void MessagePump::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
}

bool MessagePump::send_posted() {
  std::vector<RankMessage> messages;
  {
    const std::lock_guard lock(mutex_);
    messages.swap(posted_);
  }
  for (RankMessage& message : messages) ranks_.send(std::move(message));
  return !messages.empty();
}

void MessagePump::run(const std::function<void(RankMessage)>& take) {
  (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // by default Linux wakes it 50 us late
  auto sleep = shortest_sleep;
  while (true) {
    bool moved = send_posted();
    while (auto message = ranks_.receive()) {
      take(std::move(*message));
      moved = true;
    }
    sleep = moved || ranks_.has_messages_under_way() ? shortest_sleep
                                                     : std::min(2 * sleep, longest_sleep);
    std::unique_lock lock(mutex_);
    if (stopping_ && posted_.empty()) return;
    // The system's clock: waits on the steady one are hidden from GCC 12's thread sanitizer.
    changed_.wait_until(lock, std::chrono::system_clock::now() + sleep,
                        [this] { return stopping_ || !posted_.empty(); });
  }
}

}  // namespace damocles
