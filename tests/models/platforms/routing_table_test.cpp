#include "models/platforms/routing_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "tests/models/platforms/platform_file.hpp"

namespace damocles::routing_table_test {
namespace {

MachineModel machine(const std::string& text) { return Scenario::parse(text).machine().value(); }

class PeerWaysFile : public PlatformFile {};

TEST(RoutingTable, AreLinks) {
  EXPECT_FALSE(machine("gpus:k=2").has_peers());
  const MachineModel given = machine("gpus:k=3,peers=24.1GB/s");
  EXPECT_TRUE(given.has_peers());
  EXPECT_EQ(given.peer_rate(0, 2), 24.1e9);
  EXPECT_EQ(given.peer_rate(1, 1), 0);
  const MachineModel node = machine("gpus:k=4,peers=24.1GB/s+0-3:47.8GB/s+2-1:1GB/s");
  EXPECT_EQ(node.peer_rate(0, 1), 24.1e9);
  EXPECT_EQ(node.peer_rate(3, 0), 47.8e9);
  EXPECT_EQ(node.peer_rate(1, 2), 1e9);
  const MachineModel pair = machine("gpus:k=3,peers=0-1:1GB/s");
  EXPECT_TRUE(pair.has_peers());
  EXPECT_EQ(pair.peer_rate(0, 2), 0);
  EXPECT_EQ(
      refusal("gpus:k=2,peers=0-2:1GB/s"),
      "platform 'gpus:k=2,peers=0-2:1GB/s': peers names GPU 2, but there are 2, numbered from 0");
  EXPECT_FALSE(node.peers_half_duplex);
  const MachineModel half = machine("gpus:k=4,peers=24GB/s:half+0-3:48GB/s+1-2:1GB/s:half");
  EXPECT_TRUE(half.peers_half_duplex);
  EXPECT_FALSE(half.peer_links[0].half_duplex);
  EXPECT_TRUE(half.peer_links[1].half_duplex);
  EXPECT_EQ(half.peer_rate(1, 2), 1e9);
  EXPECT_EQ(
      refusal("gpus:k=2,peers=1GB/s:quarter"),
      "platform 'gpus:k=2,peers=1GB/s:quarter': peers must be a bandwidth, or one of a pair of "
      "GPUs, as 24GB/s+0-3:48GB/s or 0-3:48GB/s:half, not '1GB/s:quarter'");
  for (const auto* peers : {"0:1GB/s", "0-0:1GB/s", "-:1GB/s", "0-x:1GB/s", ":1GB/s", "0-:1GB/s"}) {
    EXPECT_EQ(
        refusal(std::string("gpus:k=2,peers=") + peers),
        std::string("platform 'gpus:k=2,peers=") + peers +
            "': peers must be a bandwidth, or one of a pair of GPUs, as 24GB/s+0-3:48GB/s or 0-3:48GB/s:half, not '" +
            peers + "'");
  }
  EXPECT_EQ(
      refusal("gpus:peers=fast"),
      "platform 'gpus:peers=fast': peers must be a rate in bytes per second, such as 12GB/s, not 'fast'");
}

TEST(RoutingTable, AreRoutesWhereThereIsNoLink) {
  const MachineModel given = machine(
      "gpus:k=5,bandwidth=10GB/s,link=8GB/s,peers=0-1:20GB/s+1-2:30GB/s,routes=0-1-2+3-bus-0");
  EXPECT_EQ(given.peer_rate(0, 2), 20e9);
  EXPECT_EQ(given.peer_rate(2, 0), 20e9);
  EXPECT_EQ(given.peer_rate(0, 3), 5e9);  // there and back over one bus of 10 GB/s
  EXPECT_EQ(given.peer_rate(1, 3), 0);
  const MachineModel all = machine("gpus:k=3,bandwidth=10GB/s+4GB/s,peers=0-1:20GB/s,routes=bus");
  EXPECT_TRUE(all.has_peers());
  EXPECT_EQ(all.peer_rate(0, 1), 20e9);
  EXPECT_EQ(all.peer_rate(0, 2), 4e9);
  EXPECT_EQ(all.peer_rate(1, 1), 0);
  const MachineModel once = machine("gpus:k=2,bandwidth=10GB/s,routes=bus:once");
  EXPECT_TRUE(once.has_peers());
  EXPECT_EQ(once.peer_rate(0, 1), 10e9);
  const MachineModel cores = machine("gpus:k=2,cpus=1,cpu_gflops=1,routes=bus");
  EXPECT_FALSE(cores.has_links());
  EXPECT_EQ(cores.peer_rate(0, 2), 0);
}

TEST(RoutingTable, AreRefusedWhereTheyLeadNowhere) {
  const auto told = [](const std::string& routes, const std::string& why) {
    const std::string text = "gpus:k=4,peers=0-1:2GB/s+1-2:1GB/s,routes=" + routes;
    EXPECT_EQ(refusal(text), "platform '" + text + "': " + why);
  };
  const auto no_route = [&](const std::string& routes) {
    told(
        routes,
        "routes must be bus, bus:once, or GPUs from end to end, as 0-1-3 (over those of 1) or 0-bus-2, not '" +
            routes + "'");
  };
  no_route("0-2");
  no_route("0");
  no_route("0-bus");
  no_route("0-1-x");
  no_route("0--2");
  no_route("0-bus-1-2");
  no_route("bus-2");
  no_route("home");
  no_route("bus:twice");
  told("0-1-3", "route 0-1-3 needs a link between GPUs 1 and 3; add peers=1-3:24GB/s");
  told("0-1-0", "route 0-1-0 comes to GPU 0 twice; name each once");
  told("0-1-2-1-3", "route 0-1-2-1-3 comes to GPU 1 twice; name each once");
  told("3-bus-3", "route 3-bus-3 comes to GPU 3 twice; name each once");
  told("0-1-4", "route 0-1-4 names GPU 4, but there are 4, numbered from 0");
  told("0-bus-1",
       "route 0-bus-1 is of two GPUs with a link of their own, which they take; leave it out");
  told("0-1-2+2-bus-0", "route 2-bus-0 is the second of GPUs 2 and 0; give one");
  std::string far = "0";
  for (int gpu = 1; gpu <= 17; ++gpu) far += "-" + std::to_string(gpu);
  EXPECT_EQ(refusal("gpus:k=18,routes=" + far), "platform 'gpus:k=18,routes=" + far + "': route " +
                                                    far + " goes over 17 links; give at most 16");
}

TEST_F(PeerWaysFile, AreLinksOfPairs) {
  EXPECT_EQ(
      file_refusal("[[gpus]]\ncount = 3\n[[links]]\nbetween = [0, 3]\nbandwidth = \"1GB/s\"\n"),
      "platform file 'FILE', line 4: there is no GPU 3; the platform has GPUs 0 to 2");
  EXPECT_EQ(
      file_refusal("[[gpus]]\ncount = 3\n[[links]]\nbetween = [0, 0]\nbandwidth = \"1GB/s\"\n"),
      "platform file 'FILE', line 3: between must be two different GPUs, as [0, 1]");
  EXPECT_EQ(
      file_refusal("[[gpus]]\ncount = 3\n[[links]]\nbetween = [0, 1]\n"),
      "platform file 'FILE', line 3: a link without bandwidth; give one, as bandwidth = \"24GB/s\"");
  EXPECT_EQ(file_refusal("links = 3\n[[gpus]]\ncount = 3\n"),
            "platform file 'FILE', line 1: links must be tables: [[links]]");
}

TEST_F(PeerWaysFile, AreLinksThatTakeTurnsAndRoutes) {
  const MachineModel given = machine(write(R"([bus]
bandwidth = "10GB/s"
[[gpus]]
count = 4
[[links]]
between = [0, 1]
bandwidth = "3GB/s"
duplex = false
[[links]]
between = [1, 2]
bandwidth = "2GB/s"
duplex = true
[[routes]]
between = [0, 2]
via = [1]
[[routes]]
between = [0, 3]
via = "bus"
)"));
  EXPECT_TRUE(given.peer_links[0].half_duplex);
  EXPECT_FALSE(given.peer_links[1].half_duplex);
  EXPECT_EQ(given.peer_rate(2, 0), 2e9);
  EXPECT_EQ(given.peer_rate(3, 0), 5e9);  // there and back over one bus
  EXPECT_EQ(given.peer_rate(3, 1), 0);
  EXPECT_EQ(machine(write("[bus]\nbandwidth = \"10GB/s\"\nroutes = \"bus\"\n[[gpus]]\ncount = 2\n"))
                .peer_rate(0, 1),
            5e9);

  const std::string four = "[[gpus]]\ncount = 4\n";
  EXPECT_EQ(file_refusal(four + "[[links]]\nbetween = [0, 1]\nbandwidth = \"1GB/s\"\nduplex = 1\n"),
            "platform file 'FILE', line 6: duplex must be true or false, not '1'");
  EXPECT_EQ(file_refusal(four + "[[routes]]\nbetween = [0, 4]\nvia = [1]\n"),
            "platform file 'FILE', line 4: there is no GPU 4; the platform has GPUs 0 to 3");
  EXPECT_EQ(file_refusal(four + "[[routes]]\nbetween = [0, 2]\nvia = [1]\n"),
            "platform file 'FILE': route 0-1-2 needs a link between GPUs 0 and 1 and between "
            "GPUs 1 and 2; add peers=0-1:24GB/s+1-2:24GB/s");
  EXPECT_EQ(file_refusal(four + "[[routes]]\nbetween = [0, 2]\nvia = [4]\n"),
            "platform file 'FILE', line 5: there is no GPU 4; the platform has GPUs 0 to 3");
  for (const std::string via : {"via = []", "via = \"home\"", "via = 1"}) {
    EXPECT_EQ(
        file_refusal(four + "[[routes]]\nbetween = [0, 2]\n" + via + "\n"),
        "platform file 'FILE', line 5: via must be \"bus\", or the GPUs from one end to the other, as [1], of 4 (from 0)");
  }
  EXPECT_EQ(
      file_refusal(four + "[[routes]]\nbetween = [0, 2]\n"),
      "platform file 'FILE', line 3: via must be \"bus\", or the GPUs from one end to the other, as [1], of 4 (from 0)");
}

/// 0 - 1 - 2, of which the second link is half duplex; 3 is behind the bus alone.
TEST(RoutingTable, HoldALineForEachLinkTheyPass) {
  const MachineModel given = machine(
      "gpus:k=4,bandwidth=8GB/s,latency=2us,peers=0-1:20GB/s+1-2:10GB/s:half,routes=0-1-2+0-bus-3");
  const RoutingTable routes(given);
  const auto lines = [&](std::size_t from, std::size_t to) {
    const PeerPath path = routes.between(from, to);
    return std::vector<std::uint64_t>(path.lines().begin(), path.lines().end());
  };
  EXPECT_EQ(routes.between(0, 2).over, PeerPath::Over::links);
  EXPECT_EQ(routes.between(0, 2).bytes_per_s, 10e9);
  EXPECT_DOUBLE_EQ(routes.between(0, 2).latency_s, 4e-6);
  EXPECT_EQ(lines(0, 2), (std::vector{lines(0, 1)[0], lines(1, 2)[0]}));
  EXPECT_EQ(lines(2, 0), (std::vector{lines(2, 1)[0], lines(1, 0)[0]}));
  EXPECT_NE(lines(0, 1), lines(1, 0));
  EXPECT_EQ(lines(1, 2), lines(2, 1));
  EXPECT_EQ(routes.between(3, 0).over, PeerPath::Over::bus);
  EXPECT_EQ(routes.between(3, 0).bytes_per_s, 4e9);  // out and in over one bus
  EXPECT_DOUBLE_EQ(routes.between(3, 0).latency_s, 2e-6);
  EXPECT_EQ(lines(3, 0).size(), 0U);
  EXPECT_EQ(routes.between(3, 1).over, PeerPath::Over::nothing);
  for (std::size_t from = 0; from < 3; ++from) {
    for (const std::uint64_t line : lines(from, 1)) EXPECT_LT(line, routes.lines());
  }
}

}  // namespace
}  // namespace damocles::routing_table_test
