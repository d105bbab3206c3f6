// Which teams of cores there are, whom they wait for, and the rules of the policies that use them,
// asked by hand.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "strategies/parts/teams.hpp"
#include "strategies/registry.hpp"

namespace damocles::team_policies_test {
namespace {

using Index = TaskGraph::Index;
using Ids = std::vector<std::uint64_t>;

Team team(const std::vector<std::uint32_t>& ids) {
  Team result;
  for (const std::uint32_t id : ids) result.push_back(ProcessorId{id});
  return result;
}

/// Tasks of these seconds of a core of 1 Gflop/s and kinds, which read one data item.
Workload tasks_of(const std::vector<double>& seconds, const std::vector<std::uint16_t>& kinds) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  parts.kind_names = {"A", "B"};
  parts.task_kinds = kinds;
  for (const double s : seconds) parts.add_task(std::vector<Index>{0}, s * 1e9);
  return Workload::of_graph("by hand", TaskGraph(std::move(parts)));
}
Workload tasks_of(const std::vector<double>& seconds) {
  return tasks_of(seconds, std::vector<std::uint16_t>(seconds.size(), 0));
}

std::vector<Team> teams(const std::string& platform, const std::string& options) {
  const auto workload = Workload::parse("gemm2d:n=2,tile=64,k=64");
  const Platform of = Scenario::parse(platform).draw(1, 0);
  return teams_of_cores(TeamLaws(workload, *of.machine),
                        Spec::parse("peager" + options, "strategy"));
}

TEST(Teams, AreAllCoresAndTheirHalves) {
  const std::string eight = "gpus:k=1,cpus=8,cpu_gflops=1,cpu_speedup=amdahl:0";
  EXPECT_EQ(teams(eight, ""), (std::vector<Team>{team({1, 2, 3, 4, 5, 6, 7, 8}), team({1, 2, 3, 4}),
                                                 team({5, 6, 7, 8}), team({1, 2}), team({3, 4}),
                                                 team({5, 6}), team({7, 8})}));
  EXPECT_EQ(teams(eight, ":smallest=3,largest=7"),
            (std::vector<Team>{team({1, 2, 3, 4}), team({5, 6, 7, 8})}));
  EXPECT_EQ(
      teams("gpus:k=0,cpus=5,cpu_gflops=1,cpu_speedup=amdahl:0", ""),
      (std::vector<Team>{team({0, 1, 2, 3, 4}), team({0, 1, 2}), team({0, 1}), team({3, 4})}));
  EXPECT_EQ(teams("gpus:k=0,cpus=8,cpu_gflops=1", ""), std::vector<Team>{});
}

TEST(TeamLines, BeginATaskWhenItIsTheFirstOfAllItsFreeCores) {
  TeamLines lines(3);
  lines.add(7, team({0, 1}));
  lines.add(8, team({1, 2}));
  lines.add(9, team({2}));

  EXPECT_EQ(lines.next(ProcessorId{0}), std::nullopt);  // 1 was not asked
  EXPECT_EQ(lines.next(ProcessorId{2}), std::nullopt);  // 8 is behind 7 in the line of 1
  EXPECT_FALSE(lines.consume_wakeup());
  EXPECT_EQ(lines.next(ProcessorId{1}), std::nullopt);  // it is for 0 to be granted it
  EXPECT_TRUE(lines.consume_wakeup());
  EXPECT_FALSE(lines.consume_wakeup());
  EXPECT_EQ(lines.next(ProcessorId{0}), 7U);
  EXPECT_EQ(lines.next(ProcessorId{1}), std::nullopt);  // held
  const auto helpers = lines.helpers(7);
  EXPECT_EQ(Team(helpers.begin(), helpers.end()), team({1}));

  lines.finished(7);

  EXPECT_TRUE(lines.consume_wakeup());
  EXPECT_TRUE(lines.helpers(7).empty());
  EXPECT_EQ(lines.next(ProcessorId{2}), std::nullopt);  // 8 is for 1, who is free by now
  EXPECT_TRUE(lines.consume_wakeup());
  EXPECT_EQ(lines.next(ProcessorId{1}), 8U);
  lines.finished(8);
  EXPECT_EQ(lines.next(ProcessorId{2}), 9U);
}

/// A strategy on a machine, asked by hand.
class Asked {
 public:
  Asked(const std::string& strategy, Workload workload, const std::string& platform)
      : workload_(std::move(workload)),
        platform_(Scenario::parse(platform).draw(1, 0)),
        memory_(platform_.processors(), workload_.data()),
        choice_(StrategyChoice::parse(strategy, workload_)),
        strategy_(
            choice_.make({workload_, platform_, memory_, choice_.spec, Rng(1, Draw::strategy, 0),
                          std::vector<std::uint64_t>(platform_.processors(), 1000)})) {}

