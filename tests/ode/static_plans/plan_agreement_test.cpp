// The model `plan` beside simulated runs of static schedules.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "models/rng.hpp"
#include "ode/static_plans/plan_predictor.hpp"
#include "sim/simulate.hpp"
#include "tests/strategies/writing_graphs.hpp"

namespace damocles::plan_agreement_test {
namespace {

struct Setting {
  Setting(const std::string& on, const std::string& machine)
      : Setting(Workload::parse(on), machine) {}
  Setting(Workload of, const std::string& machine)
      : workload(std::move(of)),
        platform(Scenario::parse(machine).for_tasks_of(workload).draw(1, 0)),
        text(workload.text() + " " + machine) {}
  Workload workload;
  Platform platform;
  std::string text;
};

PlanPrediction predicted(const Setting& setting, const PlanPredictor& predictor) {
  return plan_prediction(planned_run(setting.workload, setting.platform, predictor.schedule));
}

Trace simulated(const Setting& setting, const PlanPredictor& predictor) {
  const auto choice = StrategyChoice::parse(predictor.name, setting.workload);
  return simulate(setting.workload, setting.platform, choice, 1, 0);
}

double home_bytes_of(const Trace& trace) {
  return static_cast<double>(
      std::accumulate(trace.bytes_written.begin(), trace.bytes_written.end(), std::uint64_t{0}));
}

/// Factorisations, stencils and layers; memory for few data items to all of them; some machines
/// have cores.
Setting drawn_setting(std::uint64_t draw) {
  Rng rng(11, Draw::test, draw);
  const auto n = 5 + rng.below(12);
  const std::array texts{fmt::format("cholesky:n={},deps=true", n),
                         fmt::format("lu:n={},deps=true", n),
                         fmt::format("stencil:n={},steps={}", n, 3 + rng.below(8)),
                         fmt::format("layered:n={},layers={}", n, 3 + rng.below(8)),
                         fmt::format("starpu-cholesky:n={}", n)};
  const std::string& text = texts[draw % texts.size()];
  const auto data = static_cast<double>(Workload::parse(text).data());
  const auto memory = static_cast<std::size_t>(6 * std::pow(data / 6, rng.uniform()));
  return {text, fmt::format("gpus:k={},memory={}data,bandwidth={}GB/s{}", 1U << draw % 3, memory,
                            3 + rng.below(22), draw % 4 == 3 ? ",cpus=4" : "")};
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size()))];
}

TEST(PlanModel, IsNearSimulatedRuns) {
  for (const PlanPredictor& predictor : Table<PlanPredictor>::entries()) {
    std::vector<double> loads;
    std::vector<double> makespan;
    for (std::uint64_t draw = 0; draw < 36; ++draw) {
      const Setting setting = drawn_setting(draw);
      const PlanPrediction said = predicted(setting, predictor);
      const Trace trace = simulated(setting, predictor);
      EXPECT_EQ(said.planned_makespan_s, trace.planned_makespan_s) << setting.text;
      loads.push_back(std::abs(said.loads / static_cast<double>(trace.total_loads()) - 1));
      makespan.push_back(std::abs(said.makespan_s / trace.makespan_s - 1));
    }
    EXPECT_LT(quantile(loads, 0.5), 0.003) << predictor.name;
    EXPECT_LT(quantile(loads, 0.9), 0.03) << predictor.name;
    EXPECT_LT(quantile(makespan, 0.5), 0.004) << predictor.name;
    EXPECT_LT(quantile(makespan, 0.9), 0.02) << predictor.name;
  }
}

