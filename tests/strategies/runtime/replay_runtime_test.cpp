// Recorded orders given again: whatever ends in whatever order then, the same moves, no law of
// tasks that write is broken, and nothing waits for ever.

#include "strategies/runtime/replay_runtime.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "strategies/runtime/memory_aware_runtime.hpp"
#include "tests/strategies/runtime/version_machine.hpp"

namespace damocles::replay_runtime_test {
namespace {

using Kind = RunEvent::Kind;

/// What was done on each processor to what: how often.
using Done = std::map<std::tuple<Kind, std::uint32_t, std::uint64_t>, int>;

Done done(const std::vector<RunEvent>& events) {
  Done result;
  for (const RunEvent& event : events) {
    ++result[{event.kind, raw(event.processor), event.id}];
  }
  return result;
}

struct Seen {
  std::size_t lent = 0;
  std::size_t reordered = 0;  // runs
};

/// Records runs on a machine that ends things in one random order, and replays them in others.
Seen check_laws(const StrategyChoice& choice, std::uint64_t instances) {
  Rng rng(21, Draw::test, 0);
  Seen seen;
  for (std::uint64_t i = 0; i < instances; ++i) {
    WritingInstance drawn = drawn_writing_instance(rng, choice.entry->heterogeneous);
    const RuntimeOptions options{.lanes = 1 + rng.below(3)};
    drawn.platform.machine->loads_ahead = rng.below(6);
    SCOPED_TRACE(testing::Message() << "instance " << i << ": " << drawn.workload.text() << ", "
                                    << drawn.memory.size() << " processors");
    const TaskGraph& graph = drawn.workload.graph();
    VersionMachine recorder(graph, drawn.memory, i);
    MemoryAwareRuntime first(drawn.workload, drawn.platform, choice, i, 0, options, recorder);
    recorder.run(first);
    const Decisions decisions{drawn.memory.size(), recorder.events()};
    check_decisions(decisions, drawn.workload, drawn.platform, drawn.memory, [&](DataId data) {
      return graph.bytes(static_cast<TaskGraph::Index>(raw(data)));
    });
    for (std::uint64_t again = 0; again < 3; ++again) {
      VersionMachine backend(graph, drawn.memory, 1000 * (again + 1) + i);
      backend.expect_recorded_orders();
      ReplayRuntime runtime(decisions, drawn.workload, drawn.platform, backend);

      const std::size_t ran = backend.run(runtime);

      EXPECT_EQ(backend.broken(), "");
      EXPECT_EQ(ran, drawn.workload.tasks());
      EXPECT_EQ(done(backend.events()), done(recorder.events()));
      EXPECT_EQ(backend.versions(), recorder.versions());
      EXPECT_TRUE(backend.nothing_lost());
      EXPECT_EQ(backend.all_home(), recorder.all_home());
      if (testing::Test::HasFailure()) return seen;
      seen.reordered += backend.events() == recorder.events() ? 0 : 1;
    }
    for (const RunEvent& event : recorder.events()) seen.lent += event.lender ? 1 : 0;
  }
  return seen;
}

TEST(WildReplay, DoesTheSameInAnyOrderOfEnds) {
  const Spec spec = Spec::parse("wild", "strategy");
  const Seen seen = check_laws({&wild(), spec}, 600);
  EXPECT_GT(seen.lent, 1000U);
  EXPECT_GT(seen.reordered, 1000U);
}

class EveryWritingReplay : public testing::TestWithParam<std::string> {};

TEST_P(EveryWritingReplay, DoesTheSameInAnyOrderOfEnds) {
  const auto choice = StrategyChoice::parse(GetParam(), Workload::parse("cholesky:n=4,deps=true"));
  const Seen seen = check_laws(choice, 60);
  EXPECT_GT(seen.lent, 0U);
  EXPECT_GT(seen.reordered, 0U);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryWritingReplay, testing::ValuesIn(writing_choices()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace damocles::replay_runtime_test