  Strategy& operator*() { return *strategy_; }
  /// What the processor is granted and, behind it, who helps.
  Ids next(std::uint32_t processor) {
    Grant grant;
    strategy_->request(ProcessorId{processor}, grant);
    Ids result;
    grant.tasks.for_each([&](TaskId task) {
      result.push_back(raw(task));
      for (const auto helper : strategy_->helpers(ProcessorId{processor}, task)) {
        result.push_back(raw(helper));
      }
    });
    return result;
  }
  void ends(std::uint32_t processor, std::uint64_t task) {
    strategy_->on_finished(ProcessorId{processor}, TaskId{task});
  }

 private:
  Workload workload_;
  Platform platform_;
  NodeMemory memory_;
  StrategyChoice choice_;
  std::unique_ptr<Strategy> strategy_;
};

const std::string four = "gpus:k=1,gflops=1,cpus=4,cpu_gflops=1,cpu_speedup=amdahl:0";

TEST(Peager, HasThePrimarysLargestTeamComputeEachTask) {
  Asked peager("peager", tasks_of({1, 1, 1, 1, 1}), four);

  EXPECT_EQ(peager.next(0), Ids{0});  // the GPU, as under eager
  EXPECT_EQ(peager.next(2), Ids{});   // it is primary of none, and leaves 1 where it is
  EXPECT_EQ(peager.next(3), Ids{});   // takes 1 for 3 and 4, who was not asked
  EXPECT_EQ(peager.next(1), Ids{});   // takes 2 for all four
  EXPECT_EQ(peager.next(4), Ids{});   // 1 can begin; then 2, when 3 and 4 are done
  EXPECT_TRUE((*peager).consume_wakeup());
  EXPECT_EQ(peager.next(3), (Ids{1, 4}));
  EXPECT_EQ(peager.next(1), Ids{});
  EXPECT_EQ(peager.next(2), Ids{});
  EXPECT_EQ(peager.next(0), Ids{3});

  peager.ends(3, 1);

  EXPECT_TRUE((*peager).consume_wakeup());
  EXPECT_EQ(peager.next(3), Ids{});  // it joins the team that called before
  EXPECT_TRUE((*peager).consume_wakeup());
  EXPECT_EQ(peager.next(1), (Ids{2, 2, 3, 4}));
}

TEST(Peager, HasTasksThatNobodyComputesTogetherRunAlone) {
  // 0, 1 and 2 of B, which have no speed-up; 3 of A.
  Asked peager("peager", tasks_of({1, 1, 1, 1}, {1, 1, 1, 0}),
               "gpus:k=0,cpus=4,cpu_gflops=1,cpu_speedup=A:amdahl:0");

  EXPECT_EQ(peager.next(1), Ids{0});
  EXPECT_EQ(peager.next(0), Ids{1});
  EXPECT_EQ(peager.next(3), Ids{2});
  EXPECT_EQ(peager.next(3), Ids{});        // leaves 3
  EXPECT_EQ(peager.next(2), (Ids{3, 3}));  // takes it for 2 and 3, who is free
}

TEST(Peager, IsEagerWhereNoCoresComputeTogether) {
  Asked peager("peager", tasks_of({1, 1, 1}), "gpus:k=1,cpus=2,cpu_gflops=1");

  EXPECT_EQ(peager.next(2), Ids{0});
  EXPECT_EQ(peager.next(0), Ids{1});
  EXPECT_EQ(peager.next(1), Ids{2});
}

TEST(Pheft, PlacesATaskOnTheTeamWhereItEndsFirst) {
  // S(2) = 1.6, S(4) = 2. The first of 8 s: on all four until 4 (two: 5, one: 8). The second
  // likewise until 8, as nobody ends before 4 (two: 9).
  Asked pheft("pheft", tasks_of({8, 8}),
              "gpus:k=0,cpus=4,cpu_gflops=1,cpu_speedup=table:1/1.6/1.6/2");
  EXPECT_EQ(pheft.next(0), Ids{});
  EXPECT_EQ(pheft.next(1), Ids{});
  EXPECT_EQ(pheft.next(2), Ids{});
  EXPECT_EQ(pheft.next(3), Ids{});  // the last of them: 0 may begin
  EXPECT_TRUE((*pheft).consume_wakeup());
  EXPECT_EQ(pheft.next(0), (Ids{0, 1, 2, 3}));
  pheft.ends(0, 0);
  EXPECT_EQ(pheft.next(0), (Ids{1, 1, 2, 3}));
}

TEST(Pheft, TakesTheTeamWhoseLastCoreIsFreeFirst) {
  // Two of B alone: 0 of 5 s on core 0, 1 of 1 s on core 1. 2 of A, 4 s, with S(2) = 2: on 2 and 3
  // until 2; on 0 and 1 until 7. Then 3 of A: on 2 and 3 until 4.
  Asked pheft("pheft", tasks_of({5, 1, 4, 4}, {1, 1, 0, 0}),
              "gpus:k=0,cpus=4,cpu_gflops=1,cpu_speedup=A:table:1/2");
  EXPECT_EQ(pheft.next(0), Ids{0});
  EXPECT_EQ(pheft.next(1), Ids{1});
  EXPECT_EQ(pheft.next(3), Ids{});
  EXPECT_EQ(pheft.next(2), (Ids{2, 3}));
  pheft.ends(2, 2);
  EXPECT_EQ(pheft.next(2), (Ids{3, 3}));
  EXPECT_EQ(pheft.next(1), Ids{});
}

TEST(Pheft, WeighsWhatAllItsCoresDraw) {
  // One task of 4 s: alone 40 J, on both, in 4 / 1.5 s, 53.3 J. At 1 s a joule: 44 to 56.
  const std::string two = "gpus:k=0,cpus=2,cpu_gflops=1,cpu_power=10W,cpu_speedup=table:1/1.5";
  Asked cheap("pheft:gamma=1000000", tasks_of({4}), two);
  EXPECT_EQ(cheap.next(0), Ids{0});
  // At 1 ms a joule: 4.04 to 2.72.
  Asked fast("pheft", tasks_of({4}), two);
  EXPECT_EQ(fast.next(0), Ids{});
  EXPECT_EQ(fast.next(1), Ids{});
  EXPECT_EQ(fast.next(0), (Ids{0, 1}));
}

TEST(Pheft, CountsATransferBesideTheEndAndNotWithin) {
  // 1 B at 2 / 1 s a byte and bus; 1 s on the GPU, 4 on a core. dmda: max(0, 2) + 1 + 2 = 5 to 4;
  // pheft: 1 + 2 = 3 to 4.
  const std::string slow =
      "gpus:k=1,gflops=4,bandwidth=1B/s,latency=0s,memory=1data,cpus=1,cpu_gflops=1";
  EXPECT_EQ(Asked("dmda", tasks_of({4}), slow).next(1), Ids{0});
  EXPECT_EQ(Asked("pheft", tasks_of({4}), slow).next(0), Ids{0});
}

}  // namespace
}  // namespace damocles::team_policies_test
