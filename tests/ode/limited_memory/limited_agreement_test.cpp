#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "models/rng.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "orders/partition.hpp"
#include "sim/simulate.hpp"
#include "tests/ode/runs.hpp"

namespace damocles::limited_agreement_test {
namespace {

struct Setting {
  Setting(const std::string& on, const std::string& machine)
      : workload(Workload::parse(on)),
        platform(Scenario::parse(machine).draw(1, 0)),
        platform_text(machine),
        text(on + " " + machine) {}
  Workload workload;
  Platform platform;
  std::string platform_text;
  std::string text;
};

/// Squares and rectangles; memory for few data items to all of them; half of the machines delay
/// what is requested on demand.
Setting drawn_setting(std::uint64_t seed, std::uint64_t draw, std::size_t processors,
                      std::uint64_t longest) {
  Rng rng(seed, Draw::test, draw);
  const std::uint64_t m = 20 + rng.below(longest - 19);
  const std::uint64_t n = rng.below(2) == 0 ? m : 20 + rng.below(longest - 19);
  const std::uint64_t memory = 6 + rng.below(m + n - 5);
  const char* const request = draw % 2 == 0 ? "" : ",request=100us";
  return {fmt::format("gemm2d:m={},n={}", m, n),
          fmt::format("gpus:k={},memory={}data{}", processors, memory, request)};
}

LimitedRun run_of(const Setting& setting, const StrategyChoice& choice) {
  LimitedRun run =
      limited_run(setting.workload, setting.platform, choice.eviction(), choice.entry->depth);
  run.strategy = choice.spec;
  return run;
}

const LimitedPredictor& predictor_of(const StrategyChoice& choice) {
  return Table<LimitedPredictor>::named(choice.entry->name);
}

/// Tiny grids, deep buffers, slow buses: far outside the study, but nobody may wait for ever.
TEST(EveryLimitedModel, EndsOnAnyRun) {
  for (std::uint64_t draw = 0; draw < 300; ++draw) {
    Rng rng(2, Draw::test, draw);
    const auto m = 1 + rng.below(12);
    const auto n = 1 + rng.below(12);
    const Setting setting(
        draw % 4 == 0 ? fmt::format("cholesky:n={},deps=false", n)
                      : fmt::format("gemm2d:m={},n={}", m, n),
        fmt::format("gpus:k={},memory={}data,depth={},bandwidth={}GB/s", 1 + rng.below(6),
                    2 + rng.below(20), 1 + rng.below(16), 1 + rng.below(24)));
    for (const LimitedPredictor& predictor : Table<LimitedPredictor>::entries()) {
      const LimitedRun run =
          limited_run(setting.workload, setting.platform, predictor.evictions.front());
      if (predictor.why_unavailable != nullptr && !predictor.why_unavailable(run).empty()) continue;
      const LimitedPrediction predicted = predictor.predict(run);
      EXPECT_GE(predicted.loads, 0) << predictor.name << " on " << setting.text;
      EXPECT_GE(predicted.makespan_s, 0) << predictor.name << " on " << setting.text;
    }
  }
}

TEST(CountedModel, IsExactOnOneGpu) {
  for (std::uint64_t draw = 0; draw < 50; ++draw) {
    const Setting setting = drawn_setting(1, draw, 1, 60);
    for (const char* const strategy :
         {"lws", "ws", "heft", "dmda", "dmdar", "dmdas", "eager", "sorted", "rcm"}) {
      const auto choice = StrategyChoice::parse(strategy, setting.workload);
      const auto predicted = predictor_of(choice).predict(run_of(setting, choice));
      const Trace trace = simulate(setting.workload, setting.platform, choice, 1, 0);
      EXPECT_NEAR(predicted.loads, static_cast<double>(trace.total_loads()), 1)
          << strategy << " on " << setting.text;
      EXPECT_NEAR(predicted.makespan_s / trace.makespan_s, 1, 0.004)
          << strategy << " on " << setting.text;
    }
  }
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size()))];
}

