#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "models/platforms/platform.hpp"

namespace damocles {

/// A copy over more would be no one's choice, and holds each of them.
inline constexpr std::size_t most_links_of_route = 16;

/// How a copy goes from one processor to another without lying in host memory on its way.
struct PeerPath {
  enum class Over {
    nothing,  ///< there is no such way: it returns to host memory, and is loaded from there
    links,
    bus,
  };
  Over over = Over::nothing;
  double bytes_per_s = 0;  ///< of the slowest on it
  double latency_s = 0;    ///< once a link, or once over the bus
  std::size_t links = 0;   ///< that it passes
  std::array<std::uint64_t, most_links_of_route> line_of_link{};

  /// What it holds all the time: of each link its direction, or of one that carries both ways in
  /// turn the link.
  [[nodiscard]] std::span<const std::uint64_t> lines() const {
    return std::span(line_of_link).first(links);
  }
};

/// The ways between all processors of a machine, by what MachineModel says of links and routes.
///
/// Between two there is their own link; else the route that is given for them; else the buses,
/// where all may go there (MachineModel::peers_over_bus).
///
/// Over several links a copy is cut through: it holds all of them from its begin to its end, waits
/// the latency of each, and flows at the rate of the slowest. It begins when all are free, and
/// those who ask later wait behind it on each, also on one that stands free until then.
///
/// Over the buses, as between two GPUs whose copies meet at the host, it is one transfer out of the
/// one's link into the other's: it takes its turn on the copy stream to host memory of the one and
/// on that from host memory of the other, and its share of the bus of each, as a copy to host
/// memory and one from host memory would; of one bus, which both directions share, it takes twice
/// its rate. Where it passes a switch and not the memory of the host
/// (MachineModel::peers_cross_once), it takes its rate of one bus once. Where only links hold up
/// the way to host memory (MachineModel::duplex) it takes its share of the bus of the latter alone.
///
/// O(1) on average to look up, O(links of it) where there are several.
class RoutingTable {
 public:
  /// @pre check_machine() found nothing wrong
  explicit RoutingTable(const MachineModel& machine);

  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] bool any_over_bus() const { return any_over_bus_; }
  /// From one to another; nothing from one to itself, or where one of them computes in host memory.
  [[nodiscard]] PeerPath between(std::size_t from, std::size_t to) const;
  /// Lines are numbered from 0 to this.
  [[nodiscard]] std::uint64_t lines() const { return any_ ? processors_ * processors_ : 0; }

 private:
  [[nodiscard]] std::uint64_t key(std::size_t from, std::size_t to) const {
    return static_cast<std::uint64_t>(from) * processors_ + to;
  }
  [[nodiscard]] PeerLink link_between(std::size_t from, std::size_t to) const;
  void pass_link(PeerPath& path, std::size_t from, std::size_t to) const;
  void pass_route(PeerPath& path, std::size_t from, const PeerRoute& route) const;

  const MachineModel& machine_;
  std::uint64_t processors_;
  bool any_ = false;
  bool any_over_bus_ = false;
  std::unordered_map<std::uint64_t, std::size_t>
      links_;  // of MachineModel::peer_links, by both ways
  std::unordered_map<std::uint64_t, std::size_t>
      routes_;  // of MachineModel::peer_routes, by both ways
};

}  // namespace damocles
