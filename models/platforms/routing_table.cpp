#include "models/platforms/routing_table.hpp"

#include <algorithm>
#include <cassert>

namespace damocles {

RoutingTable::RoutingTable(const MachineModel& machine)
    : machine_(machine), processors_(machine.processors.size()), any_(machine.has_peers()) {
  for (std::size_t at = 0; at < machine.peer_links.size(); ++at) {
    const PeerLink& link = machine.peer_links[at];
    links_.emplace(key(link.a, link.b), at);
    links_.emplace(key(link.b, link.a), at);
  }
  any_over_bus_ = machine.peers_over_bus;
  for (std::size_t at = 0; at < machine.peer_routes.size(); ++at) {
    const PeerRoute& route = machine.peer_routes[at];
    routes_.emplace(key(route.a, route.b), at);
    routes_.emplace(key(route.b, route.a), at);
    any_over_bus_ = any_over_bus_ || route.via.empty();
  }
}

/// Of no bandwidth where they have none.
PeerLink RoutingTable::link_between(std::size_t from, std::size_t to) const {
  const auto own = links_.find(key(from, to));
  if (own != links_.end()) return machine_.peer_links[own->second];
  return {from, to, machine_.peer_bytes_per_s, machine_.peers_half_duplex};
}

PeerPath RoutingTable::between(std::size_t from, std::size_t to) const {
  PeerPath path;
  if (from == to || machine_.processors[from].in_host_memory ||
      machine_.processors[to].in_host_memory)
    return path;
  const auto route = routes_.find(key(from, to));
  if (link_between(from, to).bytes_per_s > 0) {
    pass_link(path, from, to);
  } else if (route != routes_.end() && !machine_.peer_routes[route->second].via.empty()) {
    pass_route(path, from, machine_.peer_routes[route->second]);
  } else if (route != routes_.end() || machine_.peers_over_bus) {
    path.over = PeerPath::Over::bus;
    path.bytes_per_s = std::min(machine_.home_rate(from), machine_.home_rate(to));
    if (machine_.crosses_twice(from, to)) {
      path.bytes_per_s =
          std::min(path.bytes_per_s, machine_.bus_rate(machine_.processors[from].bus) / 2);
    }
    path.latency_s = machine_.latency_s;
  }
  return path;
}

void RoutingTable::pass_route(PeerPath& path, std::size_t from, const PeerRoute& route) const {
  std::size_t last = from;
  const auto go_to = [&](std::size_t next) {
    pass_link(path, last, next);
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

void RoutingTable::pass_link(PeerPath& path, std::size_t from, std::size_t to) const {
  const PeerLink link = link_between(from, to);
  path.over = PeerPath::Over::links;
  path.bytes_per_s =
      path.links == 0 ? link.bytes_per_s : std::min(path.bytes_per_s, link.bytes_per_s);
  path.latency_s += machine_.latency_s;
  assert(path.links < most_links_of_route);
  path.line_of_link[path.links++] =
      link.half_duplex ? key(std::min(from, to), std::max(from, to)) : key(from, to);
}

}  // namespace damocles
