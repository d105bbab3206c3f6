#include "sim/bus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "models/rng.hpp"

namespace damocles::bus_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A transfer, by when it is asked for.
struct Asked {
  double start_s;
  Bus::Link link;
  double bytes;
};

/// When each transfer ends; `asked` in the order of their starts.
std::vector<double> ends(Bus bus, const std::vector<Asked>& asked) {
  std::vector<double> result(asked.size(), -1);
  const auto advance_until = [&](double time) {
    while (bus.next_time() <= time && bus.next_time() < infinite) {
      const double now = bus.next_time();
      if (const auto ended = bus.advance()) {
        EXPECT_EQ(result[ended->tag], -1) << "ended twice";
        EXPECT_EQ(ended->link, asked[ended->tag].link);
        result[ended->tag] = now;
      }
    }
  };
  for (std::size_t i = 0; i < asked.size(); ++i) {
    advance_until(asked[i].start_s);
    bus.start(asked[i].link, static_cast<std::uint32_t>(i), asked[i].bytes, asked[i].start_s);
  }
  advance_until(infinite);
  return result;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    // Each event rounds times and what is left of each transfer, to 2^-53 of values of this size.
    EXPECT_NEAR(found[i], expected[i], 1e-10 * (1 + expected[i])) << "transfer " << i;
  }
}

/// Rates by bisection of the level w up to which transfers are filled: min(w, equal part of the
/// link), the bus full or every link at its rate.
std::vector<double> filled(double bus, const std::vector<double>& caps) {
  const auto rates = [&](double level) {
    std::vector<double> result;
    for (const double cap : caps) result.push_back(std::min(level, cap));
    return result;
  };
  double low = 0;
  double high = bus;
  for (int halving = 0; halving < 200; ++halving) {
    const double middle = (low + high) / 2;
    const auto sum = rates(middle);
    (std::accumulate(sum.begin(), sum.end(), 0.0) > bus ? high : low) = middle;
  }
  return rates(low);
}

/// The same by stepping from event to event over all transfers there will ever be.
std::vector<double> naive_fair_ends(double bus, double latency, const std::vector<double>& links,
                                    const std::vector<Asked>& asked) {
  std::vector<double> left;
  for (const auto& transfer : asked) left.push_back(transfer.bytes);
  std::vector<double> result(asked.size(), -1);
  double now = 0;
  while (std::count(result.begin(), result.end(), -1.0) > 0) {
    std::vector<std::size_t> flowing;
    std::vector<double> sharers(links.size(), 0);
    double step = infinite;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (result[i] >= 0) continue;
      const double flows_at = asked[i].start_s + latency;
      if (flows_at > now) {
        step = std::min(step, flows_at - now);
        continue;
      }
      flowing.push_back(i);
      sharers[asked[i].link] += 1;
    }
    std::vector<double> caps;
    for (const auto i : flowing) caps.push_back(links[asked[i].link] / sharers[asked[i].link]);
    const auto rates = filled(bus, caps);
    for (std::size_t f = 0; f < flowing.size(); ++f) {
      step = std::min(step, left[flowing[f]] / rates[f]);
    }
    for (std::size_t f = 0; f < flowing.size(); ++f) {
      const bool last = left[flowing[f]] / rates[f] <= step * (1 + 1e-12);
      left[flowing[f]] -= rates[f] * step;
      if (last) result[flowing[f]] = now + step;
    }
    // A start comes exactly at its time, whatever the sum of the steps rounds to.
    const double next = now + step;
    now = next;
    for (const auto& transfer : asked) {
      if (std::abs(transfer.start_s + latency - next) < 1e-12) {
        now = std::max(now, transfer.start_s + latency);
      }
    }
  }
  return result;
}

TEST(Bus, HasNothingToDoAtFirst) {
  EXPECT_EQ(Bus(1, 0, BusSharing::fair, {1}).next_time(), infinite);
}

TEST(Bus, MovesBytesAtItsRate) {
  // 30 bytes at 10 B/s, asked for at 2 s.
  EXPECT_EQ(ends(Bus(10, 0, BusSharing::fair, {infinite}), {{2, 0, 30}}), (std::vector<double>{5}));
}

TEST(Bus, IsCappedByTheLink) {
  EXPECT_EQ(ends(Bus(10, 0, BusSharing::fair, {5}), {{0, 0, 30}}), (std::vector<double>{6}));
  EXPECT_EQ(ends(Bus(10, 0, BusSharing::fifo, {5}), {{0, 0, 30}}), (std::vector<double>{6}));
}

TEST(Bus, SharesItsRateFairly) {
  // 5 B/s each until 4 s, when the first has its 20; the other then has 20 of 40 left, at 10 B/s.
  expect_near(ends(Bus(10, 0, BusSharing::fair, {infinite, infinite}), {{0, 0, 20}, {0, 1, 40}}),
              {4, 6});
}

TEST(Bus, SharesFromWhenATransferStarts) {
  // Alone until 1 s (10 of 40 B), then 5 B/s each: the second's 20 B until 5 s, when the first has
  // 10 left at 10 B/s.
  expect_near(ends(Bus(10, 0, BusSharing::fair, {infinite, infinite}), {{0, 0, 40}, {1, 1, 20}}),
              {6, 5});
}

TEST(Bus, LeavesToOthersWhatASlowLinkCannotTake) {
  // Max-min: 2 B/s for the slow link, 4 for each of the others.
  expect_near(ends(Bus(10, 0, BusSharing::fair, {2, infinite, infinite}),
                   {{0, 0, 4}, {0, 1, 8}, {0, 2, 8}}),
              {2, 2, 2});
}

