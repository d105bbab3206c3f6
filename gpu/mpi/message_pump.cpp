#include "gpu/mpi/message_pump.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "gpu/mpi/rank_messages.hpp"

namespace damocles {
namespace {

constexpr double between_signs_s = 1;

constexpr std::chrono::microseconds shortest_sleep{20};
constexpr std::chrono::microseconds longest_sleep{300};

}  // namespace

MessagePump::MessagePump(Ranks& ranks)
    : ranks_(ranks), sign_of_life_(MessageWriter({.verb = RankVerb::here}).take()) {}

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

bool MessagePump::take_arrived(const std::function<void(RankMessage)>& take) {
  bool moved = false;
  while (auto message = ranks_.receive()) {
    const auto from = heard_s_.find(message->rank);
    if (from != heard_s_.end()) from->second = clock_.now_s();
    if (message->text == sign_of_life_) continue;
    take(std::move(*message));
    moved = true;
  }
  return moved;
}

void MessagePump::look_at_clock(const Watch& watch) {
  const double now_s = clock_.now_s();
  if (now_s - told_s_ >= between_signs_s) {
    told_s_ = now_s;
    for (const auto& [rank, heard_s] : heard_s_) ranks_.send({rank, sign_of_life_});
  }
  for (auto one = heard_s_.begin(); one != heard_s_.end();) {
    const auto [rank, heard_s] = *one;
    const bool is_lost = now_s - heard_s >= watch.silence_s;
    one = is_lost ? heard_s_.erase(one) : std::next(one);
    if (is_lost) watch.lost(rank);
  }
}

void MessagePump::run(const std::function<void(RankMessage)>& take, const Watch& watch) {
  for (const int rank : watch.ranks) heard_s_[rank] = clock_.now_s();
  (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // by default Linux wakes it 50 us late
  auto sleep = shortest_sleep;
  while (true) {
    const bool sent = send_posted();
    const bool moved = take_arrived(take) || sent;
    look_at_clock(watch);
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
