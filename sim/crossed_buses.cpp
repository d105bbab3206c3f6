#include "sim/crossed_buses.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace damocles {
namespace {

bool share_a_bus(const CrossedBuses::Way& a, const CrossedBuses::Way& b) {
  return a.bus == b.bus || a.second == b.bus || b.second == a.bus ||
         (a.second && a.second == b.second);
}

}  // namespace

CrossedBuses::CrossedBuses(std::vector<double> bytes_per_s, double latency_s, BusSharing sharing,
                           std::size_t links)
    : bytes_per_s_(std::move(bytes_per_s)),
      latency_s_(latency_s),
      sharing_(sharing),
      transfers_(links) {}

void CrossedBuses::start(Link link, const Way& way, double bytes, double now, double wait_s) {
  transfers_[link] = {.stage = Transfer::Stage::in_line,
                      .way = way,
                      .asked = asked_++,
                      .wait_s = wait_s,
                      .left_bytes = bytes};
  begin_all(now);
}

std::optional<CrossedBuses::Link> CrossedBuses::advance() {
  const double now = next_s_;
  const Link link = next_;
  Transfer& transfer = transfers_[link];
  const bool ended = transfer.stage == Transfer::Stage::flows;
  if (ended) {
    transfer.stage = Transfer::Stage::none;
  } else {
    flow(transfer, now);
  }
  begin_all(now);
  return ended ? std::optional(link) : std::nullopt;
}

/// Whoever may, in the order in which they were asked for; and all that follows from it.
void CrossedBuses::begin_all(double now) {
  for (Transfer& transfer : transfers_) {
    if (transfer.stage != Transfer::Stage::in_line || !may_begin(transfer)) continue;
    const double before_s = latency_s_ + transfer.wait_s;
    transfer.stage = Transfer::Stage::waits;
    transfer.begin_s = now + before_s;
    if (before_s == 0) flow(transfer, now);
  }
  share(now);
  find_next();
}

/// Fifo: nobody on a bus of its way is under way, or was asked for before it.
bool CrossedBuses::may_begin(const Transfer& transfer) const {
  if (sharing_ == BusSharing::fair) return true;
  return std::none_of(transfers_.begin(), transfers_.end(), [&](const Transfer& other) {
    if (other.stage == Transfer::Stage::none || !share_a_bus(transfer.way, other.way)) return false;
    return other.stage != Transfer::Stage::in_line || other.asked < transfer.asked;
  });
}

void CrossedBuses::share(double now) {
  std::vector<Transfer*> growing;
  for (Transfer& transfer : transfers_) {
    if (transfer.stage == Transfer::Stage::flows) growing.push_back(&transfer);
  }
  std::vector<double> left = bytes_per_s_;
  const auto settle = [&](Transfer& transfer, double rate) {
    set_rate(transfer, rate, now);
    left[transfer.way.bus] -= rate;
    if (transfer.way.second) left[*transfer.way.second] -= rate;
  };
  while (!growing.empty()) {
    // The rate at which the next bus is full, and which one that is.
    std::pair<double, std::size_t> full{never, 0};
    for (std::size_t bus = 0; bus < left.size(); ++bus) {
      double crossings = 0;
      for (const Transfer* const one : growing) crossings += one->crossings(bus);
      if (crossings > 0) full = std::min(full, {left[bus] / crossings, bus});
    }
    const auto slowest =
        std::min_element(growing.begin(), growing.end(), [](const Transfer* a, const Transfer* b) {
          return a->way.bytes_per_s < b->way.bytes_per_s;
        });
    if ((*slowest)->way.bytes_per_s <= full.first) {
      settle(**slowest, (*slowest)->way.bytes_per_s);
      growing.erase(slowest);
      continue;
    }
    for (Transfer* const one : growing) {
      if (one->crossings(full.second) > 0) settle(*one, full.first);
    }
    std::erase_if(growing, [&](const Transfer* one) { return one->crossings(full.second) > 0; });
  }
}

void CrossedBuses::find_next() {
  next_s_ = never;
  std::size_t next_bus = 0;
  for (std::size_t link = 0; link < transfers_.size(); ++link) {
    const Transfer& transfer = transfers_[link];
    const double time_s = transfer.next_s();
    if (time_s == never) continue;
    if (std::tuple(time_s, transfer.way.bus) < std::tuple(next_s_, next_bus)) {
      next_s_ = time_s;
      next_bus = transfer.way.bus;
      next_ = static_cast<Link>(link);
    }
  }
}

void CrossedBuses::flow(Transfer& transfer, double now) {
  transfer.stage = Transfer::Stage::flows;
  transfer.since_s = now;
}

/// What has flowed so far has flowed at the rate before.
void CrossedBuses::set_rate(Transfer& transfer, double rate, double now) {
  if (transfer.rate == rate) return;
  transfer.left_bytes =
      std::max(0.0, transfer.left_bytes - transfer.rate * (now - transfer.since_s));
  transfer.since_s = now;
  transfer.rate = rate;
}

}  // namespace damocles
