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
  std::size_t memory;  ///< where it goes; of what goes to host memory, where it comes from
  std::size_t lender;  ///< the memory from which a load_from_peer comes
  std::uint64_t id;    ///< a data item, or the task of an output
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
/// A memory has a stream of copies in and one of copies to host memory, or one for both
/// (MachineModel::copy_streams); each pair of memories with a link has one a direction, or one for
/// both (half duplex). A stream carries one copy after the other, in the order in which they were
/// ordered.
///
/// A copy between memories goes over their link; where they have none over the links of their
/// route, which are all streams of it, at the rate of the slowest; or over the bus: its streams are
/// then that host memory from the one memory and that into the other. A copy of several streams
/// begins when it is the first of all. MachineModel::peers_cross_once: instead of the stream to
/// host memory it waits for what comes into the one memory, which waits for it; copies out of it to
/// others go at once.
///
/// Copies over links have them to themselves. All others share the bus behind which the memory is
/// that they go to or come to host memory from, in both directions (MachineModel::duplex: the way
/// to host memory is held up by the links alone); those between two memories share the buses of
/// both, and one that is the bus of both twice (MachineModel::peers_cross_once: once). Fair, each
/// gets what progressive filling gives it, at most its link, and between two memories at most what
/// either could have with to host memory; fifo, of those with a bus in common the one that came
/// first to the head of its streams has it until it ends, its latency included. Of two that came at
/// once, the one that was ordered first.
///
/// Before its bytes flow, a copy waits the latency, over several links that of each; of a copy with
/// to host memory moreover `wait_s`, or until its processor begins: what is left of that when it
/// comes to the head of its stream.
class Network {
 public:
  Network(const MachineModel& machine, std::vector<double> starts_s)
      : machine_(machine), starts_s_(std::move(starts_s)) {}

  void order(Copy copy, double now) {
    copy.asked = ++asked_;
    copies_.push_back(copy);
    settle(now);
  }

  [[nodiscard]] const std::vector<Copy>& copies() const { return copies_; }

  /// Of a copy from one memory to another that has everything to itself [B/s]; 0: there is no way
  /// but over host memory.
  [[nodiscard]] double rate_between(std::size_t from, std::size_t to) const {
    if (from == to) return 0;
    double rate = never;
    for (const PeerLink& link : links_between(from, to)) rate = std::min(rate, link.bytes_per_s);
    if (rate < never) return rate;
    const bool over_bus = std::any_of(
        machine_.peer_routes.begin(), machine_.peer_routes.end(), [&](const PeerRoute& route) {
          return (route.a == from && route.b == to) || (route.a == to && route.b == from);
        });
    if (!over_bus && !machine_.peers_over_bus) return 0;
    const std::size_t bus = machine_.processors[from].bus;
    const bool twice =
        !machine_.duplex && bus == machine_.processors[to].bus && !machine_.peers_cross_once;
    return std::min({with_home(from), with_home(to), bandwidth(bus) / (twice ? 2 : 1)});
  }

  /// When something happens next: a copy ends, or a latency does.
  [[nodiscard]] double next_time() const {
    double next = never;
    for (const Copy& copy : copies_) next = std::min(next, copy.next_s());
    return next;
  }

