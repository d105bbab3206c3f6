#include "experiments/measured/peer.hpp"

#include <gtest/gtest.h>

// The same world as StarPU on SimGrid: its runs, docs/explanation/peers.md, beside ours.

namespace damocles::peer_test {
namespace {

TEST(Peer, AgreesWithOursOrNamesItsCause) {
  for (const auto& row : compare_with_peer(peer_points(), 3, 1, 1)) {
    EXPECT_TRUE(row.within_goal() || !row.peer->cause.empty())
        << row.peer->policy << " on " << row.peer->gpus << ", N = " << row.peer->n << ": "
        << row.gflops << " / " << row.loads;
  }
}

/// One GPU, lists that leave no choice: to the last load, and within 3 % in GFlop/s.
TEST(Peer, OfNoChoiceIsOursToTheLastLoad) {
  std::size_t compared = 0;
  for (const auto& row : compare_with_peer(peer_points(), 3, 1, 1)) {
    const auto& peer = *row.peer;
    if (peer.gpus > 1 || (peer.strategy != "eager" && peer.strategy != "mst")) continue;
    EXPECT_EQ(row.loads, peer.loads) << peer.policy << ", N = " << peer.n;
    EXPECT_NEAR(row.gflops, peer.gflops, 0.03 * peer.gflops);
    ++compared;
  }
  EXPECT_EQ(compared, 6U);
}

TEST(Peer, GoalIsOnGflopsAndLoads) {
  PeerPoint peer{"eager", "eager", 2, 1, 20, 12, 1000, 100, ""};
  PeerCompared row{&peer, 1049, 104};
  EXPECT_TRUE(row.within_goal());
  row.gflops = 1051;
  EXPECT_FALSE(row.within_goal());
  peer.gflops = 0;  // not known
  EXPECT_TRUE(row.within_goal());
  row.loads = 106;
  EXPECT_FALSE(row.within_goal());
  peer.loads = 10;  // 5 % of 10 is less than the 2 that two of its own runs differ by
  row.loads = 12;
  EXPECT_TRUE(row.within_goal());
}

}  // namespace
}  // namespace damocles::peer_test