/// None a grid of two indices; memory for few data items to all of them.
Setting drawn_of_others(std::uint64_t draw, std::size_t processors) {
  Rng rng(4, Draw::test, draw);
  const auto n = 6 + rng.below(7);
  const std::array texts{fmt::format("sparse2d:n={},density=0.3,seed={}", 4 * n, draw),
                         fmt::format("gemm3d:n={}", n), fmt::format("gemm3d:n={},c=yes", n),
                         fmt::format("cholesky:n={},deps=false", 2 * n),
                         fmt::format("lu:n={},deps=false", n)};
  const std::string& text = texts[draw % texts.size()];
  const auto memory = 6 + rng.below(Workload::parse(text).data() - 5);
  return {text, fmt::format("gpus:k={},memory={}data", processors, memory)};
}

TEST(CountedModel, IsExactOnOneGpuForAnyIndependentTasks) {
  for (std::uint64_t draw = 0; draw < 50; ++draw) {
    const Setting setting = drawn_of_others(draw, 1);
    for (const char* const strategy : {"lws", "ws", "modular-ws", "prio", "modular-eager"}) {
      const auto choice = StrategyChoice::parse(strategy, setting.workload);
      const auto predicted = predictor_of(choice).predict(run_of(setting, choice));
      const Trace trace = simulate(setting.workload, setting.platform, choice, 1, 0);
      EXPECT_NEAR(predicted.loads, static_cast<double>(trace.total_loads()), 1)
          << strategy << " on " << setting.text;
      EXPECT_NEAR(predicted.makespan_s / trace.makespan_s, 1, 0.004)
          << strategy << " on " << setting.text;
    }
  }
}

struct Errors {
  std::vector<double> loads;
  std::vector<double> makespan;
};

/// Relative to the mean of so many runs.
void add_errors(const Setting& setting, const std::string& strategy, std::uint64_t runs,
                Errors& errors) {
  const auto choice = StrategyChoice::parse(strategy, setting.workload);
  double loads = 0;
  double makespan_s = 0;
  for (std::uint64_t replicate = 0; replicate < runs; ++replicate) {
    const Trace trace = simulate(setting.workload, setting.platform, choice, 1, replicate);
    loads += static_cast<double>(trace.total_loads()) / static_cast<double>(runs);
    makespan_s += trace.makespan_s / static_cast<double>(runs);
  }
  const auto predicted = predictor_of(choice).predict(run_of(setting, choice));
  errors.loads.push_back(std::abs(predicted.loads / loads - 1));
  errors.makespan.push_back(std::abs(predicted.makespan_s / makespan_s - 1));
}

/// Half of the loads within 1 %, nine of ten within 5 %; of the makespans within 2 and 8 %.
void expect_near(const std::map<std::string, Errors>& errors) {
  for (const auto& [strategy, of] : errors) {
    EXPECT_LT(quantile(of.loads, 0.5), 0.01) << strategy;
    EXPECT_LT(quantile(of.loads, 0.9), 0.05) << strategy;
    EXPECT_LT(quantile(of.makespan, 0.5), 0.02) << strategy;
    EXPECT_LT(quantile(of.makespan, 0.9), 0.08) << strategy;
  }
}

TEST(LimitedModels, AreNearSimulatedRuns) {
  std::map<std::string, Errors> errors;
  for (std::uint64_t draw = 0; draw < 100; ++draw) {
    const Setting setting = drawn_setting(2, draw, std::size_t{1} << draw % 3, 50);
    for (const char* const strategy :
         {"lws",   "ws",      "heft",    "bil",   "cpop",      "dls",        "etf",
          "hlfet", "max-min", "min-min", "peft",  "sufferage", "modular-ws", "dm",
          "dmda",  "dmdap",   "dmdar",   "dmdas", "dmdasd",    "pheft"}) {
      add_errors(setting, strategy, 1, errors[strategy]);
    }
    if (partition_built()) add_errors(setting, "hypergraph", 2, errors["hypergraph"]);
    // Runs spread by 1 to 3 %.
    for (const char* const strategy :
         {"random", "random:eviction=fifo", "random:eviction=random", "random-by-speed"}) {
      add_errors(setting, strategy, 10, errors[strategy]);
    }
  }
  expect_near(errors);
}

