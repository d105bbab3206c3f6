// Tasks that wait for others and write: whatever ends in whatever order, a task starts after those
// it waits for, reads what was written last, and nothing that was written is lost.

#include <gtest/gtest.h>

#include <string>

#include "models/rng.hpp"
#include "strategies/runtime/memory_aware_runtime.hpp"
#include "tests/strategies/choices.hpp"
#include "tests/strategies/runtime/version_machine.hpp"
#include "tests/strategies/writing_graphs.hpp"

namespace damocles::memory_aware_writes_test {
namespace {

/// How often data went to host memory, and were accessed there.
struct Moves {
  std::size_t returned = 0;
  std::size_t read_in_host_memory = 0;
};

/// Runs 400 instances.
Moves check_laws(const StrategyChoice& choice) {
  Rng rng(12, Draw::test, 0);
  Moves moves;
  for (std::uint64_t i = 0; i < 400; ++i) {
    WritingInstance instance = drawn_writing_instance(rng, choice.entry->heterogeneous);
    const RuntimeOptions options{.lanes = 1 + rng.below(3)};
    instance.platform.machine->loads_ahead = rng.below(6);
    SCOPED_TRACE(testing::Message() << "instance " << i << ": " << instance.workload.text() << ", "
                                    << instance.memory.size() << " processors");
    VersionMachine backend(instance.workload.graph(), instance.memory, i);
    MemoryAwareRuntime runtime(instance.workload, instance.platform, choice, i, 0, options,
                               backend);

    const std::size_t ran = backend.run(runtime);

    EXPECT_EQ(backend.broken(), "");
    EXPECT_EQ(ran, instance.workload.tasks());
    EXPECT_TRUE(backend.all_home() || !instance.platform.machine->write_back);
    EXPECT_FALSE(backend.keeps_what_is_over());
    if (testing::Test::HasFailure()) return moves;
    moves.returned += backend.returned();
    moves.read_in_host_memory += backend.read_in_host_memory();
  }
  return moves;
}

/// As many as there are processors, up to 4096, may copy one data item from one of them at once.
TEST(WorkerState, KeepsWhatManyCopyFromIt) {
  const Workload workload = Workload::parse("cholesky:n=1,tile=1,deps=true");
  const Platform platform{.speeds = {1}};
  const NodeMemory memory(1, workload.data());
  const Spec spec = Spec::parse("wild", "strategy");
  Wild strategy({workload, platform, memory, spec, Rng(1, Draw::strategy, 0)});
  WorkerState node(ProcessorId{0}, workload.graph(), strategy, 100, WorkerState::Order::taken);
  node.begin_load(0);
  node.end_load(0);
  EXPECT_TRUE(node.evictable(DataId{0}));

  for (int copies = 1; copies <= 4096; ++copies) {
    node.pin(0);
    ASSERT_FALSE(node.evictable(DataId{0})) << copies;
  }
}

TEST(WildRuntime, KeepsTheLawsOfWriting) {
  const Spec spec = Spec::parse("wild", "strategy");
  const Moves moves = check_laws({&wild(), spec});
  EXPECT_GT(moves.returned, 1000U);
  EXPECT_GT(moves.read_in_host_memory, 1000U);
}

class EveryWritingRuntime : public testing::TestWithParam<std::string> {};

TEST_P(EveryWritingRuntime, KeepsTheLawsOfWriting) {
  const auto choice = StrategyChoice::parse(GetParam(), Workload::parse("cholesky:n=4,deps=true"));
  const Moves moves = check_laws(choice);
  EXPECT_GT(moves.returned, 100U);
  EXPECT_EQ(moves.read_in_host_memory > 0, choice.entry->heterogeneous);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryWritingRuntime, testing::ValuesIn(writing_choices()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace damocles::memory_aware_writes_test
