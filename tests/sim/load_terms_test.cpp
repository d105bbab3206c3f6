// Why loads happened: hand-worked runs, and every term on drawn ones beside a definition that looks
// at all events again for each load.

#include "models/runs/load_terms.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "models/bounds/workload_bound.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "sim/simulate.hpp"
#include "strategies/eviction/eviction.hpp"
#include "tests/sim/naive/draws.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::load_terms_test {
namespace {

using Kind = RunEvent::Kind;

struct Watched {
  Trace trace;
  std::vector<RunEvent> events;
};

Watched watched(const Workload& workload, const Platform& platform, const StrategyChoice& choice,
                std::uint64_t replicate = 0) {
  Watched run;
  run.trace = simulate(workload, platform, choice, 3, replicate, {},
                       [&](const RunEvent& event) { run.events.push_back(event); });
  return run;
}

LoadExplanation explained(const std::string& workload_text, const std::string& platform_text,
                          const std::string& strategy) {
  const Workload workload = Workload::parse(workload_text);
  const Platform platform = Scenario::parse(platform_text).draw(3, 0);
  const Watched run = watched(workload, platform, StrategyChoice::parse(strategy, workload));
  const std::uint64_t bound =
      platform.machine ? workload_load_bound(workload, *platform.machine).loads : 0;
  return explain_loads(run.events, workload, platform, bound);
}

/// Row order reads all of B for each row of A; LRU evicts each column just before it is read again.
TEST(LoadTerms, BlameEvictionsInALoopLongerThanTheMemory) {
  const auto why = explained("gemm2d:n=40", "gpus:k=1,memory=35data", "eager");

  EXPECT_EQ(why.of(LoadTerm::compulsory).loads, 80U);
  EXPECT_EQ(why.of(LoadTerm::capacity).loads, 2U);
  EXPECT_EQ(why.of(LoadTerm::order).loads, 238U);
  EXPECT_EQ(why.of(LoadTerm::prefetch).loads, 33U);
  EXPECT_EQ(why.of(LoadTerm::eviction).loads, 1287U);
  EXPECT_EQ(why.total().loads, 1640U);
  EXPECT_EQ(why.reloaded.front().reloads, 39U);
}

/// Row order and no prefetching: what Belady's policy loads is what MIN loads.
TEST(LoadTerms, BlameNoEvictionOfBeladysPolicy) {
  const auto why =
      explained("gemm2d:n=40", "gpus:k=1,memory=35data,depth=1", "eager:eviction=belady");

  EXPECT_EQ(why.of(LoadTerm::eviction).loads, 0U);
  EXPECT_EQ(why.of(LoadTerm::prefetch).loads, 0U);
  EXPECT_EQ(why.total().loads, 320U);
}

TEST(LoadTerms, BlameTheOrderWhereTwoItemsEvictEachOther) {
  TaskGraph::Parts parts;
  parts.bytes = {1, 1, 1};
  for (int round = 0; round < 4; ++round) {
    const std::array<TaskGraph::Index, 2> first{0, 1};
    const std::array<TaskGraph::Index, 2> second{0, 2};
    parts.add_task(first, 1e9);
    parts.add_task(second, 1e9);
  }
  const Workload workload = Workload::of_graph("turns", TaskGraph(parts));
  const Platform platform = Scenario::parse("gpus:k=1,memory=2data").draw(3, 0);
  const Watched run = watched(workload, platform, StrategyChoice::parse("eager", workload));
  const auto why = explain_loads(run.events, workload, platform, 3);

  EXPECT_EQ(why.of(LoadTerm::order).loads, 6U);
  EXPECT_EQ(why.total().loads, 9U);
  ASSERT_TRUE(why.pair);
  EXPECT_EQ(why.pair->times, 3U);
}

TEST(LoadTerms, BlameSharingWhereEveryGpuLoadsAll) {
  const auto why = explained("gemm2d:n=10", "gpus:k=2,memory=100data", "eager");

  EXPECT_EQ(why.of(LoadTerm::compulsory).loads, 20U);
  EXPECT_EQ(why.of(LoadTerm::sharing).loads, why.total().loads - 20);
}

TEST(LoadTerms, ExplainLoadsOfUnlimitedMemory) {
  const auto why = explained("gemm2d:n=10", "homogeneous:p=4", "random");

  EXPECT_EQ(why.of(LoadTerm::compulsory).loads, 20U);
  EXPECT_EQ(why.of(LoadTerm::sharing).loads, why.total().loads - 20);
}

/// The label of each load by its definition: all events are looked at again for each.
class NaiveLabels {
 public:
  NaiveLabels(const std::vector<RunEvent>& events, const TaskGraph& graph)
      : events_(events), graph_(graph) {}

  /// Loads by what becomes of them: capacity, order, prefetch and eviction together are "again".
  [[nodiscard]] std::map<std::string, std::uint64_t> counts() const {
    std::map<std::string, std::uint64_t> result;
    for (std::size_t at = 0; at < events_.size(); ++at) {
      if (events_[at].kind == Kind::load_started) ++result[label(at)];
    }
    return result;
  }