TEST(Panels, AreNearSimulatedRunsOfPanelStreaming) {
  Errors wide;
  Errors narrow;  // buses slower than the study's
  for (std::uint64_t draw = 0; draw < 120; ++draw) {
    const Setting drawn = drawn_setting(5, draw, 1, 50);
    const bool is_narrow = draw % 3 == 0;
    const Setting setting(
        drawn.workload.text(),
        fmt::format("{},bandwidth={}GB/s", drawn.platform_text, is_narrow ? 1 + draw % 5 : 12));
    add_errors(setting, "panel-streaming", 1, is_narrow ? narrow : wide);
  }
  EXPECT_EQ(quantile(wide.loads, 0.5), 0);
  EXPECT_LT(quantile(wide.loads, 0.9), 0.02);
  EXPECT_LT(quantile(wide.makespan, 0.9), 0.01);
  EXPECT_EQ(quantile(narrow.loads, 0.5), 0);
  EXPECT_LT(quantile(narrow.loads, 0.9), 0.03);
  EXPECT_LT(quantile(narrow.makespan, 0.9), 0.03);
}

TEST(LimitedModels, AreNearSimulatedRunsOfOtherWorkloads) {
  std::map<std::string, Errors> errors;
  for (std::uint64_t draw = 0; draw < 90; ++draw) {
    const Setting setting = drawn_of_others(draw, std::size_t{1} << draw % 3);
    for (const char* const strategy :
         {"lws", "ws", "heft", "bil", "cpop", "dls", "etf", "hlfet", "lookahead", "max-min",
          "min-min", "peft", "modular-ws", "dm", "dmda", "pheft"}) {
      add_errors(setting, strategy, 1, errors[strategy]);
    }
    add_errors(setting, "random-by-speed", 5, errors["random-by-speed"]);
    for (const char* const strategy :
         {"random", "random:eviction=fifo", "random:eviction=random"}) {
      add_errors(setting, strategy, 10, errors[strategy]);
    }
  }
  expect_near(errors);
}

TEST(LimitedModels, AreNearSimulatedRunsOfGrowingBoxesAndChosenDataOnOneGpu) {
  std::map<std::string, Errors> errors;
  for (std::uint64_t draw = 0; draw < 40; ++draw) {
    Rng rng(3, Draw::test, draw);
    const std::uint64_t n = 20 + rng.below(31);
    const std::uint64_t memory = 10 + rng.below(2 * n - 9);
    const std::string gpu = fmt::format("gpus:k=1,memory={}data", memory);
    const Setting setting(fmt::format("gemm2d:n={}", n), gpu);
    for (const char* const strategy : {"dynamic", "dynamic-2phases:beta=8", "darts"}) {
      add_errors(setting, strategy, 5, errors[strategy]);
    }
    add_errors({setting.workload.text(), gpu + ",request=100us"}, "darts", 5, errors["darts"]);
  }
  expect_near(errors);
}

/// Whether predicted loads are within 5 % of the mean of some runs, or so many standard errors.
bool near_runs(const Setting& setting, const StrategyChoice& choice, double errors) {
  const Mean simulated = mean_loads(setting.workload, setting.platform, choice, 10);
  const auto predicted = predictor_of(choice).predict(run_of(setting, choice));
  const double variance = *predicted.sd_loads * *predicted.sd_loads / 16;  // of 16 draws
  const double error = std::sqrt(simulated.variance + variance);
  return std::abs(predicted.loads - simulated.value) <=
         std::max(0.05 * simulated.value, errors * error);
}

TEST(ChoiceChain, IsNearSimulatedRunsOfDartsOnAnyTasks) {
  std::map<std::string, Errors> errors;
  for (std::uint64_t draw = 0; draw < 120; ++draw) {
    const std::size_t processors = std::size_t{1} << draw % 3;
    const Setting setting =
        draw % 2 == 0 ? drawn_setting(9, draw, processors, 50) : drawn_of_others(draw, processors);
    for (const char* const strategy : {"darts", "darts:threshold=5", "darts:buffer=ready"}) {
      const auto choice = StrategyChoice::parse(strategy, setting.workload);
      if (!predictor_of(choice).why_wrong(run_of(setting, choice)).empty()) continue;
      add_errors(setting, strategy, 5, errors[strategy]);
    }
  }
  expect_near(errors);
}

