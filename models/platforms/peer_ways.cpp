#include "models/platforms/peer_ways.hpp"

#include <algorithm>
#include <cassert>

namespace damocles {

PeerWays::PeerWays(const Limits& limits)
    : limits_(limits), processors_(limits.gpus.size()), any_(limits.has_peers()) {
  for (std::size_t at = 0; at < limits.peer_links.size(); ++at) {
    const PeerLink& link = limits.peer_links[at];
    links_.emplace(key(link.a, link.b), at);
    links_.emplace(key(link.b, link.a), at);
  }
  any_over_bus_ = limits.peers_over_bus;
  for (std::size_t at = 0; at < limits.peer_routes.size(); ++at) {
    const PeerRoute& route = limits.peer_routes[at];
    routes_.emplace(key(route.a, route.b), at);
    routes_.emplace(key(route.b, route.a), at);
    any_over_bus_ = any_over_bus_ || route.via.empty();
  }
}

/// Of no bandwidth where they have none.
PeerLink PeerWays::link_between(std::size_t from, std::size_t to) const {
  const auto own = links_.find(key(from, to));
  if (own != links_.end()) return limits_.peer_links[own->second];
  return {from, to, limits_.peer_bytes_per_s, limits_.peers_half_duplex};
}

PeerWay PeerWays::between(std::size_t from, std::size_t to) const {
  PeerWay way;
  if (from == to || limits_.gpus[from].in_host_memory || limits_.gpus[to].in_host_memory)
    return way;
  const auto route = routes_.find(key(from, to));
  if (link_between(from, to).bytes_per_s > 0) {
    pass_link(way, from, to);
  } else if (route != routes_.end() && !limits_.peer_routes[route->second].via.empty()) {
    pass_route(way, from, limits_.peer_routes[route->second]);
  } else if (route != routes_.end() || limits_.peers_over_bus) {
    way.over = PeerWay::Over::bus;
    way.bytes_per_s = std::min(limits_.home_rate(from), limits_.home_rate(to));
    if (limits_.crosses_twice(from, to)) {
      way.bytes_per_s = std::min(way.bytes_per_s, limits_.bus_rate(limits_.gpus[from].bus) / 2);
    }
    way.latency_s = limits_.latency_s;
  }
  return way;
}

void PeerWays::pass_route(PeerWay& way, std::size_t from, const PeerRoute& route) const {
  std::size_t last = from;
  const auto go_to = [&](std::size_t next) {
    pass_link(way, last, next);
    last = next;
  };
  if (from == route.a) {
    std::for_each(route.via.begin(), route.via.end(), go_to);
    go_to(route.b);
  } else {
    std::for_each(route.via.rbegin(), route.via.rend(), go_to);
    go_to(route.a);
  }
}

void PeerWays::pass_link(PeerWay& way, std::size_t from, std::size_t to) const {
  const PeerLink link = link_between(from, to);
  way.over = PeerWay::Over::links;
  way.bytes_per_s = way.links == 0 ? link.bytes_per_s : std::min(way.bytes_per_s, link.bytes_per_s);
  way.latency_s += limits_.latency_s;
  assert(way.links < most_links_of_route);
  way.line_of_link[way.links++] =
      link.half_duplex ? key(std::min(from, to), std::max(from, to)) : key(from, to);
}

}  // namespace damocles
