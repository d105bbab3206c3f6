// Explanations of whole runs: times that sum to the makespan, and sentences that name the cause.

#include "experiments/explain/explanation.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "experiments/explain/findings.hpp"
#include "experiments/explain/run_schedule.hpp"
#include "experiments/studies/rows.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"
#include "strategies/eviction/eviction.hpp"
#include "tests/sim/naive/draws.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::explanation_test {
namespace {

ExplainedRun run_of(const Workload& workload, const Platform& platform,
                    const StrategyChoice& choice, std::uint64_t seed = 1,
                    std::uint64_t replicate = 0) {
  ExplainedRun run{workload, platform, {}, {}};
  const Trace trace = simulate(workload, platform, choice, seed, replicate, {},
                               [&](const RunEvent& event) { run.events.push_back(event); });
  run.record.strategy = choice.entry->name;
  run.record.eviction = eviction_name(choice, workload, platform);
  run.record.seed = seed;
  run.record.replicate = replicate;
  run.record.makespan_s = trace.makespan_s;
  run.record.loads = static_cast<double>(trace.total_loads());
  run.record.lower_bound = volume_bounds(workload, platform).lower;
  return run;
}

ExplainedRun run_of(const Workload& workload, const std::string& platform,
                    const std::string& strategy) {
  return run_of(workload, Scenario::parse(platform).draw(1, 0),
                StrategyChoice::parse(strategy, workload));
}
ExplainedRun run_of(const std::string& workload, const std::string& platform,
                    const std::string& strategy) {
  return run_of(Workload::parse(workload), platform, strategy);
}

/// Whether the text has the part; prints both where it does not.
testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in:\n" << text;
}

std::string text_of_findings(const ExplainedRun& run) {
  std::string text;
  for (const std::string& one : findings(run, explain(run))) text += one + "\n";
  return text;
}

double idle_for(const Explanation& why, IdleReason reason) {
  double sum = 0;
  for (const IdleShares& one : why.idle) sum += one.at(static_cast<std::size_t>(reason));
  return sum;
}

/// Computing and idle time of each processor, and the critical path, are the makespan.
void expect_whole(const ExplainedRun& run) {
  const Explanation why = explain(run);
  const double makespan = *run.record.makespan_s;
  const RunSchedule schedule = run_schedule(run.events, run.workload, run.platform, makespan);
  for (std::size_t p = 0; p < why.idle.size(); ++p) {
    double sum = std::accumulate(why.idle[p].begin(), why.idle[p].end(), 0.0);
    for (const TaskSpan& task : schedule.tasks[p]) sum += task.end_s - task.start_s;
    EXPECT_NEAR(sum, makespan, 1e-9 * makespan) << p;
    for (const double part : why.idle[p]) EXPECT_GE(part, -1e-9 * makespan) << p;
  }
  const CriticalPath& path = why.path;
  EXPECT_NEAR(path.task_s + path.task_on_core_s + path.transfer_s + path.write_back_s +
                  path.waiting_s + path.end_s,
              makespan, 1e-6 * makespan);
  for (std::size_t k = 1; k < path.links.size(); ++k) {
    EXPECT_LE(path.links[k - 1].end_s, path.links[k].start_s + 1e-8 * makespan) << k;
  }
}

class EveryExplanation : public testing::TestWithParam<std::string> {};