/// By these rules what chance decides once may decide the rest, so runs differ by up to a half.
TEST(ChoiceChain, IsWithinTheSpreadOfRunsByAnyRules) {
  for (const char* const strategy : {"darts:eviction=lru", "darts:evicted=lost", "darts:opti=true",
                                     "darts:inputs=3", "darts:eviction=lru,evicted=back"}) {
    std::size_t near = 0;
    std::size_t all = 0;
    for (std::uint64_t draw = 0; draw < 60; ++draw) {
      const std::size_t processors = std::size_t{1} << draw % 3;
      const Setting setting = draw % 2 == 0 ? drawn_setting(10, draw, processors, 40)
                                            : drawn_of_others(draw, processors);
      const auto choice = StrategyChoice::parse(strategy, setting.workload);
      if (run_of(setting, choice).memory < 15) continue;
      near += near_runs(setting, choice, 2) ? 1 : 0;
      ++all;
    }
    EXPECT_GE(near, all * 9 / 10) << strategy << ": of " << all;
  }
}

TEST(LimitedModels, AreNearSimulatedRunsOfReadiestTasksAndOfZones) {
  std::map<std::string, Errors> errors;
  for (std::uint64_t draw = 0; draw < 90; ++draw) {
    const std::size_t processors = std::size_t{1} << draw % 3;
    const Setting setting = drawn_setting(8, draw, processors, 50);
    add_errors(setting, "hfp", 2, errors["hfp"]);
    for (const char* const strategy : {"static-columns", "static-nrrp", "hybrid"}) {
      add_errors(setting, strategy, 2, errors[strategy]);
    }
    add_errors(setting, "panel-streaming", 1, errors["panel-streaming"]);
    add_errors(setting, "panel-streaming:rank=bytes", 1, errors["panel-streaming:rank=bytes"]);
    add_errors(setting, "panel-streaming:pace=false", 1, errors["panel-streaming:pace=false"]);
  }
  expect_near(errors);
}

/// The first that asks decides where many tasks go, so runs on several GPUs differ.
TEST(Windows, ArePredictedToOneLoadOnOneGpuAndElseWithinTheSpreadOfRuns) {
  for (const char* const strategy : {"modular-heft", "modular-heft2", "modular-heft:threshold=4"}) {
    std::size_t near = 0;
    std::size_t all = 0;
    for (std::uint64_t draw = 0; draw < 60; ++draw) {
      const std::size_t processors = std::size_t{1} << draw % 3;
      const Setting setting = draw % 2 == 0 ? drawn_setting(11, draw, processors, 40)
                                            : drawn_of_others(draw, processors);
      const auto choice = StrategyChoice::parse(strategy, setting.workload);
      if (processors > 1) {
        near += near_runs(setting, choice, 2) ? 1 : 0;
        ++all;
        continue;
      }
      const auto predicted = predictor_of(choice).predict(run_of(setting, choice));
      const Trace trace = simulate(setting.workload, setting.platform, choice, 1, 0);
      EXPECT_NEAR(predicted.loads, static_cast<double>(trace.total_loads()), 1)
          << strategy << " on " << setting.text;
    }
    EXPECT_GE(near, all * 9 / 10) << strategy << ": of " << all;
  }
}

/// Chance decides whether GPUs that share a queue keep in step, so runs differ, up to fivefold.
TEST(SharedQueues, ArePredictedWithinTheSpreadOfRuns) {
  for (const char* const strategy :
       {"eager", "rcm", "prio", "peager", "modular-eager-prefetching", "heteroprio"}) {
    std::size_t near = 0;
    std::size_t all = 0;
    for (std::uint64_t draw = 0; draw < 60; ++draw) {
      const Setting setting = drawn_setting(6, draw, std::size_t{2} << draw % 2, 50);
      const auto choice = StrategyChoice::parse(strategy, setting.workload);
      const auto why_wrong = predictor_of(choice).why_wrong;
      if (why_wrong != nullptr && !why_wrong(run_of(setting, choice)).empty()) continue;
      near += near_runs(setting, choice, 2) ? 1 : 0;
      ++all;
    }
    EXPECT_GE(near, all * 9 / 10) << strategy << ": of " << all;
  }
}

