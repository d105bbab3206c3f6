#include "gpu/executor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "models/rng.hpp"
#include "tests/error_text.hpp"
#include "tests/gpu/executed_run.hpp"
#include "tests/strategies/choices.hpp"
#include "tests/strategies/small_graphs.hpp"

namespace damocles::executor_test {
namespace {

Workload of_several_sizes(std::uint64_t stream) {
  Rng rng(5, Draw::test, stream);
  return Workload::of_graph("several-sizes", oracle::random_graph(rng, 30, 12, 4, 2000));
}

/// Workloads with sizes, small enough to be run hundreds of times.
std::vector<Workload> sized() {
  std::vector<Workload> result;
  for (const auto* text :
       {"gemm2d:m=4,n=6,tile=8,k=8", "gemm2d:n=4,tile=8,k=8,order=random", "gemm3d:n=3,tile=8,c=no",
        "gemm3d:m=2,n=3,k=4,tile=8,c=yes", "gemm3d:n=3,tile=8,c=later,precision=double",
        "sparse2d:n=8,tile=8,k=8,density=0.3", "cholesky:n=4,tile=8,deps=false"}) {
    result.push_back(Workload::parse(text));
  }
  result.push_back(of_several_sizes(0));
  result.push_back(of_several_sizes(1));
  return result;
}

class EveryExecution : public testing::TestWithParam<std::string> {};

TEST_P(EveryExecution, IsSoundInLimitedMemory) {
  for (const Workload& workload : sized()) {
    if (!defined_on(GetParam(), workload)) continue;
    for (const std::size_t processors : {1U, 3U}) {
      for (const Room room : {Room::tight, Room::medium}) {
        SCOPED_TRACE(testing::Message() << workload.text() << ", " << processors << " processors, "
                                        << (room == Room::tight ? "tight" : "medium"));
        ExecutedRun run(workload, limited(processors, room_bytes(workload, room), 0));
        run.by(GetParam());
        run.expect_sound();
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(EveryExecution, IsSoundWithAllTheMemoryItWants) {
  for (const auto* text : {"outer:m=5,n=4", "matrix:m=2,n=3,k=4", "gemm2d:n=4,tile=8,k=8"}) {
    const auto workload = Workload::parse(text);
    if (!defined_on(GetParam(), workload)) continue;
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      for (const std::vector<double>& speeds : {std::vector<double>{1}, {1, 2, 3}}) {
        SCOPED_TRACE(testing::Message() << text << ", " << speeds.size() << " processors");
        ExecutedRun run(workload, Platform{speeds},
                        {.arithmetic = {.precision = precision, .tile = 8, .rank = 8}});
        run.by(GetParam());
        run.expect_sound();
        EXPECT_EQ(run.execution.trace.evictions, std::vector<std::uint64_t>(speeds.size(), 0));
        if (HasFailure()) return;
      }
    }
  }
}

/// Two tasks on the engine at once and loads asked for early, as a GPU has it.
TEST_P(EveryExecution, IsSoundWithTwoLanesAndJitter) {
  for (const auto* text : {"gemm2d:n=5,tile=8,k=8", "gemm3d:n=3,tile=8,c=yes"}) {
    const auto workload = Workload::parse(text);
    if (!defined_on(GetParam(), workload)) continue;
    for (const Room room : {Room::tight, Room::medium}) {
      SCOPED_TRACE(text);
      const RunOptions options{.faulty = {.jitter_us = 50, .lanes = 2, .loads_ahead = 1}};
      ExecutedRun run(workload, limited(2, room_bytes(workload, room), 0), options);
      run.by(GetParam());
      run.expect_sound();
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryExecution, testing::ValuesIn(every_choice()),
                         [](const auto& test) { return test_name(test.param); });

/// Outputs of 256 B, of which two may be on their way: 512 B are set aside.
TEST(Executor, SetsMemoryAsideForOutputsOnTheirWayBack) {
  const auto workload = Workload::parse("gemm2d:n=5,tile=8,k=8");
  Platform platform = limited(2, room_bytes(workload, Room::tight) + 512, 2);
  platform.machine->write_back = true;

  ExecutedRun run(workload, platform);
  run.by("dmdar");

  run.expect_sound();
  const auto& written = run.execution.trace.bytes_written;
  EXPECT_EQ(written[0] + written[1], workload.tasks() * 256);
  EXPECT_EQ(run.execution.bytes_summed, 0U);
}

/// 512 B of inputs beside 512 B for outputs do not fit into 1000 B.
TEST(Executor, NamesTheMemoryThatInputsAndOutputsNeed) {
  const auto workload = Workload::parse("gemm2d:n=5,tile=8,k=8");
  for (const std::uint64_t memory : {400U, 1000U}) {
    Platform platform = limited(2, memory, 2);
    platform.machine->write_back = true;
    ExecutedRun run(workload, platform);

    EXPECT_EQ(
        error_text([&] { run.by("eager"); }),
        "task GEMM(0,0) of 'gemm2d:n=5,tile=8,k=8' reads 512 B and 512 B are for outputs on their way back, but GPU0 has " +
            std::string(memory == 400 ? "400 B" : "1 kB") +
            " of memory; give memory=4data or more");
  }
  Platform enough = limited(2, 1024, 2);
  enough.machine->write_back = true;
  ExecutedRun run(workload, enough);
  run.by("eager");
  run.expect_sound();
}

/// 3 x 3 tiles of C on one processor that never evicts: one sum each goes to host memory, of 256 B.
TEST(Executor, SendsEachSumHomeOnce) {
  ExecutedRun run(Workload::parse("matrix:n=3"), Platform{{1}});

  run.by("sorted");

  run.expect_sound();
  EXPECT_EQ(run.execution.bytes_summed, 9U * 256U);
  EXPECT_EQ(run.execution.trace.bytes_written, std::vector<std::uint64_t>{0});
}

/// A sum that is evicted goes to host memory, so the way to host memory carries 256 B for every
/// eviction of a tile of C that was added to, and for those that stay.
TEST(Executor, SendsSumsHomeThatAreEvicted) {
  const auto workload = Workload::parse("gemm3d:n=4,tile=8,c=yes");
  ExecutedRun run(workload, limited(1, room_bytes(workload, Room::tight), 1));

  run.by("random");

  run.expect_sound();
  std::uint64_t evicted_sums = 0;
  std::uint64_t first_sum = std::uint64_t{2} * 16;  // A and B before C
  for (const RunEvent& event : run.execution.events) {
    evicted_sums += event.kind == RunEvent::Kind::evicted && event.id >= first_sum ? 1U : 0U;
  }
  EXPECT_GT(evicted_sums, 16U);
  EXPECT_EQ(run.execution.bytes_summed, 256 * (evicted_sums + 1));  // room for one tile of C
}

}  // namespace
}  // namespace damocles::executor_test
