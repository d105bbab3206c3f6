#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/platforms/platform.hpp"

namespace damocles {

/// Transfers in virtual time over one bus of bounded bandwidth.
///
/// Fair: rates are max-min fair over transfers; those of one link together have at most its rate,
/// and all together at most that of the bus. Fifo: one transfer after the other has the bus. Each
/// transfer first waits `latency_s`, in which it takes no bandwidth from others.
///
/// Every change costs O(active transfers).
class Bus {
 public:
  using Link = std::uint32_t;

  /// @param link_bytes_per_s  of each link, shape (links)
  Bus(double bus_bytes_per_s, double latency_s, BusSharing sharing,
      std::vector<double> link_bytes_per_s);

  /// Asks for a transfer over `link`; `tag` comes back when it ends. It waits `wait_s` longer than
  /// the latency before it begins.
  /// @pre bytes > 0, now >= the time of every earlier call
  void start(Link link, std::uint32_t tag, double bytes, double now, double wait_s = 0);

  /// When something happens next: a transfer ends, or its latency does. Infinity if nothing.
  [[nodiscard]] double next_time() const { return next_time_; }

  struct Ended {
    Link link;
    std::uint32_t tag;
  };
  /// Takes the next event: the transfer that ended, if one did. Ties by link, then by order.
  std::optional<Ended> advance();

 private:
  enum class Phase { queued, latency, flowing };
  struct Transfer {
    Link link;
    std::uint32_t tag;
    Phase phase;
    double left_bytes;
    double rate;  // bytes/s while flowing
    double event_s;
    double wait_s;
  };

  void begin(Transfer& transfer, double now) const;
  void settle(double now);  // bytes that flowed since the last change
  void share(double now);   // new rates and ends
  void share_fairly();
  void find_next();

  double bus_bytes_per_s_;
  double latency_s_;
  BusSharing sharing_;
  std::vector<double> link_bytes_per_s_;
  std::vector<std::uint32_t> flowing_;  // transfers on each link
  std::vector<Transfer> active_;        // in the order in which they were asked for
  std::vector<Transfer*> slowest_first_;
  double settled_s_ = 0;
  double next_time_ = std::numeric_limits<double>::infinity();
  std::size_t next_ = 0;
};

}  // namespace damocles
