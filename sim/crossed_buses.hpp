#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/platforms/platform.hpp"
#include "sim/bus.hpp"

namespace damocles {

/// Buses of which a transfer may cross several, or one twice: there and back. Each crossing takes
/// the transfer's rate of the bus, so that who crosses one twice has at most half of it.
///
/// Fair: rates are max-min fair over all transfers, by progressive filling: all grow alike; who has
/// its own rate, or a bus on its way that is full, grows no more. Fifo: of those with a bus in
/// common the one that was asked for first has it until it ends, its latency included.
///
/// A change costs O((transfers + buses) transfers), where Bus takes their logarithm: for machines
/// whose processors copy to each other over the buses. Tied to no Bus, as there the rates on one
/// bus follow from that one alone.
class CrossedBuses {
 public:
  using Link = Bus::Link;
  /// Where a transfer goes: once over the first bus, and once over the second, which may be the
  /// same.
  struct Way {
    std::size_t bus = 0;
    std::optional<std::size_t> second{};
    double bytes_per_s = 0;  ///< its own rate: it has no more
  };

  /// @param bytes_per_s  of each bus
  /// @param links        each carries one transfer at a time
  CrossedBuses(std::vector<double> bytes_per_s, double latency_s, BusSharing sharing,
               std::size_t links);

  /// As Bus::start(). @pre what was asked for on the link has ended
  void start(Link link, const Way& way, double bytes, double now, double wait_s);

  /// When something happens next: a transfer ends, or its latency does. Infinity if nothing.
  [[nodiscard]] double next_time() const { return next_s_; }
  /// On which link that is. @pre something happens
  [[nodiscard]] Link next_link() const { return next_; }
  /// Takes the next event: the link whose transfer ended, if one did. Ties by bus, then by link.
  std::optional<Link> advance();

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  struct Transfer {
    enum class Stage : std::uint8_t { none, in_line, waits, flows } stage = Stage::none;
    Way way;
    std::uint64_t asked = 0;
    double wait_s = 0;
    double begin_s = 0;     // when its latency ends
    double rate = 0;        // [B/s]
    double since_s = 0;     // since when it has it
    double left_bytes = 0;  // at that time
    [[nodiscard]] double next_s() const {
      if (stage == Stage::waits) return begin_s;
      return stage == Stage::flows ? since_s + left_bytes / rate : never;
    }
    [[nodiscard]] double crossings(std::size_t bus) const {
      return (way.bus == bus ? 1.0 : 0.0) + (way.second == bus ? 1.0 : 0.0);
    }
  };

  void begin_all(double now);
  [[nodiscard]] bool may_begin(const Transfer& transfer) const;
  void share(double now);
  void find_next();
  static void flow(Transfer& transfer, double now);
  static void set_rate(Transfer& transfer, double rate, double now);

  std::vector<double> bytes_per_s_;
  double latency_s_;
  BusSharing sharing_;
  std::vector<Transfer> transfers_;  // by link
  std::uint64_t asked_ = 0;
  double next_s_ = never;
  Link next_ = 0;
};

}  // namespace damocles