TEST_P(EveryExplanation, GivesEachSecondOneReason) {
  const std::string& name = GetParam();
  const auto& entry = Table<StrategyEntry>::named(name_in(name));
  std::uint64_t stream = 19;
  for (const char letter : name) stream = 31 * stream + static_cast<unsigned char>(letter);
  Rng rng(13, Draw::test, stream);
  for (std::uint64_t number = 0; number < 40 && !HasFailure(); ++number) {
    const auto processors = entry.heterogeneous && number % 4 > 1 ? naive::Processors::of_kinds
                                                                  : naive::Processors::gpus;
    const naive::Drawn drawn = number % 2 == 0 ? naive::draw_reading(rng, processors)
                                               : naive::draw_writing(rng, processors);
    if (!defined_on(name, drawn.workload)) continue;
    SCOPED_TRACE(testing::Message() << "case " << number << ": " << drawn);
    expect_whole(run_of(drawn.workload, drawn.platform, StrategyChoice::parse(name, drawn.workload),
                        3, number));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryExplanation, testing::ValuesIn(every_choice()),
                         [](const auto& test) { return test_name(test.param); });

TEST(Explanation, SaysThatEvictionsCostLoadsInALoopLongerThanTheMemory) {
  const ExplainedRun run = run_of("gemm2d:n=40", "gpus:k=1,memory=35data", "eager");

  EXPECT_TRUE(has(text_of_findings(run),
                  "eager makes 1640 loads, 20 times the lower bound of 82. LRU evicts each "
                  "data item just before it is needed again: the best evictions for the "
                  "same order of tasks make 353 loads (4.3 times the bound)."));
  EXPECT_TRUE(has(text_of_findings(run), "B does not fit in memory"));
}

TEST(Explanation, SaysThatNoLoadCanBeAvoidedWhereAllFits) {
  EXPECT_TRUE(has(text_of_findings(run_of("gemm2d:n=10", "gpus:k=1,memory=16GB", "eager")),
                  "eager makes 20 loads, and none of them can be avoided."));
}

TEST(Explanation, NamesTwoDataItemsThatEvictEachOther) {
  TaskGraph::Parts parts;
  parts.bytes = {1000, 1000, 1000};
  for (int round = 0; round < 4; ++round) {
    parts.add_task(std::array<TaskGraph::Index, 2>{0, 1}, 1e9);
    parts.add_task(std::array<TaskGraph::Index, 2>{0, 2}, 1e9);
  }
  parts.data_names = {"A", "B", "C"};
  const Workload workload = Workload::of_graph("turns", TaskGraph(parts));

  const std::string text = text_of_findings(run_of(workload, "gpus:k=1,memory=2data", "eager"));

  EXPECT_TRUE(has(text, "The order of the tasks comes back to data items"));
  EXPECT_TRUE(has(text, "B and C evict each other 3 times."));
}

TEST(Explanation, SaysThatCoresSlowGpusDown) {
  const std::string text =
      text_of_findings(run_of("cholesky:n=20,deps=true", "gpus:k=2,memory=16GB,cpus=8", "eager"));

  EXPECT_TRUE(has(text,
                  "replace copies that became invalid when another processor wrote "
                  "the data item; memory is large enough"));
  EXPECT_TRUE(has(text, "The end of the run waits for tasks on cores"));
}

/// A temporary data item of 1 GB that nobody reads again leaves for room, if it is not declared so.
TEST(Explanation, SaysThatDataReturnUnread) {
  TaskGraph::Parts parts;
  parts.bytes = {1'000'000'000, 1'000'000'000, 1'000'000'000};
  using Access = damocles::Access;
  parts.add_task(std::array<TaskGraph::Index, 1>{0}, std::array{Access::write}, 1e9);
  parts.add_task(std::array<TaskGraph::Index, 1>{0}, std::array{Access::read}, 1e9);
  parts.add_task(std::array<TaskGraph::Index, 1>{1}, std::array{Access::read}, 1e9);
  parts.add_task(std::array<TaskGraph::Index, 1>{2}, std::array{Access::read}, 1e9);
  parts.dependencies = {{2, 1}, {3, 2}};
  const Workload workload = Workload::of_graph("dead", TaskGraph(parts));

  const ExplainedRun run = run_of(workload, "gpus:k=1,memory=1500MB,bandwidth=1GB/s", "eager");
  const Explanation why = explain(run);

  EXPECT_EQ(why.returns.bytes, 1'000'000'000U);
  EXPECT_EQ(raw(why.returns.most), 0U);
  EXPECT_GT(idle_for(why, IdleReason::write_back), 0.9);
  EXPECT_TRUE(has(text_of_findings(run), "D0: if they are no result, declare them temporary"));
}

TEST(Explanation, BlamesOutputsThatKeepTheirPlaces) {
  // An output takes 0.4 ms on its way, a task 0.02 ms.
  const ExplainedRun run =
      run_of("gemm2d:n=8,tile=1024,k=1024",
             "gpus:k=1,memory=16data,bandwidth=10GB/s,gflops=100000,writeback=1outputs,duplex=true",
             "eager");
  EXPECT_GT(idle_for(explain(run), IdleReason::write_back), 0.8 * *run.record.makespan_s);
}

TEST(Explanation, BlamesTheBusThatServesOthers) {
  const ExplainedRun run = run_of("gemm2d:n=50", "gpus:k=4,memory=500MB,bandwidth=1GB/s", "darts");
  const Explanation why = explain(run);

  EXPECT_GT(idle_for(why, IdleReason::shared_bus), 10 * idle_for(why, IdleReason::transfer));
}

TEST(Explanation, BlamesLateRequestsWhereNothingIsPrefetched) {
  const ExplainedRun run = run_of("gemm2d:n=40", "gpus:k=1,memory=35data,depth=1", "eager");
  const Explanation why = explain(run);

  EXPECT_GT(idle_for(why, IdleReason::late_request),
            0.99 * why.idle_share * *run.record.makespan_s);
}

TEST(Explanation, BlamesDecisionsThatTakeTime) {
  const ExplainedRun run = run_of("gemm2d:n=50", "gpus:k=1,memory=500MB,decision=1us", "darts");
  const Explanation why = explain(run);

  EXPECT_GT(idle_for(why, IdleReason::decision), 0.9 * why.idle_share * *run.record.makespan_s);
}

TEST(Explanation, BlamesDependenciesInAChain) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  for (TaskGraph::Index task = 0; task < 6; ++task) {
    parts.add_task(std::array<TaskGraph::Index, 1>{0}, 1e12);
    if (task > 0) parts.dependencies.emplace_back(task, task - 1);
  }
  const Workload workload = Workload::of_graph("chain", TaskGraph(parts));
  const ExplainedRun run = run_of(workload, "gpus:k=2,memory=1GB", "lws");
  const Explanation why = explain(run);

  EXPECT_GT(idle_for(why, IdleReason::dependency), 0.8 * *run.record.makespan_s);
  EXPECT_GE(why.path.task_s, 0.99 * *run.record.makespan_s);
}

TEST(Explanation, FindsTheFirstDecisionThatDiffers) {
  const ExplainedRun lru = run_of("gemm2d:n=40", "gpus:k=1,memory=35data", "eager");
  const ExplainedRun belady =
      run_of("gemm2d:n=40", "gpus:k=1,memory=35data", "eager:eviction=belady");

  const Difference apart = difference(lru, belady);

  ASSERT_TRUE(apart.first);
  EXPECT_GT(*apart.first, 30U);
  EXPECT_EQ(apart.here->kind, RunEvent::Kind::evicted);
  EXPECT_EQ(apart.there->kind, RunEvent::Kind::evicted);
  EXPECT_EQ(std::accumulate(apart.loads_by_tenth.begin(), apart.loads_by_tenth.end(), 0L), 1287);
  EXPECT_FALSE(difference(lru, lru).first);
}

/// Where the bus is all that is waited for, one twice as fast halves the time; loads stay.
TEST(Explanation, FindsThatAFasterBusHelps) {
  const Workload workload = Workload::parse("gemm2d:n=40");
  const ExplainedRun run = run_of(workload, "gpus:k=1,memory=35data", "eager");

  const auto gains = what_if(run, StrategyChoice::parse("eager", workload));

  const auto bus = std::find_if(gains.begin(), gains.end(), [](const WhatIf& one) {
    return one.change == "bus twice as fast";
  });
  ASSERT_NE(bus, gains.end());
  EXPECT_NEAR(bus->makespan_s / *run.record.makespan_s, 0.5, 0.01);
  EXPECT_EQ(bus->loads, 1640U);
}

TEST(Explanation, HalvesTheTimeOfOneKindOfTask) {
  const Workload workload = Workload::parse("cholesky:n=10,deps=true");
  const ExplainedRun run = run_of(workload, "gpus:k=1,memory=16GB,bandwidth=1000GB/s", "eager");

  const auto gains = what_if(run, StrategyChoice::parse("eager", workload));

  ASSERT_FALSE(gains.empty());
  EXPECT_EQ(gains.front().change, "GPUs twice as fast");
  EXPECT_EQ(gains[1].change, "GEMM twice as fast");
}

}  // namespace
}  // namespace damocles::explanation_test
