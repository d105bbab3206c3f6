#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "models/platform.hpp"

namespace damocles {

/// Transfers in virtual time over one bus of bounded bandwidth.
///
/// A channel carries one transfer at a time, at most at its own rate; what flows in all channels
/// together is at most the bandwidth of the bus. Fair: the rates are max-min fair (all equal but
/// for those whose own link is slower). Fifo: one transfer after the other has the bus. Each
/// transfer first waits `latency_s`, in which it takes no bandwidth from others.
///
/// Every change costs O(active transfers).
class Bus {
 public:
  using Channel = std::uint32_t;

  /// @param link_bytes_per_s  of each channel, shape (channels)
  Bus(double bus_bytes_per_s, double latency_s, BusSharing sharing,
      std::vector<double> link_bytes_per_s);

  [[nodiscard]] bool busy(Channel channel) const { return flows_[channel].phase != Phase::idle; }
  /// @pre !busy(channel), now >= the time of every earlier call
  void start(Channel channel, double bytes, double now);

  /// When something happens next: a transfer ends, or its latency does. Infinity if nothing.
  [[nodiscard]] double next_time() const { return next_time_; }
  /// Takes the next event. True if a transfer ended: `ended` is its channel (ties by channel).
  bool advance(Channel& ended);

 private:
  enum class Phase { idle, queued, latency, flowing };
  struct Flow {
    Phase phase = Phase::idle;
    double left_bytes = 0;
    double rate = 0;  // bytes/s while flowing
    double event_s = std::numeric_limits<double>::infinity();
    double link_bytes_per_s = 0;
  };

  void begin(Flow& flow, double now);
  void settle(double now);  // bytes that flowed since the last change
  void share(double now);   // new rates and ends
  void share_fairly();
  void find_next();

  double bus_bytes_per_s_;
  double latency_s_;
  BusSharing sharing_;
  std::vector<Flow> flows_;
  std::vector<Channel> active_;  // not idle, in the order in which they were asked for
  std::vector<Channel> by_link_;
  double settled_s_ = 0;
  double next_time_ = std::numeric_limits<double>::infinity();
  Channel next_ = 0;
};

}  // namespace damocles
