#include "gpu/host/throttled_bus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/gpu/host/soonest.hpp"

namespace damocles::throttled_bus_test {
namespace {

constexpr std::size_t mib = 1U << 20U;
/// A thread that is late lets others go first; on a busy machine the best of several counts.
constexpr int attempts = 5;
/// Times the bus says follow from bandwidths alone unless memcpy is slower, so these are slow.
constexpr double bus_rate = 64 * static_cast<double>(mib);  // [B/s]

MachineModel machine_of_platform(std::size_t links, double link_rate, BusSharing sharing,
                                 double latency_s = 0) {
  MachineModel machine{.processors = {}, .bus_bytes_per_s = bus_rate, .latency_s = latency_s};
  machine.sharing = sharing;
  for (std::size_t i = 0; i < links; ++i) {
    machine.processors.push_back(
        {.flops_per_s = 1, .memory_bytes = 1, .link_bytes_per_s = link_rate});
  }
  return machine;
}

/// Pieces to copy from and to, one a link.
struct Pieces {
  Pieces(std::size_t links, std::size_t bytes)
      : from(links, std::vector<std::byte>(bytes)), to(links, std::vector<std::byte>(bytes)) {
    for (std::size_t link = 0; link < links; ++link) {
      for (std::size_t i = 0; i < bytes; ++i) {
        from[link][i] = static_cast<std::byte>((i * 31 + link) & 0xffU);
      }
    }
  }
  std::vector<std::vector<std::byte>> from;
  std::vector<std::vector<std::byte>> to;
};

/// Asked for and carried out at once.
Interval copy(ThrottledBus& bus, std::size_t link, Pieces& pieces, std::size_t bytes,
              double ready_s) {
  return bus.copy(bus.ask(link, pieces.to[link].data(), pieces.from[link].data(), bytes, ready_s));
}

TEST(ThrottledBus, TakesBytesOverBandwidthAfterTheLatency) {
  for (const auto sharing : {BusSharing::fair, BusSharing::fifo}) {
    Pieces pieces(1, mib);
    RunClock clock;
    ThrottledBus bus(machine_of_platform(1, 1e12, sharing, 0.01), true, clock);
    const double end_s = soonest([&] {
      bus.reset();
      clock.start();
      const Interval when = copy(bus, 0, pieces, mib, 0.005);
      EXPECT_GE(clock.now_s(), when.end_s);
      EXPECT_EQ(when.begin_s, 0.005);
      return when.end_s;
    });

    EXPECT_NEAR(end_s, 0.005 + 0.01 + 1.0 / 64, 1e-9);  // 1 MiB at 64 MiB/s
    EXPECT_EQ(pieces.to[0], pieces.from[0]);
  }
}

TEST(ThrottledBus, IsAsSlowAsASlowLink) {
  Pieces pieces(1, mib);
  RunClock clock;
  ThrottledBus bus(machine_of_platform(1, bus_rate / 2, BusSharing::fair), true, clock);

  const double end_s = soonest([&] {
    bus.reset();
    return copy(bus, 0, pieces, mib, 0).end_s;
  });

  EXPECT_NEAR(end_s, 2.0 / 64, 1e-9);
}

/// Copies 2 MiB over each of two links from 0 on; when each ended.
std::vector<double> ends_of_two(BusSharing sharing, double link_rate) {
  Pieces pieces(2, 2 * mib);
  RunClock clock;
  ThrottledBus bus(machine_of_platform(2, link_rate, sharing), true, clock);
  std::vector<double> ends(2);
  std::vector<std::thread> threads;
  std::atomic<bool> go{false};
  for (std::size_t link = 0; link < 2; ++link) {
    threads.emplace_back([&, link] {
      while (!go) std::this_thread::yield();
      ends[link] = copy(bus, link, pieces, 2 * mib, 0).end_s;
    });
  }
  clock.start();
  go = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pieces.to, pieces.from);
  return ends;
}

/// The same 4 MiB in all take 1/16 s at least, whoever goes first. At worst they take turns badly:
/// the bus stands still while a thread is late, so no upper bound holds on a busy machine.
TEST(ThrottledBus, CarriesNoMoreThanItsBandwidth) {
  for (const auto sharing : {BusSharing::fair, BusSharing::fifo}) {
    const auto ends = ends_of_two(sharing, 1e12);

    EXPECT_GE(std::max(ends[0], ends[1]), 4.0 / 64 - 1e-9);
  }
}

/// Under fair sharing both go on until near the end: whoever ends first has seen at least half of
/// the other's bytes pass, were threads on time; we ask for a quarter. Under fifo sharing the first
/// has the bus alone.
TEST(ThrottledBus, SharesFairlyOrInOrder) {
  double first_of_fair = 0;
  for (int i = 0; i < attempts; ++i) {
    const auto fair = ends_of_two(BusSharing::fair, 1e12);
    first_of_fair = std::max(first_of_fair, std::min(fair[0], fair[1]));
  }
  double first_in_turn = 1;
  const double last_in_turn = soonest([&] {
    const auto fifo = ends_of_two(BusSharing::fifo, 1e12);
    first_in_turn = std::min({first_in_turn, fifo[0], fifo[1]});
    return std::max(fifo[0], fifo[1]);
  });

  EXPECT_GE(first_of_fair, 2.5 / 64);
  EXPECT_NEAR(first_in_turn, 2.0 / 64, 1e-9);
  EXPECT_NEAR(last_in_turn, 4.0 / 64, 1e-9);
}

/// Whoever asked first has the bus first, though another thread comes to its copy first; and the
/// latency of one passes while the bus stands still, as in the simulator.
TEST(ThrottledBus, KeepsTheOrderInWhichCopiesWereAskedFor) {
  Pieces pieces(2, 2 * mib);
  RunClock clock;
  ThrottledBus bus(machine_of_platform(2, 1e12, BusSharing::fifo, 0.01), true, clock);
  const auto ask = [&](std::size_t link, std::size_t bytes, double ready_s) {
    return bus.ask(link, pieces.to[link].data(), pieces.from[link].data(), bytes, ready_s);
  };
  double first_end_s = 1;
  const double second_end_s = soonest([&] {
    bus.reset();
    const auto first = ask(0, 2 * mib, 0.001);
    const auto second = ask(1, mib, 0.002);
    const Interval of_second = bus.copy(second);
    const Interval of_first = bus.copy(first);
    EXPECT_EQ(of_first.begin_s, 0.001);
    EXPECT_EQ(of_second.begin_s, 0.002);
    first_end_s = std::min(first_end_s, of_first.end_s);
    return of_second.end_s;
  });

  EXPECT_NEAR(first_end_s, 0.001 + 0.01 + 2.0 / 64, 1e-9);
  EXPECT_NEAR(second_end_s, 0.001 + 0.02 + 3.0 / 64, 1e-9);
  // And after a reset nobody is before the next.
  const double next_end_s = soonest([&] {
    bus.reset();
    return bus.copy(ask(0, mib, 0)).end_s;
  });
  EXPECT_NEAR(next_end_s, 0.01 + 1.0 / 64, 1e-9);
}

TEST(ThrottledBus, GoesNoFasterInTurnThanALink) {
  Pieces pieces(1, mib);
  RunClock clock;
  ThrottledBus bus(machine_of_platform(1, bus_rate / 4, BusSharing::fifo), true, clock);

  const double end_s = soonest([&] {
    bus.reset();
    return copy(bus, 0, pieces, mib, 0).end_s;
  });

  EXPECT_NEAR(end_s, 4.0 / 64, 1e-9);
}

/// Two links of half the bus fill it and do not wait for each other: each takes 2 MiB over 32
/// MiB/s, and not twice that as if one went after the other.
TEST(ThrottledBus, CarriesTwoSlowLinksAtOnce) {
  double both = 1;
  for (int i = 0; i < attempts; ++i) {
    const auto ends = ends_of_two(BusSharing::fair, bus_rate / 2);
    for (const double end : ends) EXPECT_GE(end, 2.0 / 32 - 1e-9);
    both = std::min(both, std::max(ends[0], ends[1]));
  }

  EXPECT_LT(both, 3.5 / 32);
}

/// From 0 to 1 one copy after the other, each after its latency; from 1 to 0 and on the bus at
/// once.
TEST(ThrottledBus, LeavesCopiesBetweenProcessorsToTheirLinks) {
  for (const auto sharing : {BusSharing::fair, BusSharing::fifo}) {
    const RunClock clock;
    MachineModel machine = machine_of_platform(2, 1e12, sharing, 0.01);
    machine.peer_bytes_per_s = 2 * bus_rate;
    ThrottledBus bus(machine, true, clock);
    std::vector<std::byte> from(mib, std::byte{7});
    std::vector<std::byte> to(mib);
    const double each_s = 0.01 + 1.0 / 128;  // 1 MiB at 128 MiB/s

    const auto first = bus.ask_peer(0, 1, to.data(), from.data(), mib, 0.5);
    const auto second = bus.ask_peer(0, 1, to.data(), from.data(), mib, 0.5);
    const auto back = bus.ask_peer(1, 0, to.data(), from.data(), mib, 0.5);
    const auto on_bus = bus.ask(1, to.data(), from.data(), mib, 0.5);

    EXPECT_NEAR(first.turn.end_s, 0.5 + each_s, 1e-12);
    EXPECT_NEAR(second.turn.end_s, 0.5 + 2 * each_s, 1e-12);
    EXPECT_NEAR(back.turn.end_s, 0.5 + each_s, 1e-12);
    EXPECT_EQ(on_bus.turn.begin_s, 0.5);
    EXPECT_GE(bus.copy(first).end_s, first.turn.end_s);
    EXPECT_EQ(to, from);
  }
}

/// 0 - 1 - 2: a copy over both links holds both, at 64 MiB/s, and waits two latencies.
TEST(ThrottledBus, HoldsAllLinksOfARoute) {
  const RunClock clock;
  MachineModel machine = machine_of_platform(3, 1e12, BusSharing::fair, 0.01);
  machine.peer_links = {{0, 1, 2 * bus_rate, true}, {2, 1, bus_rate}};
  machine.peer_routes = {{2, 0, {1}}};
  ThrottledBus bus(machine, true, clock);
  std::vector<std::byte> from(mib, std::byte{7});
  std::vector<std::byte> to(mib);
  const auto ask = [&](std::size_t lender, std::size_t borrower) {
    return bus.ask_peer(lender, borrower, to.data(), from.data(), mib, 0.5).turn;
  };

  const double over_both_s = 0.02 + 1.0 / 64;
  EXPECT_NEAR(ask(0, 2).end_s, 0.5 + over_both_s, 1e-12);
  const double behind_s = 0.5 + over_both_s + 0.01 + 1.0 / 128;  // the other way, but half duplex
  EXPECT_NEAR(ask(1, 0).end_s, behind_s, 1e-12);
  EXPECT_NEAR(ask(2, 1).end_s, 0.5 + 0.01 + 1.0 / 64, 1e-12);
  EXPECT_NEAR(ask(2, 0).end_s, behind_s + over_both_s, 1e-12);
}

/// From 0 on bus 0 to 1 on bus 1, of half the rate: as long as a copy from host memory there, which
/// it keeps waiting under fifo sharing, as it does one to 0.
TEST(ThrottledBus, CarriesCopiesBetweenProcessorsOverTheBus) {
  for (const auto sharing : {BusSharing::fair, BusSharing::fifo}) {
    const RunClock clock;
    MachineModel machine = machine_of_platform(2, 1e12, sharing, 0.01);
    machine.peers_over_bus = true;
    machine.processors[1].bus = 1;
    machine.bus_rates = {bus_rate, bus_rate / 2};
    ThrottledBus bus(machine, true, clock);
    std::vector<std::byte> from(mib, std::byte{7});
    std::vector<std::byte> to(mib);

    const double end_s = soonest([&] {
      bus.reset();
      return bus.copy(bus.ask_peer(0, 1, to.data(), from.data(), mib, 0)).end_s;
    });
    EXPECT_NEAR(end_s, 0.01 + 1.0 / 32, 1e-9);
    EXPECT_EQ(to, from);
    if (sharing == BusSharing::fair) continue;
    bus.reset();
    (void)bus.ask_peer(0, 1, to.data(), from.data(), mib, 0);
    EXPECT_NEAR(bus.ask(1, to.data(), from.data(), mib, 0).turn.end_s, 0.02 + 2.0 / 32, 1e-9);
    EXPECT_NEAR(bus.ask(0, to.data(), from.data(), mib, 0).turn.end_s, 0.02 + 1.0 / 32 + 1.0 / 64,
                1e-9);
  }
}

/// Of one bus, there and back: twice as long as from host memory.
TEST(ThrottledBus, CarriesCopiesBetweenProcessorsTwiceOverOneBus) {
  for (const auto sharing : {BusSharing::fair, BusSharing::fifo}) {
    const RunClock clock;
    MachineModel machine = machine_of_platform(2, 1e12, sharing, 0.01);
    machine.peers_over_bus = true;
    ThrottledBus bus(machine, true, clock);
    std::vector<std::byte> from(mib, std::byte{7});
    std::vector<std::byte> to(mib);

    const double end_s = soonest([&] {
      bus.reset();
      return bus.copy(bus.ask_peer(0, 1, to.data(), from.data(), mib, 0)).end_s;
    });
    EXPECT_NEAR(end_s, 0.01 + 2.0 / 64, 1e-9);
  }
}

TEST(ThrottledBus, CarriesCopiesBetweenProcessorsOnceOverOneBusWhereToldSo) {
  for (const auto sharing : {BusSharing::fair, BusSharing::fifo}) {
    const RunClock clock;
    MachineModel machine = machine_of_platform(2, 1e12, sharing, 0.01);
    machine.peers_over_bus = true;
    machine.peers_cross_once = true;
    ThrottledBus bus(machine, true, clock);
    std::vector<std::byte> from(mib, std::byte{7});
    std::vector<std::byte> to(mib);

    const double end_s = soonest([&] {
      bus.reset();
      return bus.copy(bus.ask_peer(0, 1, to.data(), from.data(), mib, 0)).end_s;
    });
    EXPECT_NEAR(end_s, 0.01 + 1.0 / 64, 1e-9);
  }
}

TEST(ThrottledBus, IsCutShortByCancel) {
  Pieces pieces(1, mib);
  RunClock clock;
  MachineModel slow = machine_of_platform(1, 1e12, BusSharing::fifo);
  slow.bus_bytes_per_s = static_cast<double>(mib) / 60;  // a minute
  ThrottledBus bus(slow, true, clock);
  const auto start = std::chrono::steady_clock::now();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    clock.cancel();
  });

  copy(bus, 0, pieces, mib, 0);

  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  other.join();
}

TEST(ThrottledBus, WithoutLimitsCopiesAsFastAsItCan) {
  Pieces pieces(1, mib);
  RunClock clock;
  ThrottledBus paced(std::nullopt, true, clock);
  ThrottledBus free(std::nullopt, false, clock);

  const Interval kept = copy(paced, 0, pieces, mib, 3);
  EXPECT_EQ(pieces.to, pieces.from);
  const Interval real = copy(free, 0, pieces, mib, 3);

  EXPECT_EQ(kept.begin_s, 3);  // in the run's time, whenever the thread came to it
  EXPECT_GE(kept.end_s, 3);
  EXPECT_LT(real.end_s, 3);
  EXPECT_LE(real.begin_s, real.end_s);
}

}  // namespace
}  // namespace damocles::throttled_bus_test