TEST(PlanModel, IsExactOnOneGpuWithMemoryForEverything) {
  for (const char* const workload :
       {"cholesky:n=12,deps=true", "lu:n=9,deps=true", "stencil:n=7,steps=6",
        "layered:n=9,layers=7", "gemm3d:n=5,c=made", "starpu-lu:n=8"}) {
    const auto data = Workload::parse(workload).data();
    const Setting setting(workload, fmt::format("gpus:k=1,memory={}data", data));
    for (const PlanPredictor& predictor : Table<PlanPredictor>::entries()) {
      const PlanPrediction said = predicted(setting, predictor);
      const Trace trace = simulated(setting, predictor);
      EXPECT_EQ(said.loads, static_cast<double>(trace.total_loads()))
          << predictor.name << setting.text;
      EXPECT_EQ(said.bytes_home, home_bytes_of(trace)) << predictor.name << setting.text;
      EXPECT_NEAR(said.makespan_s / trace.makespan_s, 1, 0.004) << predictor.name << setting.text;
    }
  }
}

/// Without jitter and with nothing ahead the two do the same.
TEST(PlanModel, IsExactOnOneGpuThatLoadsNothingAhead) {
  for (std::uint64_t draw = 0; draw < 30; draw += 3) {
    const Setting drawn = drawn_setting(draw);
    const std::string machine = drawn.text.substr(drawn.text.find(' ') + 1);
    if (machine.find("cpus") != std::string::npos) continue;
    const Setting setting(drawn.workload.text(), machine + ",depth=1,jitter=off");
    const auto& heft = Table<PlanPredictor>::named("heft");
    const PlanPrediction said = predicted(setting, heft);
    const Trace trace = simulated(setting, heft);
    EXPECT_EQ(said.loads, static_cast<double>(trace.total_loads())) << setting.text;
    EXPECT_EQ(said.bytes_home, home_bytes_of(trace)) << setting.text;
    EXPECT_NEAR(said.makespan_s, trace.makespan_s, 1e-9 * trace.makespan_s) << setting.text;
  }
}

/// Tiny graphs of every kind of access, data of several sizes, memories that hold one task.
TEST(PlanModel, EndsOnAnyRun) {
  std::size_t predictions = 0;
  for (std::uint64_t draw = 0; draw < 600; ++draw) {
    Rng rng(12, Draw::test, draw);
    const Setting setting(
        Workload::of_graph("drawn", drawn_writing_graph(rng)),
        fmt::format("gpus:k={},memory={}B{},depth={},writeback={}", 1 + rng.below(3),
                    3 + rng.below(24), rng.below(2) == 0 ? "" : ",cpus=2", 1 + rng.below(5),
                    std::array{"false", "true", "traffic"}[rng.below(3)]));
    if (!why_no_planned_run(setting.workload, setting.platform).empty()) continue;
    try {
      const PlanPrediction said = predicted(setting, Table<PlanPredictor>::entries()[draw % 11]);
      EXPECT_GE(said.loads, 0) << setting.text;
      EXPECT_TRUE(std::isfinite(said.makespan_s)) << setting.text;
      EXPECT_GE(said.makespan_s, 0) << setting.text;
      ++predictions;
    } catch (const Infeasible&) {
      continue;  // a task does not fit
    }
  }
  EXPECT_GT(predictions, 150U);
}

TEST(PlanModel, SaysWhyItIsSilent) {
  const auto why = [](const char* workload, const char* platform) {
    return why_no_planned_run(Workload::parse(workload), Scenario::parse(platform).draw(1, 0));
  };
  const char* const tasks = "cholesky:n=4,deps=true";
  EXPECT_EQ(why(tasks, "gpus:k=2,memory=500MB,cpus=3,writeback=true"), "");
  EXPECT_EQ(why("cholesky:n=4,deps=true,updates=commute", "gpus:k=2,memory=500MB"),
            "its tasks commute, so the run decides their order");
  EXPECT_EQ(why("cholesky:n=4,deps=true,updates=reduce", "gpus:k=2,memory=500MB"),
            "its tasks reduce into partial sums");
  EXPECT_EQ(why(tasks, "gpus:k=2,memory=500MB,buses=2"), "it has several buses");
  EXPECT_EQ(why(tasks, "gpus:k=2,memory=500MB,peers=24GB/s"), "its GPUs copy from each other");
  EXPECT_EQ(why(tasks, "gpus:k=2,memory=500MB,bus=fifo"), "its bus serves one transfer at a time");
  EXPECT_EQ(why(tasks, "gpus:k=2,memory=500MB,duplex=true"), "its bus has both directions at once");
  EXPECT_EQ(why(tasks, "gpus:k=2,memory=500MB,streams=1"),
            "its GPUs copy in one direction at a time");
  EXPECT_EQ(why(tasks, "gpus:k=2,memory=500MB,noise=lognormal:0.1"), "the times of its tasks vary");
  EXPECT_EQ(why(tasks, "gpus:k=2,memory=500MB,loads_ahead=2"), "its GPUs request loads ahead");
  EXPECT_EQ(why(tasks, "gpus:k=2,memory=500MB,decision=5us"), "it delays tasks or transfers");
}