/// Squares, rectangles and cubes.
Setting drawn_of_boxes(std::uint64_t draw, std::size_t processors) {
  if (draw % 3 != 0) return drawn_setting(7, draw, processors, 50);
  Rng rng(7, Draw::test, draw);
  const auto n = 5 + rng.below(8);
  return {fmt::format("gemm3d:n={},c=yes", n),
          fmt::format("gpus:k={},memory={}data", processors, 6 + rng.below(3 * n * n - 5))};
}

TEST(GrowingBoxes, ArePredictedWithinTheSpreadOfRuns) {
  for (const char* const strategy :
       {"dynamic", "dynamic-2phases:beta=2", "dynamic-2phases:tasks-left=100"}) {
    std::size_t near = 0;
    constexpr std::size_t all = 60;
    for (std::uint64_t draw = 0; draw < all; ++draw) {
      const Setting setting = drawn_of_boxes(draw, std::size_t{2} << draw % 2);
      near += near_runs(setting, StrategyChoice::parse(strategy, setting.workload), 3) ? 1 : 0;
    }
    EXPECT_GE(near, all * 9 / 10) << strategy;
  }
}

/// Where nobody else takes tasks, runs differ little, and the depth of the buffer decides what is
/// spared.
TEST(GrowingBoxes, AreCountedOnOneGpuWithBuffersOfAnyDepth) {
  std::map<std::string, Errors> errors;
  for (std::uint64_t draw = 0; draw < 60; ++draw) {
    const Setting drawn = drawn_of_boxes(draw, 1);
    const Setting setting(drawn.workload.text(),
                          fmt::format("{},depth={}", drawn.platform_text, 1 + draw % 16));
    add_errors(setting, "dynamic", 5, errors["dynamic"]);
  }
  EXPECT_LT(quantile(errors["dynamic"].loads, 0.5), 0.002);
  EXPECT_LT(quantile(errors["dynamic"].loads, 0.9), 0.02);
  EXPECT_LT(quantile(errors["dynamic"].makespan, 0.9), 0.02);
}

TEST(SharedQueues, ArePredictedWithTheirSpread) {
  const Setting setting("gemm2d:n=84", "gpus:k=2,memory=54data");
  const auto choice = StrategyChoice::parse("eager", setting.workload);
  const auto predicted = predictor_of(choice).predict(run_of(setting, choice));
  constexpr std::uint64_t runs = 20;
  const Mean simulated = mean_loads(setting.workload, setting.platform, choice, runs);
  const double spread = std::sqrt(simulated.variance * runs);
  EXPECT_GT(spread, 0.25 * simulated.value);
  EXPECT_NEAR(*predicted.sd_loads / spread, 1, 0.4);
}

TEST(LimitedModels, SayWhyTheyAreSilent) {
  const auto why = [](const char* workload, const char* platform) {
    return why_no_limited_run(Workload::parse(workload), Scenario::parse(platform).draw(1, 0));
  };
  EXPECT_EQ(why("gemm2d:n=9", "gpus:k=2,memory=9data"), "");
  const char* const gpus = "gpus:k=2,memory=500MB";
  EXPECT_EQ(why("gemm3d:n=4", gpus), "");
  EXPECT_EQ(why("cholesky:n=4,deps=false", gpus), "");
  EXPECT_EQ(why("cholesky:n=4,deps=true", gpus), "its tasks wait for others");
  EXPECT_EQ(why("outer:n=4", gpus), "its data have no sizes; give gemm2d instead of outer");
  EXPECT_EQ(why("gemm2d:n=9", "gpus:k=2,memory=500MB,buses=2"), "it has several buses");
  EXPECT_EQ(why("gemm2d:n=9", "gpus:k=2,memory=500MB,cpus=2"), "it has CPU cores");
  EXPECT_EQ(why("gemm2d:n=9", "gpus:k=2,memory=500MB,bus=fifo"),
            "its bus serves one transfer at a time");
  EXPECT_EQ(why("gemm2d:n=9", "gpus:k=2,memory=500MB,peers=24GB/s"),
            "its GPUs copy from each other");
  EXPECT_EQ(why("gemm2d:n=9", "gpus:k=2,memory=500MB,noise=lognormal:0.1"),
            "the times of its tasks vary");
  EXPECT_EQ(why("gemm2d:n=9", "gpus:k=2,memory=500MB,decision=5us"),
            "it delays tasks or transfers");
  EXPECT_EQ(why("gemm2d:n=9", "gpus:k=2,memory=500MB,request=5us"), "");
}