  /// Takes what happens next: the copy that ended, if one did. Of those at one time: bus by bus, on
  /// each into memories by processor, then to host memory by processor; those to host memory that
  /// no bus holds up; then those over links in the order in which they were asked for.
  std::optional<Copy> advance() {
    const auto key = [&](const Copy& copy) {
      const bool over_links = !links_of(copy).empty();
      const std::size_t bus =
          on_a_bus(copy) ? bus_of(copy) : machine_.buses() + (over_links ? 1 : 0);
      const std::size_t place =
          over_links ? 0 : copy.memory + (copy.goes_home() ? machine_.processors.size() : 0);
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
  /// The link of two memories, none where they have none.
  [[nodiscard]] std::optional<PeerLink> link_of(std::size_t a, std::size_t b) const {
    for (const PeerLink& link : machine_.peer_links) {
      if ((link.a == a && link.b == b) || (link.a == b && link.b == a)) return link;
    }
    if (machine_.peer_bytes_per_s == 0) return std::nullopt;
    return PeerLink{a, b, machine_.peer_bytes_per_s, machine_.peers_half_duplex};
  }
  /// The memories that a copy between two comes by, its ends included; those of a copy over the bus
  /// are its ends.
  [[nodiscard]] std::vector<std::size_t> way_of(std::size_t from, std::size_t to) const {
    if (link_of(from, to)) return {from, to};
    for (const PeerRoute& route : machine_.peer_routes) {
      std::vector<std::size_t> way{route.a};
      way.insert(way.end(), route.via.begin(), route.via.end());
      way.push_back(route.b);
      if (way.front() == from && way.back() == to) return way;
      std::reverse(way.begin(), way.end());
      if (way.front() == from && way.back() == to) return way;
    }
    return {from, to};
  }
  /// One after the other, in the direction in which the copy goes over them.
  [[nodiscard]] std::vector<PeerLink> links_of(const Copy& copy) const {
    if (copy.what != Copy::What::load_from_peer) return {};
    return links_between(copy.lender, copy.memory);
  }
  [[nodiscard]] std::vector<PeerLink> links_between(std::size_t from, std::size_t to) const {
    const auto way = way_of(from, to);
    std::vector<PeerLink> links;
    for (std::size_t at = 1; at < way.size(); ++at) {
      auto link = link_of(way[at - 1], way[at]);
      if (!link) return {};
      link->a = way[at - 1];
      link->b = way[at];
      links.push_back(*link);
    }
    return links;
  }
  [[nodiscard]] static bool of_one_stream(const PeerLink& a, const PeerLink& b) {
    return (a.a == b.a && a.b == b.b) || (a.half_duplex && a.a == b.b && a.b == b.a);
  }
  /// The stream of the memory that carries copies in, or host memory.
  [[nodiscard]] std::pair<std::size_t, bool> stream(std::size_t memory, bool home) const {
    return {memory, home && machine_.copy_streams == 2};
  }
  /// Of a copy that does not go over links.
  [[nodiscard]] std::vector<std::pair<std::size_t, bool>> streams_of(const Copy& copy) const {
    if (copy.what != Copy::What::load_from_peer) return {stream(copy.memory, copy.goes_home())};
    return {stream(copy.lender, true), stream(copy.memory, false)};
  }
  [[nodiscard]] bool of_one_stream(const Copy& a, const Copy& b) const {
    const auto links = links_of(a);
    const auto others = links_of(b);
    if (links.empty() != others.empty()) return false;
    if (links.empty() && machine_.peers_cross_once) {
      const auto sends_from = [&](const Copy& copy, const Copy& other) {
        return copy.what == Copy::What::load_from_peer &&
               stream(copy.lender, false) == stream(other.memory, other.goes_home());
      };
      return stream(a.memory, a.goes_home()) == stream(b.memory, b.goes_home()) ||
             sends_from(a, b) || sends_from(b, a);
    }
    if (links.empty()) {
      const auto streams = streams_of(a);
      const auto of_other = streams_of(b);
      return std::find_first_of(streams.begin(), streams.end(), of_other.begin(), of_other.end()) !=
             streams.end();
    }
    return std::find_first_of(links.begin(), links.end(), others.begin(), others.end(),
                              [](const PeerLink& one, const PeerLink& other) {
                                return of_one_stream(one, other);
                              }) != links.end();
  }
  [[nodiscard]] bool first_of_stream(const Copy& copy) const {
    return std::none_of(copies_.begin(), copies_.end(), [&](const Copy& other) {
      return other.asked < copy.asked && of_one_stream(copy, other);
    });
  }
  [[nodiscard]] std::size_t bus_of(const Copy& copy) const {
    return machine_.processors[copy.memory].bus;
  }
  /// Of the bus: all have one, or each has its own.
  [[nodiscard]] double bandwidth(std::size_t bus) const {
    return machine_.bus_rates.empty() ? machine_.bus_bytes_per_s : machine_.bus_rates.at(bus);
  }
  [[nodiscard]] bool on_a_bus(const Copy& copy) const {
    return links_of(copy).empty() && !(machine_.duplex && copy.goes_home());
  }
  /// How often the copy crosses the bus.
  [[nodiscard]] int crossings(const Copy& copy, std::size_t bus) const {
    if (!on_a_bus(copy)) return 0;
    const bool there = bus_of(copy) == bus;
    const bool from = copy.what == Copy::What::load_from_peer && !machine_.duplex &&
                      machine_.processors[copy.lender].bus == bus &&
                      !(there && machine_.peers_cross_once);
    return (there ? 1 : 0) + (from ? 1 : 0);
  }
  [[nodiscard]] bool have_a_bus_in_common(const Copy& a, const Copy& b) const {
    for (std::size_t bus = 0; bus < machine_.buses(); ++bus) {
      if (crossings(a, bus) > 0 && crossings(b, bus) > 0) return true;
    }
    return false;
  }
  [[nodiscard]] static bool under_way(const Copy& copy) {
    return copy.stage == Copy::Stage::waits || copy.stage == Copy::Stage::flows;
  }
  /// The most that a copy between the memory and host memory may have [B/s].
  [[nodiscard]] double with_home(std::size_t memory) const {
    const ProcessorModel& gpu = machine_.processors[memory];
    return std::min(gpu.link_bytes_per_s, bandwidth(gpu.bus));
  }
  /// The most it may have [B/s].
  [[nodiscard]] double most(const Copy& copy) const {
    return copy.what == Copy::What::load_from_peer ? rate_between(copy.lender, copy.memory)
                                                   : with_home(copy.memory);
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
      if (copy.stage == Copy::Stage::flows && !on_a_bus(copy)) set_rate(copy, most(copy), now);
    }
    share_buses(now);
  }

  [[nodiscard]] bool may_begin(const Copy& copy) const {
    if (machine_.sharing == BusSharing::fair || !on_a_bus(copy)) return true;
    return std::none_of(copies_.begin(), copies_.end(), [&](const Copy& other) {
      if (!have_a_bus_in_common(other, copy)) return false;
      return under_way(other) || (other.stage == Copy::Stage::in_line && other.turn < copy.turn);
    });
  }

  void begin(Copy& copy, double now) const {
    double wait_s = copy.wait_s;
    if (copy.what != Copy::What::load_from_peer) {
      wait_s = std::max(wait_s, starts_s_[copy.memory] - copy.turn_s);
    }
    const std::size_t links = links_of(copy).size();
    for (std::size_t link = 1; link < links; ++link) wait_s += machine_.latency_s;
    copy.begin_s = now + (machine_.latency_s + wait_s);
    copy.stage = Copy::Stage::waits;
    if (machine_.latency_s + wait_s == 0) flow(copy, now);
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

  /// Max-min fair by progressive filling: all rates grow alike; who has reached its link, or has a
  /// full bus on its way, stays there, and the others share what is left.
  void share_buses(double now) {
    std::vector<Copy*> growing;
    for (Copy& copy : copies_) {
      if (copy.stage == Copy::Stage::flows && on_a_bus(copy)) growing.push_back(&copy);
    }
    std::vector<double> left;
    for (std::size_t bus = 0; bus < machine_.buses(); ++bus) left.push_back(bandwidth(bus));
    while (!growing.empty()) {
      double part = never;
      std::size_t full = 0;
      for (std::size_t bus = 0; bus < left.size(); ++bus) {
        int crossed = 0;
        for (const Copy* const copy : growing) crossed += crossings(*copy, bus);
        if (crossed == 0 || left[bus] / crossed >= part) continue;
        part = left[bus] / crossed;
        full = bus;
      }
      const auto slowest =
          std::min_element(growing.begin(), growing.end(),
                           [&](const Copy* a, const Copy* b) { return most(*a) < most(*b); });
      const bool by_link = most(**slowest) <= part;
      std::vector<Copy*> stay;
      for (Copy* const copy : growing) {
        if (by_link ? copy == *slowest : crossings(*copy, full) > 0) stay.push_back(copy);
      }
      for (Copy* const copy : stay) {
        const double rate = by_link ? most(*copy) : part;
        set_rate(*copy, rate, now);
        for (std::size_t bus = 0; bus < left.size(); ++bus)
          left[bus] -= rate * crossings(*copy, bus);
        std::erase(growing, copy);
      }
    }
  }

  const MachineModel& machine_;
  std::vector<double> starts_s_;  // of each processor
  std::vector<Copy> copies_;      // in the order in which they were asked for
  std::uint64_t asked_ = 0;
  std::uint64_t turns_ = 0;
};

}  // namespace damocles::naive
