#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "models/platforms/platform.hpp"

namespace damocles::naive {

inline constexpr double never = std::numeric_limits<double>::infinity();

/// A copy that was ordered and has not ended.
struct Copy {
  enum class What { load, load_from_peer, output, returned };
  What what;
  std::size_t memory;  ///< where it goes; of what goes home, where it comes from
  std::size_t lender;  ///< the memory from which a load_from_peer comes
  std::uint64_t id;    ///< a data, or the task of an output
  double bytes;
  double wait_s = 0;  ///< beyond the latency

  // What follows is the network's.
  enum class Stage {
    queued,   ///< its stream carries another one
    in_line,  ///< its stream's turn has come, that of its bus has not (fifo)
    waits,    ///< its latency
    flows
  };
  Stage stage = Stage::queued;
  std::uint64_t asked = 0;  ///< the how many-th that was ordered
  std::uint64_t turn = 0;   ///< the how many-th that came to the head of its stream
  double turn_s = 0;        ///< when it did
  double begin_s = 0;       ///< when its latency ends
  double rate = 0;          ///< [B/s]
  double since_s = 0;       ///< since when it has this rate
  double left_bytes = 0;    ///< at that time

  [[nodiscard]] bool goes_home() const { return what == What::output || what == What::returned; }
  /// When something happens to it next, if no rate changes.
  [[nodiscard]] double next_s() const {
    if (stage == Stage::waits) return begin_s;
    return stage == Stage::flows ? since_s + left_bytes / rate : never;
  }
};

/// Bus, copy streams and links between processors, as one defines them: a list of copies, all of
/// which are looked at whenever something happens.
///
/// A memory has a stream of copies in and one of copies home, or one for both
/// (Limits::copy_streams); each pair of memories with a link has one a direction. A stream carries
/// one copy after the other, in the order in which they were ordered.
///
/// Copies between memories have their link to themselves. All others share the bus behind which
/// their memory is, in both directions (Limits::duplex: the way home is held up by the links
/// alone): fair, each gets what progressive filling gives it, at most its link; fifo, the one that
/// came first to the head of its stream has the bus until it ends, its latency included.
///
/// Before its bytes flow, a copy waits the latency, `wait_s` more, or until its processor begins:
/// what is left of that when it comes to the head of its stream.
class Network {
 public:
  Network(const Limits& limits, std::vector<double> starts_s)
      : limits_(limits), starts_s_(std::move(starts_s)) {}

  void order(Copy copy, double now) {
    copy.asked = ++asked_;
    copies_.push_back(copy);
    settle(now);
  }

  [[nodiscard]] const std::vector<Copy>& copies() const { return copies_; }

  /// When something happens next: a copy ends, or a latency does.
  [[nodiscard]] double next_time() const {
    double next = never;
    for (const Copy& copy : copies_) next = std::min(next, copy.next_s());
    return next;
  }

  /// Takes what happens next: the copy that ended, if one did. Of those at one time: bus by bus, on
  /// each from home by processor, then to home by processor; those to home that no bus holds up;
  /// then those between processors in the order in which they were asked for.
  std::optional<Copy> advance() {
    const auto key = [&](const Copy& copy) {
      const bool peer = copy.what == Copy::What::load_from_peer;
      const std::size_t bus = on_a_bus(copy) ? bus_of(copy) : limits_.buses() + (peer ? 1 : 0);
      const std::size_t place =
          peer ? 0 : copy.memory + (copy.goes_home() ? limits_.gpus.size() : 0);
      return std::tuple(copy.next_s(), bus, place, copy.asked);
    };
    const auto next =
        std::min_element(copies_.begin(), copies_.end(),
                         [&](const auto& a, const auto& b) { return key(a) < key(b); });
    const double now = next->next_s();
    if (next->stage == Copy::Stage::waits) {
      flow(*next, now);
      settle(now);
      return std::nullopt;
    }
    const Copy ended = *next;
    copies_.erase(next);
    settle(now);
    return ended;
  }

