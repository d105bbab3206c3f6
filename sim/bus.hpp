#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "models/cache_hint.hpp"
#include "models/platforms/platform.hpp"
#include "sim/event_queue.hpp"

namespace damocles {

/// Transfers in virtual time over one bus of bounded bandwidth.
///
/// Fair: rates are max-min fair over transfers; those of one link together have at most its rate,
/// and all together at most that of the bus. Fifo: one transfer after the other has the bus. Each
/// transfer first waits `latency_s`, in which it takes no bandwidth from others.
///
/// A change costs O(log links + transfers of its link), and as much for each link that it brings
/// from its own rate to the common one or back: links at their own rate end when they end, and
/// those that share what is left are told apart by the bytes that each has still to share, which
/// all lose alike.
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

  /// From now on the link has this rate. @pre nothing was asked for on it that has not ended
  void set_rate(Link link, double bytes_per_s) { links_[link].bytes_per_s = bytes_per_s; }

  /// When something happens next: a transfer ends, or its latency does. Infinity if nothing.
  [[nodiscard]] double next_time() const { return next_.time_s; }

  /// On which link that is. @pre something happens
  [[nodiscard]] Link next_link() const { return next_.link; }
  /// Brings what flows over the link into the cache.
  void prefetch_state(Link link) const { prefetch_line(links_[link]); }

  struct Ended {
    Link link;
    std::uint32_t tag;
  };
  /// Takes the next event: the transfer that ended, if one did. Ties by link, then by order.
  std::optional<Ended> advance();

 private:
  struct Transfer {
    std::uint64_t asked;  // in order
    Link link;
    std::uint32_t tag;
    double left_bytes;
    double wait_s;
  };
  struct Waiting {
    double begin_s;
    Transfer transfer;
    friend bool operator<(const Waiting& a, const Waiting& b) {  // the soonest is on top
      return std::tuple(a.begin_s, a.transfer.link, a.transfer.asked) >
             std::tuple(b.begin_s, b.transfer.link, b.transfer.asked);
    }
  };
  /// Its transfers flow at one rate: all that it has, or what is common to those that share.
  struct LinkState {
    double bytes_per_s = 0;
    boost::container::small_vector<Transfer, 1>
        flowing;  // in the order in which they were asked for
    bool shares = false;
    double settled_at = 0;  // left_bytes are of that time, or that level of shared bytes
    [[nodiscard]] double cap() const { return bytes_per_s / static_cast<double>(flowing.size()); }
  };
  struct Next {
    enum class Of { nothing, waiting, own_rate, sharing } of = Of::nothing;
    double time_s = std::numeric_limits<double>::infinity();
    Link link = 0;
  };

  void begin(const Transfer& transfer, double now);
  void settle(double now);
  void join(const Transfer& transfer);
  [[nodiscard]] Ended end_first(Link link);
  void leave_group(LinkState& state, Link link);
  void enter_group(LinkState& state, Link link, bool shares);
  void balance();
  [[nodiscard]] double common_rate() const;
  void find_next();

  double bus_bytes_per_s_;
  double latency_s_;
  BusSharing sharing_;
  std::vector<LinkState> links_;
  std::deque<Transfer> line_;  // under fifo sharing: those whose turn has not come
  std::priority_queue<Waiting> waiting_;
  EventQueue ends_;       // of links at their own rate: when the first of its transfers ends
  EventQueue shares_;     // of those that share: at which level of shared bytes it does
  EventQueue slow_;       // of these, the rate each could have
  EventQueue fast_;       // of those at their own rate, the inverse of that
  double own_rates_ = 0;  // of all at their own, together
  std::uint32_t own_ = 0;
  std::uint32_t sharers_ = 0;  // transfers
  double shared_ = 0;          // bytes that each sharer has had so far
  double now_ = 0;
  std::uint64_t asked_ = 0;
  bool busy_ = false;  // under fifo sharing
  Next next_;
};

}  // namespace damocles