TEST(PlanModel, NamesALimitThatItsStudyDidNotReach) {
  const auto why = [](const char* workload, const char* platform) {
    const Setting setting(workload, platform);
    return why_outside_plan_study(
        setting.workload, planned_run(setting.workload, setting.platform, schedule_called("heft")));
  };
  EXPECT_EQ(why("cholesky:n=9,deps=true", "gpus:k=4,memory=6data,cpus=12"), "");
  EXPECT_EQ(why("lu:n=9,deps=true", "gpus:k=4,memory=5data"),
            "memory of 5 data items, validated from 6");
  EXPECT_EQ(why("lu:n=9,deps=true", "gpus:k=5,memory=6data"), "5 GPUs, validated for 1 to 4");
  EXPECT_EQ(why("lu:n=9,deps=true", "gpus:k=0,cpus=2"), "0 GPUs, validated for 1 to 4");
  EXPECT_EQ(why("lu:n=9,deps=true", "gpus:k=1,memory=6data,cpus=13"),
            "13 cores, validated up to 12");
  EXPECT_EQ(
      why("stencil:n=7,steps=3", "gpus:k=1,memory=95data,depth=4"),
      "a memory 3 data items short of what its GPU accesses, fewer than the buffer's 4 tasks");
  EXPECT_EQ(why("stencil:n=7,steps=3", "gpus:k=1,memory=94data,depth=4"), "");
  EXPECT_EQ(why("stencil:n=7,steps=3", "gpus:k=1,memory=95data,depth=3"), "");
  EXPECT_EQ(why("cholesky:n=3,deps=true", "gpus:k=1,memory=6data"), "10 tasks, validated from 20");
  EXPECT_EQ(why("stencil:n=40,steps=8", "gpus:k=1,memory=6data"),
            "12800 tasks, validated up to 11500");
  const Setting read(Workload::of_graph("graph", Workload::parse("lu:n=9,deps=true").graph()),
                     "gpus:k=1,memory=6data");
  EXPECT_EQ(why_outside_plan_study(
                read.workload, planned_run(read.workload, read.platform, schedule_called("heft"))),
            "the tasks of graph, validated for cholesky, lu, gemm3d, stencil, layered, "
            "starpu-cholesky, starpu-lu");
}

TEST(PlanModel, RefusesATaskThatDoesNotFit) {
  const Setting setting("cholesky:n=4,deps=true", "gpus:k=1,memory=2data");
  EXPECT_THROW((void)predicted(setting, Table<PlanPredictor>::named("heft")), Infeasible);
}

TEST(EveryPlanPredictor, IsOfAStrategyThatPlans) {
  EXPECT_EQ(Table<PlanPredictor>::entries().size(), named_schedules().size());
  for (const PlanPredictor& predictor : Table<PlanPredictor>::entries()) {
    EXPECT_EQ(strategy_called(predictor.name).name, predictor.name);
    EXPECT_NE(Table<LimitedPredictor>::find(predictor.name), nullptr) << predictor.name;
  }
  EXPECT_NE(Table<LimitedModel>::find(plan_model), nullptr);
}

}  // namespace
}  // namespace damocles::plan_agreement_test