 private:
  [[nodiscard]] bool of_one_stream(const Copy& a, const Copy& b) const {
    const bool peer = a.what == Copy::What::load_from_peer;
    if (peer != (b.what == Copy::What::load_from_peer) || a.memory != b.memory) return false;
    if (peer) return a.lender == b.lender;
    return limits_.copy_streams == 1 || a.goes_home() == b.goes_home();
  }
  [[nodiscard]] bool first_of_stream(const Copy& copy) const {
    return std::none_of(copies_.begin(), copies_.end(), [&](const Copy& other) {
      return other.asked < copy.asked && of_one_stream(copy, other);
    });
  }
  [[nodiscard]] std::size_t bus_of(const Copy& copy) const { return limits_.gpus[copy.memory].bus; }
  /// Of the bus: all have one, or each has its own.
  [[nodiscard]] double bandwidth(std::size_t bus) const {
    return limits_.bus_rates.empty() ? limits_.bus_bytes_per_s : limits_.bus_rates.at(bus);
  }
  [[nodiscard]] bool on_a_bus(const Copy& copy) const {
    return copy.what != Copy::What::load_from_peer && !(limits_.duplex && copy.goes_home());
  }
  [[nodiscard]] static bool under_way(const Copy& copy) {
    return copy.stage == Copy::Stage::waits || copy.stage == Copy::Stage::flows;
  }
  /// The most it may have [B/s].
  [[nodiscard]] double link(const Copy& copy) const {
    return copy.what == Copy::What::load_from_peer
               ? limits_.peer_rate(copy.lender, copy.memory)
               : std::min(limits_.gpus[copy.memory].link_bytes_per_s, bandwidth(bus_of(copy)));
  }

  /// All that follows at once from what happened.
  void settle(double now) {
    for (Copy& copy : copies_) {
      if (copy.stage != Copy::Stage::queued || !first_of_stream(copy)) continue;
      copy.stage = Copy::Stage::in_line;
      copy.turn = ++turns_;
      copy.turn_s = now;
    }
    for (Copy& copy : copies_) {
      if (copy.stage == Copy::Stage::in_line && may_begin(copy)) begin(copy, now);
    }
    for (Copy& copy : copies_) {
      if (copy.stage == Copy::Stage::flows && !on_a_bus(copy)) set_rate(copy, link(copy), now);
    }
    for (std::size_t bus = 0; bus < limits_.buses(); ++bus) share_bus(bus, now);
  }

  [[nodiscard]] bool may_begin(const Copy& copy) const {
    if (limits_.sharing == BusSharing::fair || !on_a_bus(copy)) return true;
    return std::none_of(copies_.begin(), copies_.end(), [&](const Copy& other) {
      if (!on_a_bus(other) || bus_of(other) != bus_of(copy)) return false;
      return under_way(other) || (other.stage == Copy::Stage::in_line && other.turn < copy.turn);
    });
  }

  void begin(Copy& copy, double now) const {
    double wait_s = copy.wait_s;
    if (copy.what != Copy::What::load_from_peer) {
      wait_s = std::max(wait_s, starts_s_[copy.memory] - copy.turn_s);
    }
    copy.begin_s = now + (limits_.latency_s + wait_s);
    copy.stage = Copy::Stage::waits;
    if (limits_.latency_s + wait_s == 0) flow(copy, now);
  }

  static void flow(Copy& copy, double now) {
    copy.stage = Copy::Stage::flows;
    copy.since_s = now;
    copy.left_bytes = copy.bytes;
  }

  static void set_rate(Copy& copy, double rate, double now) {
    if (copy.rate == rate) return;
    copy.left_bytes = std::max(0.0, copy.left_bytes - copy.rate * (now - copy.since_s));
    copy.since_s = now;
    copy.rate = rate;
  }

  /// Max-min fair by progressive filling: all rates grow alike; who has reached its link stays
  /// there, and the others share what is left.
  void share_bus(std::size_t bus, double now) {
    std::vector<Copy*> growing;
    for (Copy& copy : copies_) {
      if (copy.stage != Copy::Stage::flows || !on_a_bus(copy)) continue;
      if (bus_of(copy) == bus) growing.push_back(&copy);
    }
    double left = bandwidth(bus);
    while (!growing.empty()) {
      const double part = left / static_cast<double>(growing.size());
      const auto slowest =
          std::min_element(growing.begin(), growing.end(),
                           [&](const Copy* a, const Copy* b) { return link(*a) < link(*b); });
      if (link(**slowest) > part) {
        for (Copy* const copy : growing) set_rate(*copy, part, now);
        return;
      }
      set_rate(**slowest, link(**slowest), now);
      left -= link(**slowest);
      growing.erase(slowest);
    }
  }

  const Limits& limits_;
  std::vector<double> starts_s_;  // of each processor
  std::vector<Copy> copies_;      // in the order in which they were asked for
  std::uint64_t asked_ = 0;
  std::uint64_t turns_ = 0;
};

}  // namespace damocles::naive