TEST(LimitedModels, SayWhichWorkloadsTheyDoNotPredict) {
  const auto why = [](const char* strategy, const char* workload, const char* platform) {
    const Setting setting(workload, platform);
    const auto choice = StrategyChoice::parse(strategy, setting.workload);
    return predictor_of(choice).why_unavailable(run_of(setting, choice));
  };
  const char* const alone = "gpus:k=1,memory=500MB";
  const char* const two = "gpus:k=2,memory=500MB";
  EXPECT_EQ(why("darts", "gemm3d:n=4,c=yes", alone), "");
  EXPECT_EQ(why("dynamic", "gemm3d:n=4,c=yes", two), "");
  EXPECT_EQ(why("dynamic", "gemm2d:n=9", "gpus:k=2,memory=500MB,request=5us"), "");
  EXPECT_EQ(why("dynamic", "gemm2d:m=9,n=8", two), "");
  EXPECT_EQ(why("heteroprio", "gemm3d:n=4", alone), "");
  EXPECT_EQ(why("heteroprio", "lu:n=4,deps=false", alone),
            "its queues of several kinds of tasks have no model");
  EXPECT_EQ(why("sufferage", "lu:n=4,deps=false", alone), "");
  EXPECT_EQ(why("sufferage", "gemm3d:n=4", two), "");
  EXPECT_EQ(why("sufferage", "lu:n=4,deps=false", two),
            "on several GPUs it has a model of tasks of equal length alone");
}

TEST(LimitedModels, NameALimitThatTheStudyDidNotReach) {
  const auto why = [](const char* workload, const char* platform) {
    const auto tasks = Workload::parse(workload);
    return why_outside_study(limited_run(tasks, Scenario::parse(platform).draw(1, 0), "lru"));
  };
  EXPECT_EQ(why("gemm2d:n=20", "gpus:k=4,memory=6data"), "");
  EXPECT_EQ(why("gemm2d:n=19", "gpus:k=4,memory=6data"), "a side of 19 blocks, validated from 20");
  EXPECT_EQ(why("gemm2d:m=30,n=401", "gpus:memory=6data"),
            "a side of 401 blocks, validated up to 400");
  EXPECT_EQ(why("gemm2d:n=20", "gpus:k=1,memory=5data"),
            "memory of 5 data items, validated from 6");
  EXPECT_EQ(why("gemm2d:n=20", "gpus:k=8,memory=6data"), "8 GPUs, validated up to 4");
  EXPECT_EQ(why("gemm3d:n=5,c=yes", "gpus:k=4,memory=6data"), "");
  EXPECT_EQ(why("gemm3d:n=4", "gpus:k=4,memory=6data"), "64 tasks, validated from 90");
  EXPECT_EQ(why("cholesky:n=45,deps=false", "gpus:k=4,memory=6data"),
            "16215 tasks, validated up to 11000");
  EXPECT_EQ(why("gemm2d:n=20,order=random", "gpus:k=4,memory=6data"),
            "the tasks of gemm2d in random order, validated for gemm2d, sparse2d, gemm3d, "
            "gemm3d:c=yes, cholesky, lu");
}

TEST(EveryLimitedPredictor, HasAModelAndIsOfAStrategy) {
  std::set<std::string> models;
  for (const auto& model : Table<LimitedModel>::entries()) models.insert(model.name);
  for (const auto& predictor : Table<LimitedPredictor>::entries()) {
    EXPECT_TRUE(models.contains(predictor.model)) << predictor.name;
    EXPECT_EQ(strategy_called(predictor.name).name, predictor.name);
  }
}

}  // namespace
}  // namespace damocles::limited_agreement_test