TEST(Bus, SharesALinkAmongItsTransfers) {
  // Link 0 has 4 B/s: 2 each for its two; 6 for the other, up to 1 s.
  expect_near(ends(Bus(10, 0, BusSharing::fair, {4, infinite}), {{0, 0, 2}, {0, 0, 2}, {0, 1, 6}}),
              {1, 1, 1});
}

TEST(Bus, TakesNoBandwidthDuringTheLatency) {
  // The first flows from 2 s on; the second is asked for at 3 s and flows from 5 s on: until then
  // the first has all, 30 of its 40 B; then 5 B/s each: 10 B more take both until 7 s.
  expect_near(ends(Bus(10, 2, BusSharing::fair, {infinite, infinite}), {{0, 0, 40}, {3, 1, 10}}),
              {7, 7});
}

TEST(Bus, ServesOneAfterTheOtherIfFifo) {
  // Each waits 1 s of latency when its turn comes: 0+1+2, 3+1+3 (slow link: 5 B/s), 7+1+1.
  expect_near(
      ends(Bus(10, 1, BusSharing::fifo, {infinite, 5}), {{0, 0, 20}, {0.5, 1, 15}, {0.6, 0, 10}}),
      {3, 7, 9});
}

TEST(Bus, IsIdleBetweenTransfersThatDoNotMeet) {
  for (const auto sharing : {BusSharing::fair, BusSharing::fifo}) {
    expect_near(ends(Bus(10, 0.5, sharing, {infinite}), {{0, 0, 10}, {7, 0, 10}}), {1.5, 8.5});
  }
}

TEST(Bus, EndsEqualTransfersByLinkThenInOrder) {
  Bus bus(8, 0, BusSharing::fair, {infinite, infinite});
  bus.start(1, 7, 2, 0);
  bus.start(0, 8, 2, 0);
  bus.start(0, 9, 2, 0);
  std::vector<std::uint32_t> tags;

  while (bus.next_time() < infinite) {
    if (const auto ended = bus.advance()) tags.push_back(ended->tag);
  }

  EXPECT_EQ(tags, (std::vector<std::uint32_t>{8, 9, 7}));
}

/// Up to 12 transfers of 1 to 100 bytes on up to 4 links, many at equal times.
std::vector<Asked> random_transfers(Rng& rng, std::size_t links) {
  std::vector<Asked> asked(1 + rng.below(12));
  double now = 0;
  for (auto& transfer : asked) {
    if (rng.below(2) == 0) now += static_cast<double>(rng.below(20)) / 4;
    transfer = {now, static_cast<Bus::Link>(rng.below(links)),
                static_cast<double>(1 + rng.below(100))};
  }
  return asked;
}

std::vector<double> random_links(Rng& rng) {
  std::vector<double> links(1 + rng.below(4));
  for (double& link : links) {
    link = rng.below(3) == 0 ? infinite : static_cast<double>(1 + rng.below(12));
  }
  return links;
}

TEST(Bus, AgreesWithNaiveFillingOnRandomTransfers) {
  Rng rng(1, Draw::test, 0);
  for (int instance = 0; instance < 1'000; ++instance) {
    const auto links = random_links(rng);
    const auto asked = random_transfers(rng, links.size());
    const double latency = rng.below(2) == 0 ? 0 : 0.375;

    expect_near(ends(Bus(10, latency, BusSharing::fair, links), asked),
                naive_fair_ends(10, latency, links, asked));
    if (HasFailure()) FAIL() << "instance " << instance;
  }
}

TEST(Bus, AgreesWithOneQueueOnRandomTransfersIfFifo) {
  Rng rng(2, Draw::test, 0);
  for (int instance = 0; instance < 1'000; ++instance) {
    const auto links = random_links(rng);
    const auto asked = random_transfers(rng, links.size());
    std::vector<double> expected;
    double free_s = 0;
    for (const auto& transfer : asked) {
      free_s = std::max(free_s, transfer.start_s) + 0.375 +
               transfer.bytes / std::min(10.0, links[transfer.link]);
      expected.push_back(free_s);
    }

    expect_near(ends(Bus(10, 0.375, BusSharing::fifo, links), asked), expected);
    if (HasFailure()) FAIL() << "instance " << instance;
  }
}

TEST(Bus, MovesAllBytesAtItsFullRateWhileAnyFlow) {
  Rng rng(3, Draw::test, 0);
  for (int instance = 0; instance < 200; ++instance) {
    // 200 bytes from the start on keep the bus of 10 B/s busy until all have been asked for, < 20
    // s.
    std::vector<Asked> asked{{0, 0, 200}};
    double bytes = 200;
    for (int i = 0; i < 30; ++i) {
      asked.push_back({asked.back().start_s + rng.uniform() / 2,
                       static_cast<Bus::Link>(rng.below(3)), 1 + 9 * rng.uniform()});
      bytes += asked.back().bytes;
    }
    for (const auto sharing : {BusSharing::fair, BusSharing::fifo}) {
      const auto found = ends(Bus(10, 0, sharing, {infinite, infinite, infinite}), asked);
      EXPECT_NEAR(*std::max_element(found.begin(), found.end()), bytes / 10, 1e-9 * bytes);
    }
  }
}

}  // namespace
}  // namespace damocles::bus_test
