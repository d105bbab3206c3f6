#include "sim/copy_streams.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>

namespace damocles::copy_streams_test {
namespace {

/// When, what (a data item in, or a task's output out), on which processor.
using Ends = std::vector<std::tuple<double, std::uint64_t, std::uint32_t>>;

constexpr ProcessorId p0{0};
constexpr ProcessorId p1{1};

/// A bus of 10 B/s, without latency.
MachineModel machine(std::size_t processors) {
  MachineModel result;
  result.processors.resize(processors,
                           {.flops_per_s = 1,
                            .memory_bytes = 100,
                            .link_bytes_per_s = std::numeric_limits<double>::infinity()});
  result.bus_bytes_per_s = 10;
  return result;
}

/// Orders all copies at time 0.
Ends run(const MachineModel& platform, const std::vector<CopyStreams::Copy>& copies,
         std::vector<double> start_s) {
  CopyStreams streams(platform, std::move(start_s));
  for (const auto& copy : copies) streams.order(copy, 0);
  Ends ends;
  while (streams.next_time() < std::numeric_limits<double>::infinity()) {
    const double now = streams.next_time();
    if (const auto ended = streams.advance())
      ends.emplace_back(now, ended->id, raw(ended->processor));
  }
  return ends;
}

CopyStreams::Copy in(ProcessorId processor, std::uint64_t id) {
  return {.processor = processor, .id = id, .bytes = 10};
}
CopyStreams::Copy out(ProcessorId processor, std::uint64_t id) {
  return {.processor = processor, .id = id, .bytes = 10, .out = true};
}

TEST(CopyStreams, CarryOneCopyAfterTheOther) {
  EXPECT_EQ(run(machine(1), {in(p0, 7), in(p0, 8)}, {0}), (Ends{{1, 7, 0}, {2, 8, 0}}));
}

TEST(CopyStreams, OfTwoProcessorsShareTheBus) {
  // 5 B/s each, then the last one alone.
  EXPECT_EQ(run(machine(2), {in(p0, 7), in(p0, 8), in(p1, 9)}, {0, 0}),
            (Ends{{2, 7, 0}, {2, 9, 1}, {3, 8, 0}}));
}

TEST(CopyStreams, OfProcessorsOnTwoBusesDoNotMeet) {
  MachineModel two = machine(3);
  two.processors[2].bus = 1;
  // The first two share theirs, the third is alone; at one time the first bus goes first.
  EXPECT_EQ(
      run(two, {in(p0, 7), in(p1, 8), in(ProcessorId{2}, 9), in(ProcessorId{2}, 10)}, {0, 0, 0}),
      (Ends{{1, 9, 2}, {2, 7, 0}, {2, 8, 1}, {2, 10, 2}}));

  two.duplex = true;  // the way to host memory is one for all, where only links hold copies up
  two.processors[2].link_bytes_per_s = 5;
  EXPECT_EQ(run(two, {in(ProcessorId{2}, 9), out(ProcessorId{2}, 10), in(p0, 7)}, {0, 0, 0}),
            (Ends{{1, 7, 0}, {2, 9, 2}, {2, 10, 2}}));
}

TEST(CopyStreams, GoAtTheRateOfTheirBus) {
  MachineModel two = machine(3);
  two.processors[2].bus = 1;
  two.bus_rates = {10, 4};
  const ProcessorId p2{2};
  // 10 B at 4 B/s beside two that share 10 B/s.
  EXPECT_EQ(run(two, {in(p0, 7), in(p1, 8), in(p2, 9), in(p2, 10)}, {0, 0, 0}),
            (Ends{{2, 7, 0}, {2, 8, 1}, {2.5, 9, 2}, {5, 10, 2}}));

  two.duplex = true;  // to host memory too no faster than their bus
  EXPECT_EQ(run(two, {out(p0, 7), out(p1, 8), out(p2, 9)}, {0, 0, 0}),
            (Ends{{1, 7, 0}, {1, 8, 1}, {2.5, 9, 2}}));
}

TEST(CopyStreams, OfTheTwoDirectionsShareTheBusToo) {
  EXPECT_EQ(run(machine(1), {in(p0, 7), out(p0, 8)}, {0}), (Ends{{2, 7, 0}, {2, 8, 0}}));
}

TEST(CopyStreams, MayBeOneForBothDirections) {
  MachineModel one = machine(1);
  one.copy_streams = 1;

  EXPECT_EQ(run(one, {out(p0, 8), in(p0, 7)}, {0}), (Ends{{1, 8, 0}, {2, 7, 0}}));
}

TEST(CopyStreams, OfADuplexBusAreHeldUpByTheirLinksAloneOnTheWayHome) {
  MachineModel duplex = machine(2);
  duplex.duplex = true;

  // Both outputs at the full 10 B/s of a link, beside two loads that share the bus.
  EXPECT_EQ(run(duplex, {in(p0, 6), in(p1, 7), out(p0, 8), out(p1, 9)}, {0, 0}),
            (Ends{{1, 8, 0}, {1, 9, 1}, {2, 6, 0}, {2, 7, 1}}));
}

CopyStreams::Copy between(ProcessorId from, ProcessorId to, std::uint64_t id) {
  return {.processor = to, .lender = from, .id = id, .bytes = 10, .from_peer = true};
}

TEST(CopyStreams, FromAnotherProcessorTakeTheirTurnOnBothStreams) {
  MachineModel shared = machine(2);
  shared.peers_over_bus = true;
  // 7, 8 and 11 share the bus until 3; 9 is behind 7 and 8, and crosses the bus twice, at 5 B/s; 10
  // is behind 9 on the way to host memory of 0.
  EXPECT_EQ(
      run(shared, {out(p0, 7), in(p1, 8), between(p0, p1, 9), out(p0, 10), in(p0, 11)}, {0, 0}),
      (Ends{{3, 11, 0}, {3, 8, 1}, {3, 7, 0}, {5, 9, 1}, {6, 10, 0}}));
}

TEST(CopyStreams, FromAnotherProcessorMayCrossOneBusOnce) {
  MachineModel shared = machine(3);
  shared.peers_over_bus = true;
  shared.peers_cross_once = true;
  // Alone it has all 10 B/s of the bus; beside a load each has half.
  EXPECT_EQ(run(shared, {between(p0, p1, 7)}, {0, 0, 0}), (Ends{{1, 7, 1}}));
  EXPECT_EQ(run(shared, {between(p0, p1, 7), in(ProcessorId{2}, 8)}, {0, 0, 0}),
            (Ends{{2, 7, 1}, {2, 8, 2}}));
  // Of two buses it takes each, as without the rule.
  shared.processors[2].bus = 1;
  shared.bus_rates = {10, 4};
  EXPECT_EQ(run(shared, {between(p0, ProcessorId{2}, 6), in(p1, 7)}, {0, 0, 0}),
            (Ends{{10.0 / 6, 7, 1}, {2.5, 6, 2}}));
}

TEST(CopyStreams, FromOneProcessorToOthersGoAtOnceWhereTheyCrossTheBusOnce) {
  MachineModel shared = machine(3);
  shared.peers_over_bus = true;
  shared.peers_cross_once = true;
  const ProcessorId p2{2};
  // 6 and 7 share the bus with 8, which goes to host memory; 9 comes to processor 0 when it has
  // sent them.
  EXPECT_EQ(run(shared, {between(p0, p1, 6), between(p0, p2, 7), out(p0, 8), in(p0, 9)}, {0, 0, 0}),
            (Ends{{3, 6, 1}, {3, 7, 2}, {3, 8, 0}, {4, 9, 0}}));
  // 7 waits for what comes to its lender, and 8, which comes to where 7 goes, for 7.
  EXPECT_EQ(run(shared, {in(p0, 6), between(p0, p1, 7), in(p1, 8)}, {0, 0, 0}),
            (Ends{{1, 6, 0}, {2, 7, 1}, {3, 8, 1}}));
}

TEST(CopyStreams, FromAnotherProcessorGoAtTheRateOfTheSlowerWay) {
  MachineModel two = machine(3);
  two.processors[2].bus = 1;
  two.peers_over_bus = true;
  two.bus_rates = {10, 4};
  two.processors[1].link_bytes_per_s = 2;
  const ProcessorId p2{2};
  // 10 B at 4 B/s to bus 1; at 2 B/s on bus 0, where it takes 4 and 7 has what is left; then 9 has
  // its link again.
  EXPECT_EQ(run(two, {between(p0, p2, 6)}, {0, 0, 0}), (Ends{{2.5, 6, 2}}));
  EXPECT_EQ(run(two, {in(p0, 7), between(p0, p1, 8), in(p2, 9)}, {0, 0, 0}),
            (Ends{{10.0 / 6, 7, 0}, {2.5, 9, 2}, {5, 8, 1}}));
  EXPECT_EQ(run(two, {between(p1, p0, 8), in(p0, 9)}, {0, 0, 0}), (Ends{{5, 8, 0}, {6, 9, 0}}));
  two.sharing = BusSharing::fifo;  // the bus stands for 5 s at 2 B/s
  EXPECT_EQ(run(two, {between(p1, p0, 8), out(p0, 9)}, {0, 0, 0}), (Ends{{5, 8, 0}, {6, 9, 0}}));
}

TEST(CopyStreams, FromAnotherProcessorTakeTheirShareOfBothBuses) {
  MachineModel two = machine(3);
  two.processors[2].bus = 1;
  two.bus_rates = {10, 4};
  two.peers_over_bus = true;
  const ProcessorId p2{2};
  // 6 takes all 4 B/s of bus 1, and of bus 0 as many: 7 has the other 6.
  EXPECT_EQ(run(two, {between(p0, p2, 6), in(p1, 7)}, {0, 0, 0}),
            (Ends{{10.0 / 6, 7, 1}, {2.5, 6, 2}}));
  // 6 and 7 have 2 B/s each of bus 1; that leaves 8 of bus 0 to 8.
  EXPECT_EQ(run(two, {between(p2, p0, 6), in(p2, 7), in(p1, 8)}, {0, 0, 0}),
            (Ends{{1.25, 8, 1}, {5, 6, 0}, {5, 7, 2}}));
  // One after the other: 7 waits for bus 1 and 8 for bus 0 until 6 has left both.
  two.sharing = BusSharing::fifo;
  EXPECT_EQ(run(two, {between(p2, p0, 6), in(p2, 7), in(p1, 8)}, {0, 0, 0}),
            (Ends{{2.5, 6, 0}, {3.5, 8, 1}, {5, 7, 2}}));
  // Where the way to host memory has no bus they take their share of the other alone.
  two.duplex = true;
  EXPECT_EQ(run(two, {between(p2, p0, 6), in(p2, 7), in(p1, 8)}, {0, 0, 0}),
            (Ends{{2.5, 6, 0}, {2.5, 7, 2}, {3.5, 8, 1}}));
}

TEST(CopyStreams, FromAnotherProcessorBeginInTheOrderInWhichTheyWereAskedFor) {
  MachineModel one = machine(2);
  one.peers_over_bus = true;
  one.copy_streams = 1;
  one.sharing = BusSharing::fifo;
  // One stream each: there, back, each twice over the bus, and then of what is behind both the one
  // asked for first.
  EXPECT_EQ(run(one, {between(p0, p1, 6), between(p1, p0, 7), in(p1, 8), in(p0, 9)}, {0, 0}),
            (Ends{{2, 6, 1}, {4, 7, 0}, {5, 8, 1}, {6, 9, 0}}));
}

TEST(CopyStreams, BeginWithTheirProcessorAndWaitWhereTheyAreTold) {
  EXPECT_EQ(run(machine(1), {in(p0, 7), in(p0, 8)}, {0.5}), (Ends{{1.5, 7, 0}, {2.5, 8, 0}}));
  auto waits = in(p0, 8);
  waits.wait_s = 0.25;
  EXPECT_EQ(run(machine(1), {in(p0, 7), waits}, {0}), (Ends{{1, 7, 0}, {2.25, 8, 0}}));
}

}  // namespace
}  // namespace damocles::copy_streams_test
