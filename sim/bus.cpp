#include "sim/bus.hpp"

#include <algorithm>

namespace damocles {

Bus::Bus(double bus_bytes_per_s, double latency_s, BusSharing sharing,
         std::vector<double> link_bytes_per_s)
    : bus_bytes_per_s_(bus_bytes_per_s),
      latency_s_(latency_s),
      sharing_(sharing),
      link_bytes_per_s_(std::move(link_bytes_per_s)),
      flowing_(link_bytes_per_s_.size(), 0) {}

void Bus::start(Link link, std::uint32_t tag, double bytes, double now, double wait_s) {
  settle(now);
  active_.push_back({link, tag, Phase::queued, bytes, 0, next_time_, wait_s});
  if (sharing_ == BusSharing::fair || active_.size() == 1) begin(active_.back(), now);
  share(now);
}

std::optional<Bus::Ended> Bus::advance() {
  const double now = next_time_;
  settle(now);
  Transfer& transfer = active_[next_];
  std::optional<Ended> ended;
  if (transfer.phase == Phase::flowing) {
    ended = Ended{transfer.link, transfer.tag};
    active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(next_));
    if (sharing_ == BusSharing::fifo && !active_.empty()) begin(active_.front(), now);
  } else {
    transfer.phase = Phase::flowing;
  }
  share(now);
  return ended;
}

void Bus::begin(Transfer& transfer, double now) const {
  const double before_s = latency_s_ + transfer.wait_s;
  transfer.phase = before_s > 0 ? Phase::latency : Phase::flowing;
  transfer.event_s = now + before_s;
}

void Bus::settle(double now) {
  for (Transfer& transfer : active_) {
    if (transfer.phase != Phase::flowing) continue;
    transfer.left_bytes = std::max(0.0, transfer.left_bytes - transfer.rate * (now - settled_s_));
  }
  settled_s_ = now;
}

void Bus::share(double now) {
  share_fairly();
  for (Transfer& transfer : active_) {
    if (transfer.phase == Phase::flowing) {
      transfer.event_s = now + transfer.left_bytes / transfer.rate;
    }
  }
  find_next();
}

void Bus::share_fairly() {
  slowest_first_.clear();
  std::fill(flowing_.begin(), flowing_.end(), 0);
  for (Transfer& transfer : active_) {
    if (transfer.phase != Phase::flowing) continue;
    slowest_first_.push_back(&transfer);
    ++flowing_[transfer.link];
  }
  // Transfers of one link are alike, so each is capped by an equal part of it. Slowest first: it
  // takes its own cap or an equal share of what is left.
  const auto cap = [&](const Transfer* transfer) {
    return link_bytes_per_s_[transfer->link] / flowing_[transfer->link];
  };
  std::sort(slowest_first_.begin(), slowest_first_.end(),
            [&](const Transfer* a, const Transfer* b) { return cap(a) < cap(b); });
  double left = bus_bytes_per_s_;
  auto sharers = static_cast<double>(slowest_first_.size());
  for (Transfer* const transfer : slowest_first_) {
    transfer->rate = std::min(cap(transfer), left / sharers);
    left -= transfer->rate;
    sharers -= 1;
  }
}

void Bus::find_next() {
  next_time_ = std::numeric_limits<double>::infinity();
  for (std::size_t at = 0; at < active_.size(); ++at) {
    const Transfer& transfer = active_[at];
    if (transfer.phase == Phase::queued) continue;
    if (transfer.event_s < next_time_ ||
        (transfer.event_s == next_time_ && transfer.link < active_[next_].link)) {
      next_time_ = transfer.event_s;
      next_ = at;
    }
  }
}

}  // namespace damocles