 private:
  [[nodiscard]] bool same_copy(std::size_t at, const RunEvent& other) const {
    return other.processor == events_[at].processor && other.id == events_[at].id;
  }
  /// How the task that this event starts accesses the data item of the copy.
  [[nodiscard]] std::optional<Access> access(std::size_t at, const RunEvent& event) const {
    std::optional<Access> result;
    if (event.kind != Kind::task_started) return result;
    graph_.for_each_access(static_cast<TaskGraph::Index>(event.id), [&](auto data, Access how) {
      if (data == events_[at].id) result = how;
    });
    return result;
  }
  [[nodiscard]] bool is_used(std::size_t at) const {
    for (std::size_t later = at + 1; later < events_.size(); ++later) {
      const RunEvent& event = events_[later];
      const bool left = event.kind == Kind::evicted || event.kind == Kind::load_started ||
                        event.kind == Kind::created;
      if (left && same_copy(at, event)) return false;
      const auto how = access(at, event);
      if (how && event.processor == events_[at].processor && reads(*how)) return true;
    }
    return false;
  }
  /// Writes of the data item before; of others alone: by other processors, or sums.
  [[nodiscard]] std::uint64_t writes_before(std::size_t at, bool others_alone) const {
    std::uint64_t count = 0;
    for (std::size_t before = 0; before < at; ++before) {
      const auto how = access(at, events_[before]);
      if (!how || !writes(*how)) continue;
      const bool own = events_[before].processor == events_[at].processor && !reduces(*how);
      if (!others_alone || !own) ++count;
    }
    return count;
  }
  [[nodiscard]] bool counts_as_copy(std::size_t at) const {
    return events_[at].kind == Kind::created ||
           (events_[at].kind == Kind::load_started && is_used(at));
  }
  [[nodiscard]] std::string label(std::size_t at) const {
    if (!is_used(at)) return "unused";
    bool had = false;
    bool again = false;
    bool seen = false;
    for (std::size_t before = 0; before < at; ++before) {
      if (events_[before].id != events_[at].id || !counts_as_copy(before)) continue;
      if (events_[before].kind == Kind::load_started) seen = true;
      if (!same_copy(at, events_[before])) continue;
      had = true;
      if (writes_before(before, true) == writes_before(at, true)) again = true;
    }
    if (again) return "again";
    if (had) return "coherence";
    if (writes_before(at, false) > 0) return "handover";
    return seen ? "sharing" : "compulsory";
  }

  const std::vector<RunEvent>& events_;
  const TaskGraph& graph_;
};

/// The terms with what is taken out of order and sharing for capacity put back.
void expect_as_defined(const LoadExplanation& why, const Watched& run, const Workload& workload,
                       std::uint64_t bound) {
  const auto naive = NaiveLabels(run.events, workload.graph()).counts();
  const auto defined = [&](const std::string& label) {
    const auto found = naive.find(label);
    return found == naive.end() ? 0 : found->second;
  };
  EXPECT_EQ(why.of(LoadTerm::compulsory).loads, defined("compulsory"));
  EXPECT_EQ(why.of(LoadTerm::handover).loads, defined("handover"));
  EXPECT_EQ(why.of(LoadTerm::coherence).loads, defined("coherence"));
  EXPECT_EQ(why.of(LoadTerm::unused).loads, defined("unused"));
  const std::uint64_t again = why.of(LoadTerm::order).loads + why.of(LoadTerm::prefetch).loads +
                              why.of(LoadTerm::eviction).loads;
  EXPECT_EQ(again + why.of(LoadTerm::sharing).loads + why.of(LoadTerm::capacity).loads,
            defined("again") + defined("sharing"));
  EXPECT_LE(again, defined("again"));
  std::uint64_t bytes = 0;
  for (const std::uint64_t of_one : run.trace.bytes_loaded) bytes += of_one;
  EXPECT_EQ(why.total().loads, run.trace.total_loads());
  EXPECT_EQ(why.total().bytes, bytes);
  if (!workload.graph().uniform_bytes()) return;
  EXPECT_GE(why.of(LoadTerm::compulsory).loads + why.of(LoadTerm::capacity).loads, bound);
}

/// Another kind of machine and graph, and another eviction policy, with every number.
naive::Drawn drawn_case(Rng& rng, std::uint64_t number, bool heterogeneous) {
  const auto processors =
      heterogeneous && number % 4 > 1 ? naive::Processors::of_kinds : naive::Processors::gpus;
  return number % 2 == 0 ? naive::draw_reading(rng, processors)
                         : naive::draw_writing(rng, processors);
}

class EveryExplainedRun : public testing::TestWithParam<std::string> {};

TEST_P(EveryExplainedRun, HasItsLoadsUnderTheTermsThatTheDefinitionGives) {
  const std::string& name = GetParam();
  const auto& entry = Table<StrategyEntry>::named(name_in(name));
  std::uint64_t stream = 17;
  for (const char letter : name) stream = 31 * stream + static_cast<unsigned char>(letter);
  Rng rng(12, Draw::test, stream);
  int counted_runs = 0;
  for (std::uint64_t number = 0; number < 240 && !HasFailure(); ++number) {
    const naive::Drawn drawn = drawn_case(rng, number, entry.heterogeneous);
    if (!defined_on(name, drawn.workload)) continue;
    ++counted_runs;
    const auto& policy = evictions()[number % evictions().size()].name;
    const std::string text =
        name + (name.find(':') == std::string::npos ? ":" : ",") + "eviction=" + policy;
    SCOPED_TRACE(testing::Message() << text << ", case " << number << ": " << drawn);
    const auto choice = StrategyChoice::parse(text, drawn.workload);
    const Watched run = watched(drawn.workload, drawn.platform, choice, number);
    const std::uint64_t bound = workload_load_bound(drawn.workload, *drawn.platform.machine).loads;
    expect_as_defined(explain_loads(run.events, drawn.workload, drawn.platform, bound), run,
                      drawn.workload, bound);
  }
  RecordProperty("runs", counted_runs);  // docs/explanation/explain.md says how many
}

INSTANTIATE_TEST_SUITE_P(Table, EveryExplainedRun, testing::ValuesIn(every_choice()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace damocles::load_terms_test
