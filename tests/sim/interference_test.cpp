#include "sim/interference.hpp"

#include <gtest/gtest.h>

namespace damocles::interference_test {
namespace {

/// Two processors behind links of 5 B/s on a bus of 10 B/s; copies cost half of their own time.
MachineModel machine() {
  return {.processors = {2, {.flops_per_s = 1, .memory_bytes = 100, .link_bytes_per_s = 5}},
          .bus_bytes_per_s = 10,
          .latency_s = 1,
          .interference = 0.5};
}

/// Of 15 B: 4 s alone, latency and all.
CopyStreams::Copy copy(std::uint32_t processor, bool out = false) {
  return {.processor = ProcessorId{processor}, .bytes = 15, .out = out};
}

TEST(Interference, CostsThePartOfItsOwnTimeDuringWhichItsProcessorComputes) {
  const MachineModel limits = machine();
  Interference interference(limits);
  interference.copy_asked_for(copy(0), 0);
  interference.task_begins(0, 6);
  // On its way for 8 s, for others were too; 2 of them beside a task.
  EXPECT_EQ(interference.copy_ends(copy(0), 8), 0.5 * 4 * 2 / 8);
}

TEST(Interference, TheTaskThatRunsPaysForThoseBeforeIt) {
  const MachineModel limits = machine();
  Interference interference(limits);
  interference.task_begins(0, 0);
  interference.copy_asked_for(copy(0), 1);
  interference.task_ends(0, 3);
  interference.task_begins(0, 4);
  EXPECT_EQ(interference.copy_ends(copy(0), 5), 0.5 * 4 * 3 / 4);
}

TEST(Interference, CostsNothingWhereNobodyComputes) {
  const MachineModel limits = machine();
  Interference interference(limits);
  interference.task_begins(1, 0);
  interference.copy_asked_for(copy(0), 0);
  EXPECT_EQ(interference.copy_ends(copy(0), 4), 0);
  interference.task_begins(0, 4);
  interference.copy_asked_for(copy(0), 5);
  interference.task_ends(0, 8);
  EXPECT_EQ(interference.copy_ends(copy(0), 9), 0);  // it waits, for this copy perhaps
  interference.copy_asked_for(copy(0), 9);
  interference.task_begins(0, 20);  // once it has been decided upon
  EXPECT_EQ(interference.copy_ends(copy(0), 13), 0);
}

TEST(Interference, CopiesOfAStreamBeginWhereTheOneBeforeEnds) {
  const MachineModel limits = machine();
  Interference interference(limits);
  interference.copy_asked_for(copy(0), 0);
  interference.copy_asked_for(copy(0), 0);
  interference.task_begins(0, 2);
  EXPECT_EQ(interference.copy_ends(copy(0), 4), 0.5 * 4 * 2 / 4);
  EXPECT_EQ(interference.copy_ends(copy(0), 8), 0.5 * 4);
}

TEST(Interference, DirectionsHaveStreamsOfTheirOwnOrOneForBoth) {
  MachineModel limits = machine();
  Interference two(limits);
  two.task_begins(0, 0);
  two.copy_asked_for(copy(0), 0);
  two.copy_asked_for(copy(0, true), 4);
  EXPECT_EQ(two.copy_ends(copy(0), 8), 2);
  EXPECT_EQ(two.copy_ends(copy(0, true), 8), 2);

  limits.copy_streams = 1;
  Interference one(limits);
  one.copy_asked_for(copy(0), 0);
  one.copy_asked_for(copy(0, true), 0);
  EXPECT_EQ(one.copy_ends(copy(0), 4), 0);
  one.task_begins(0, 6);
  EXPECT_EQ(one.copy_ends(copy(0, true), 8), 0.5 * 4 * 2 / 4);
}

}  // namespace
}  // namespace damocles::interference_test
