#include "sim/bus.hpp"

#include <algorithm>

namespace damocles {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

Bus::Bus(double bus_bytes_per_s, double latency_s, BusSharing sharing,
         std::vector<double> link_bytes_per_s)
    : bus_bytes_per_s_(bus_bytes_per_s),
      latency_s_(latency_s),
      sharing_(sharing),
      flows_(link_bytes_per_s.size()) {
  for (std::size_t c = 0; c < flows_.size(); ++c) flows_[c].link_bytes_per_s = link_bytes_per_s[c];
}

void Bus::start(Channel channel, double bytes, double now) {
  settle(now);
  Flow& flow = flows_[channel];
  flow.left_bytes = bytes;
  flow.phase = Phase::queued;
  active_.push_back(channel);
  if (sharing_ == BusSharing::fair || active_.size() == 1) begin(flow, now);
  share(now);
}

bool Bus::advance(Channel& ended) {
  const double now = next_time_;
  const Channel channel = next_;
  Flow& flow = flows_[channel];
  settle(now);
  const bool done = flow.phase == Phase::flowing;
  if (done) {
    flow.phase = Phase::idle;
    flow.event_s = never;
    active_.erase(std::find(active_.begin(), active_.end(), channel));
    if (sharing_ == BusSharing::fifo && !active_.empty()) begin(flows_[active_.front()], now);
    ended = channel;
  } else {
    flow.phase = Phase::flowing;
  }
  share(now);
  return done;
}

void Bus::begin(Flow& flow, double now) {
  flow.phase = latency_s_ > 0 ? Phase::latency : Phase::flowing;
  flow.event_s = now + latency_s_;
}

void Bus::settle(double now) {
  for (const Channel channel : active_) {
    Flow& flow = flows_[channel];
    if (flow.phase != Phase::flowing) continue;
    flow.left_bytes = std::max(0.0, flow.left_bytes - flow.rate * (now - settled_s_));
  }
  settled_s_ = now;
}

void Bus::share(double now) {
  share_fairly();
  for (const Channel channel : active_) {
    Flow& flow = flows_[channel];
    if (flow.phase == Phase::flowing) flow.event_s = now + flow.left_bytes / flow.rate;
  }
  find_next();
}

void Bus::share_fairly() {
  by_link_.clear();
  for (const Channel channel : active_) {
    if (flows_[channel].phase == Phase::flowing) by_link_.push_back(channel);
  }
  // Slowest link first: it takes its own rate or an equal share of what is left.
  std::sort(by_link_.begin(), by_link_.end(), [&](Channel a, Channel b) {
    return flows_[a].link_bytes_per_s < flows_[b].link_bytes_per_s;
  });
  double left = bus_bytes_per_s_;
  auto sharers = static_cast<double>(by_link_.size());
  for (const Channel channel : by_link_) {
    Flow& flow = flows_[channel];
    flow.rate = std::min(flow.link_bytes_per_s, left / sharers);
    left -= flow.rate;
    sharers -= 1;
  }
}

void Bus::find_next() {
  next_time_ = never;
  for (const Channel channel : active_) {
    const double time = flows_[channel].event_s;
    if (flows_[channel].phase == Phase::queued) continue;
    if (time < next_time_ || (time == next_time_ && channel < next_)) {
      next_time_ = time;
      next_ = channel;
    }
  }
}

}  // namespace damocles
