// How fast several cores compute a task together: the laws, who may, and what bounds make of it.

#include "models/platforms/speedup.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/bounds/workload_bound.hpp"
#include "models/platforms/durations.hpp"
#include "models/platforms/scenario.hpp"
#include "models/platforms/team_laws.hpp"
#include "tests/models/platforms/platform_file.hpp"

namespace damocles::speedup_test {
namespace {

double at(const std::string& law, std::size_t cores) {
  return parse_speedups(law, "here").front()(cores);
}

TEST(Speedup, IsOneOfThreeLaws) {
  // A tenth on one core alone, nine tenths on 4: 1 / (0.1 + 0.9 / 4).
  EXPECT_DOUBLE_EQ(at("amdahl:0.1", 4), 1 / 0.325);
  EXPECT_DOUBLE_EQ(at("power:0.5", 4), 2);
  EXPECT_DOUBLE_EQ(at("table:1/1.5/1.5/3", 2), 1.5);
  EXPECT_DOUBLE_EQ(at("table:1/1.5/1.5/3", 4), 3);
}

TEST(Speedup, IsOneOnOneCoreNeverFallsAndNeverExceedsTheCores) {
  for (const char* const law : {"amdahl:0", "amdahl:0.05", "amdahl:1", "power:0", "power:0.9",
                                "power:1", "table:1/2/3/4"}) {
    const Speedup speedup = parse_speedups(law, "here").front();
    const std::size_t most = std::min<std::size_t>(speedup.most_cores(), 4096);
    EXPECT_EQ(speedup(1), 1) << law;
    for (std::size_t k = 2; k <= most; ++k) {
      EXPECT_GE(speedup(k), speedup(k - 1)) << law << ", " << k;
      EXPECT_LE(speedup(k), static_cast<double>(k)) << law << ", " << k;
    }
  }
}

TEST(Speedup, IsRefusedWhereItIsNone) {
  for (const char* const wrong :
       {"", "amdahl", "amdahl:", "amdahl:-0.1", "amdahl:1.1", "amdahl:nan", "power:2", "usl:0.1",
        "table:", "table:2", "table:0.9/1", "table:1/2.1", "table:1/1.5/1.4", "table:1//2",
        ":amdahl:0.1", "GEMM:0.1", "amdahl:0.1+power:1", "GEMM:power:1+GEMM:power:1",
        "GEMM:power:1+"}) {
    EXPECT_EQ(
        error_text([&] { (void)parse_speedups(wrong, "here"); }),
        "here: speedup must be amdahl:A or power:A, A from 0 to 1, or table:1/S2/S3/..., "
        "never falling and Sk at most k; one for all tasks, or one for each kind, as GEMM:amdahl:0.05+SYRK:power:0.9, not '" +
            std::string(wrong) + "'");
  }
}

MachineModel of_spec(const std::string& more) {
  return *Scenario::parse("gpus:k=1,memory=500MB,cpus=4,cpu_gflops=40" + more).draw(1, 0).machine;
}

class SpeedupFile : public PlatformFile {};

TEST_F(SpeedupFile, HasTheKeyOfTheOtherForm) {
  const MachineModel spec = of_spec(",cpu_speedup=GEMM:amdahl:0.05+SYRK:power:0.9");
  const std::string path = write(
      "[[gpus]]\nmemory = \"500MB\"\n[[cpus]]\ncount = 4\ngflops = 40\n"
      "speedup = \"GEMM:amdahl:0.05+SYRK:power:0.9\"\n");
  const MachineModel file = *Scenario::parse(path).draw(1, 0).machine;

  ASSERT_EQ(spec.processors[4].speedups.size(), 2U);
  EXPECT_EQ(spec.processors[4].speedups[0].kind, "GEMM");
  EXPECT_DOUBLE_EQ(spec.processors[4].speedups[1].parameter, 0.9);
  EXPECT_EQ(file.processors[4].speedups, spec.processors[4].speedups);
  EXPECT_TRUE(spec.processors[0].speedups.empty());
  EXPECT_EQ(error_text([] { (void)of_spec(",cpu_speedup=2"); }).substr(0, 84),
            "platform 'gpus:k=1,memory=500MB,cpus=4,cpu_gflops=40,cpu_speedup=2': speedup must be");
}

const char* const cholesky = "cholesky:n=3,tile=64,deps=true";

TEST(TeamLaws, AreOfCoresThatAreAlike) {
  const auto workload = Workload::parse(cholesky);
  MachineModel machine = of_spec(",cpu_speedup=amdahl:0");
  machine.processors[3].flops_per_s *= 2;  // the third of four cores

  const TeamLaws laws(workload, machine);

  ASSERT_EQ(laws.groups(), (std::vector<std::vector<std::size_t>>{{1, 2, 4}}));
  EXPECT_TRUE(laws.alike(1, 4));
  EXPECT_FALSE(laws.alike(1, 3));
  EXPECT_FALSE(laws.alike(0, 1));
  EXPECT_EQ(laws.most(2, 0), 3U);
  EXPECT_EQ(laws.most(3, 0), 1U);
  EXPECT_EQ(laws.most(0, 0), 1U);
  EXPECT_DOUBLE_EQ(laws.most_speedup(), 3);
  EXPECT_FALSE(TeamLaws(workload, of_spec("")).any());
  EXPECT_FALSE(TeamLaws().any());
}

TEST(TeamLaws, AreOfTheKindsThatHaveOne) {
  const auto workload = Workload::parse(cholesky);
  const TaskGraph& graph = workload.graph();
  const TeamLaws laws(workload, of_spec(",cpu_speedup=POTRF:table:1/1.5+amdahl:0.5"));
  const TeamLaws only(workload, of_spec(",cpu_speedup=POTRF:table:1/1.5"));

  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    const bool potrf = graph.kind_name(task) == "POTRF";
    EXPECT_EQ(laws.most(1, task), potrf ? 2U : 4U);
    EXPECT_DOUBLE_EQ(laws.speedup(1, task, 2), potrf ? 1.5 : 1 / 0.75);
    EXPECT_EQ(only.most(1, task), potrf ? 2U : 1U);
  }
  EXPECT_EQ(error_text([&] { TeamLaws(workload, of_spec(",cpu_speedup=QR:power:1")); }),
            "the platform gives a speed-up for tasks of kind QR, but '" + workload.text() +
                "' has the kinds POTRF, TRSM, SYRK, GEMM; remove the speed-ups of other kinds");
}

TEST(Durations, OfATeamAreThoseOfOneCoreOverItsSpeedup) {
  const auto workload = Workload::parse(cholesky);
  Platform platform{.speeds = std::vector<double>(5, 1)};
  platform.machine = of_spec(",cpu_speedup=amdahl:0.1,cpu_times=GEMM:6ms,overhead=1ms");
  const Durations durations(workload, platform);

  for (TaskGraph::Index task = 0; task < workload.graph().tasks(); ++task) {
    const double alone_s = durations.s(1, task) - 1e-3;
    EXPECT_DOUBLE_EQ(durations.s(1, task, 1), durations.s(1, task));
    EXPECT_DOUBLE_EQ(durations.s(1, task, 4), 1e-3 + alone_s * 0.325);
    if (workload.graph().kind_name(task) == "GEMM") {
      EXPECT_DOUBLE_EQ(durations.s(1, task, 4), 1e-3 + 6e-3 * 0.325);
    }
  }
}

/// Three tasks of 8 s of a core, one after the other, on four cores.
MakespanBound of_chain(const std::string& speedup) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  for (TaskGraph::Index task = 0; task < 3; ++task) {
    parts.add_task(std::vector<TaskGraph::Index>{0}, 8e9);
    if (task > 0) parts.dependencies.emplace_back(task, task - 1);
  }
  const auto chain = Workload::of_graph("chain", TaskGraph(std::move(parts)));
  const Platform platform = Scenario::parse("gpus:k=0,cpus=4,cpu_gflops=1" + speedup).draw(1, 0);
  return workload_makespan_bound(chain, platform, workload_load_bound(chain, *platform.machine));
}

TEST(MakespanBoundOfTeams, TakesEachTaskOnTheBestOfThem) {
  EXPECT_DOUBLE_EQ(of_chain("").seconds, 24);
  // 8 s on four cores with S = 2 are 4 s; all flops at all rates are 6 s.
  const MakespanBound half = of_chain(",cpu_speedup=power:0.5");
  EXPECT_DOUBLE_EQ(half.seconds, 12);
  EXPECT_EQ(half.argument, "critical path");
  EXPECT_DOUBLE_EQ(of_chain(",cpu_speedup=amdahl:0").seconds, 6);
  EXPECT_DOUBLE_EQ(of_chain(",cpu_speedup=table:1/2").seconds, 12);  // on two of them
  EXPECT_DOUBLE_EQ(of_chain(",cpu_speedup=amdahl:0,overhead=1s").seconds, 9);
}

}  // namespace
}  // namespace damocles::speedup_test
