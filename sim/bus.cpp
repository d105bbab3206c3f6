#include "sim/bus.hpp"

#include <algorithm>
#include <utility>

namespace damocles {
namespace {

ProcessorId key(Bus::Link link) { return ProcessorId{link}; }

}  // namespace

Bus::Bus(double bus_bytes_per_s, double latency_s, BusSharing sharing,
         std::vector<double> link_bytes_per_s)
    : bus_bytes_per_s_(bus_bytes_per_s),
      latency_s_(latency_s),
      sharing_(sharing),
      links_(link_bytes_per_s.size()),
      ends_(links_.size()),
      shares_(links_.size()),
      slow_(links_.size()),
      fast_(links_.size()) {
  for (std::size_t link = 0; link < links_.size(); ++link) {
    links_[link].bytes_per_s = link_bytes_per_s[link];
  }
}

void Bus::start(Link link, std::uint32_t tag, double bytes, double now, double wait_s) {
  settle(now);
  const Transfer transfer{asked_++, link, tag, bytes, wait_s};
  if (sharing_ == BusSharing::fifo && std::exchange(busy_, true)) {
    line_.push_back(transfer);
  } else {
    begin(transfer, now);
  }
  find_next();
}

std::optional<Bus::Ended> Bus::advance() {
  const Next next = next_;
  settle(next.time_s);
  std::optional<Ended> ended;
  if (next.of == Next::Of::waiting) {
    const Transfer transfer = waiting_.top().transfer;
    waiting_.pop();
    join(transfer);
  } else {
    ended = end_first(next.link);
    busy_ = !line_.empty();
    if (busy_) {
      const Transfer first = line_.front();
      line_.pop_front();
      begin(first, next.time_s);
    }
  }
  find_next();
  return ended;
}

void Bus::begin(const Transfer& transfer, double now) {
  const double before_s = latency_s_ + transfer.wait_s;
  if (before_s > 0) {
    waiting_.push({now + before_s, transfer});
  } else {
    join(transfer);
  }
}

/// What the sharers have had meanwhile.
void Bus::settle(double now) {
  if (now > now_ && sharers_ > 0) shared_ += common_rate() * (now - now_);
  if (sharers_ == 0) shared_ = 0;
  now_ = now;
}

void Bus::join(const Transfer& transfer) {
  LinkState& state = links_[transfer.link];
  leave_group(state, transfer.link);
  const auto after =
      std::upper_bound(state.flowing.begin(), state.flowing.end(), transfer,
                       [](const Transfer& a, const Transfer& b) { return a.asked < b.asked; });
  state.flowing.insert(after, transfer);
  enter_group(state, transfer.link, true);
  balance();
}

Bus::Ended Bus::end_first(Link link) {
  LinkState& state = links_[link];
  const bool shares = state.shares;
  leave_group(state, link);
  const auto first = std::min_element(
      state.flowing.begin(), state.flowing.end(),
      [](const Transfer& a, const Transfer& b) { return a.left_bytes < b.left_bytes; });
  const Ended ended{link, first->tag};
  state.flowing.erase(first);
  if (!state.flowing.empty()) enter_group(state, link, shares);
  balance();
  return ended;
}

/// Notes what its transfers have still left.
void Bus::leave_group(LinkState& state, Link link) {
  if (state.flowing.empty()) return;
  const double flowed =
      state.shares ? shared_ - state.settled_at : state.cap() * (now_ - state.settled_at);
  for (Transfer& transfer : state.flowing) {
    transfer.left_bytes = std::max(0.0, transfer.left_bytes - flowed);
  }
  if (state.shares) {
    shares_.remove(key(link));
    slow_.remove(key(link));
    sharers_ -= static_cast<std::uint32_t>(state.flowing.size());
  } else {
    ends_.remove(key(link));
    fast_.remove(key(link));
    --own_;
    own_rates_ = own_ == 0 ? 0 : own_rates_ - state.bytes_per_s;
  }
}

void Bus::enter_group(LinkState& state, Link link, bool shares) {
  double least = state.flowing.front().left_bytes;
  for (const Transfer& transfer : state.flowing) least = std::min(least, transfer.left_bytes);
  state.shares = shares;
  if (shares) {
    state.settled_at = shared_;
    shares_.set(key(link), shared_ + least);
    slow_.set(key(link), state.cap());
    sharers_ += static_cast<std::uint32_t>(state.flowing.size());
  } else {
    state.settled_at = now_;
    ends_.set(key(link), now_ + least / state.cap());
    fast_.set(key(link), 1 / state.cap());
    ++own_;
    own_rates_ += state.bytes_per_s;
  }
}

/// Of a transfer that shares: an equal part of what those at their own rate leave.
double Bus::common_rate() const {
  return (bus_bytes_per_s_ - own_rates_) / static_cast<double>(sharers_);
}

/// Max-min: who cannot take the common rate has its own, all others have the common one.
void Bus::balance() {
  const auto move = [&](Link link, bool shares) {
    leave_group(links_[link], link);
    enter_group(links_[link], link, shares);
  };
  while (own_ > 0) {
    const auto fastest = static_cast<Link>(raw(fast_.next()));
    const bool fits = own_rates_ <= bus_bytes_per_s_;
    if (fits && (sharers_ == 0 || links_[fastest].cap() <= common_rate())) break;
    move(fastest, true);
  }
  while (sharers_ > 0 && slow_.next_time() <= common_rate() && !slow_.empty()) {
    move(static_cast<Link>(raw(slow_.next())), false);
  }
}

void Bus::find_next() {
  next_ = {};
  const auto take = [&](Next::Of of, double time_s, Link link) {
    if (std::pair(time_s, link) < std::pair(next_.time_s, next_.link) ||
        next_.of == Next::Of::nothing) {
      next_ = {of, time_s, link};
    }
  };
  if (!waiting_.empty()) {
    take(Next::Of::waiting, waiting_.top().begin_s, waiting_.top().transfer.link);
  }
  if (own_ > 0) {
    take(Next::Of::own_rate, ends_.next_time(), static_cast<Link>(raw(ends_.next())));
  }
  if (sharers_ > 0) {
    const double left_bytes = std::max(0.0, shares_.next_time() - shared_);
    take(Next::Of::sharing, now_ + left_bytes / common_rate(),
         static_cast<Link>(raw(shares_.next())));
  }
}

}  // namespace damocles
