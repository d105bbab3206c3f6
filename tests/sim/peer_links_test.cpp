// Links between processors: one copy after the other each way, all links at once.

#include "sim/peer_links.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

namespace damocles::peer_links_test {
namespace {

ProcessorId p(std::uint32_t id) { return ProcessorId{id}; }

TEST(PeerLinks, CarryOneCopyAfterTheOtherEachWay) {
  MachineModel machine;
  machine.processors.resize(3);
  machine.latency_s = 1;
  machine.peer_bytes_per_s = 10;
  machine.peer_links = {{2, 0, 20}};
  const RoutingTable routes(machine);
  PeerLinks links(routes.lines());
  const auto order = [&](const PeerLinks::Copy& copy, double bytes, double now) {
    links.order(copy, routes.between(raw(copy.from), raw(copy.to)), bytes, now);
  };
  EXPECT_EQ(links.next_time(), std::numeric_limits<double>::infinity());

  order({p(0), p(1), DataId{5}}, 20, 0);  // ends at 1 + 2
  order({p(0), p(1), DataId{6}}, 10, 0);  // behind it: 3 + 1 + 1
  order({p(1), p(0), DataId{7}}, 10, 0);  // the other way: 2
  order({p(0), p(2), DataId{8}}, 40, 0);  // a faster link: 1 + 2

  EXPECT_EQ(links.next_time(), 2);
  EXPECT_EQ(links.advance().data, DataId{7});
  EXPECT_EQ(links.next_time(), 3);
  EXPECT_EQ(links.advance().data, DataId{5});  // of two that end at once the one asked for first
  EXPECT_EQ(links.advance().to, p(2));
  EXPECT_EQ(links.next_time(), 5);
  EXPECT_EQ(links.advance().data, DataId{6});
  order({p(0), p(1), DataId{9}}, 10, 7);  // free for long
  EXPECT_EQ(links.next_time(), 9);
}

/// A copy that ends: when, and which.
using Ends = std::vector<std::pair<double, std::uint64_t>>;

/// All copies of 20 B, asked for at time 0.
Ends ends_of(const MachineModel& machine, const std::vector<PeerLinks::Copy>& copies) {
  const RoutingTable routes(machine);
  PeerLinks links(routes.lines());
  for (const auto& copy : copies) {
    links.order(copy, routes.between(raw(copy.from), raw(copy.to)), 20, 0);
  }
  Ends ends;
  while (links.next_time() < std::numeric_limits<double>::infinity()) {
    const double now = links.next_time();
    ends.emplace_back(now, raw(links.advance().data));
  }
  return ends;
}

/// Three GPUs in a line, of links of 10 and 20 B/s; a copy waits a second a link.
MachineModel line_of_three() {
  MachineModel machine;
  machine.processors.resize(3);
  machine.latency_s = 1;
  machine.peer_links = {{0, 1, 10}, {1, 2, 20}};
  machine.peer_routes = {{2, 0, {1}}};
  return machine;
}

TEST(PeerLinks, TakeTurnsOfBothDirectionsWhereTheyAreHalfDuplex) {
  MachineModel machine = line_of_three();
  const std::vector<PeerLinks::Copy> there_and_back{
      {p(0), p(1), DataId{5}}, {p(1), p(0), DataId{6}}, {p(1), p(2), DataId{7}}};
  // 1 + 20 / 10 each way, and 1 + 20 / 20 beside them.
  EXPECT_EQ(ends_of(machine, there_and_back), (Ends{{2, 7}, {3, 5}, {3, 6}}));
  machine.peer_links[0].half_duplex = true;
  EXPECT_EQ(ends_of(machine, there_and_back), (Ends{{2, 7}, {3, 5}, {6, 6}}));

  machine.peer_links.clear();
  machine.peer_routes.clear();
  machine.peer_bytes_per_s = 10;
  machine.peers_half_duplex = true;
  EXPECT_EQ(ends_of(machine, there_and_back), (Ends{{3, 5}, {3, 7}, {6, 6}}));
}

TEST(PeerLinks, HoldAllOfARouteAtTheRateOfTheSlowest) {
  MachineModel machine = line_of_three();
  // 2 latencies and 20 / 10 s from 0 to 2; meanwhile neither link has room that way, but
  // back it has: 1 + 20 / 20, and then what goes all the way back, 2 + 20 / 10.
  EXPECT_EQ(ends_of(machine, {{p(0), p(2), DataId{5}},
                              {p(1), p(2), DataId{6}},
                              {p(2), p(1), DataId{7}},
                              {p(2), p(0), DataId{8}}}),
            (Ends{{2, 7}, {4, 5}, {6, 6}, {6, 8}}));
  // Who asks later waits behind a route, also on a link that stands free until then.
  EXPECT_EQ(
      ends_of(machine, {{p(0), p(1), DataId{5}}, {p(0), p(2), DataId{6}}, {p(1), p(2), DataId{7}}}),
      (Ends{{3, 5}, {7, 6}, {9, 7}}));
  machine.peer_links[1].half_duplex = true;  // so it waits for 5, in the other direction, too
  EXPECT_EQ(ends_of(machine, {{p(0), p(2), DataId{5}}, {p(2), p(1), DataId{7}}}),
            (Ends{{4, 5}, {6, 7}}));
}

}  // namespace
}  // namespace damocles::peer_links_test
