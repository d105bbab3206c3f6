// Links between processors: one copy after the other each way, all links at once.

#include "sim/peer_links.hpp"

#include <gtest/gtest.h>

namespace damocles::peer_links_test {
namespace {

ProcessorId p(std::uint32_t id) { return ProcessorId{id}; }

TEST(PeerLinks, CarryOneCopyAfterTheOtherEachWay) {
  Limits limits;
  limits.gpus.resize(3);
  limits.latency_s = 1;
  limits.peer_bytes_per_s = 10;
  limits.peer_links = {{2, 0, 20}};
  PeerLinks links(limits);
  EXPECT_EQ(links.next_time(), std::numeric_limits<double>::infinity());

  links.order({p(0), p(1), DataId{5}}, 20, 0);  // ends at 1 + 2
  links.order({p(0), p(1), DataId{6}}, 10, 0);  // behind it: 3 + 1 + 1
  links.order({p(1), p(0), DataId{7}}, 10, 0);  // the other way: 2
  links.order({p(0), p(2), DataId{8}}, 40, 0);  // a faster link: 1 + 2

  EXPECT_EQ(links.next_time(), 2);
  EXPECT_EQ(links.advance().data, DataId{7});
  EXPECT_EQ(links.next_time(), 3);
  EXPECT_EQ(links.advance().data, DataId{5});  // of two that end at once the one asked for first
  EXPECT_EQ(links.advance().to, p(2));
  EXPECT_EQ(links.next_time(), 5);
  EXPECT_EQ(links.advance().data, DataId{6});
  links.order({p(0), p(1), DataId{9}}, 10, 7);  // free for long
  EXPECT_EQ(links.next_time(), 9);
}

}  // namespace
}  // namespace damocles::peer_links_test
