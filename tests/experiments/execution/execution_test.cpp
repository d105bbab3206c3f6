#include "experiments/execution/execution.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "experiments/studies/rows.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "tests/error_text.hpp"
#include "tests/gpu/plain_device.hpp"

namespace damocles::execution_test {
namespace {

Experiment experiment(const std::string& workload, const std::string& platform,
                      std::vector<std::string> strategies = {"eager"}) {
  return {.workload = Workload::parse(workload),
          .scenario = Scenario::parse(platform),
          .strategies = std::move(strategies)};
}

const std::string gemm = "gemm2d:n=5,tile=8,k=8";
const std::string gpus = "gpus:k=2,memory=4data";

/// Starts of loads on each processor, in their order there.
std::vector<std::vector<std::uint64_t>> loads(const std::vector<RunEvent>& events,
                                              std::size_t processors) {
  std::vector<std::vector<std::uint64_t>> result(processors);
  for (const RunEvent& event : events) {
    if (event.kind == RunEvent::Kind::load_started) {
      result[raw(event.processor)].push_back(event.id);
    }
  }
  return result;
}

TEST(Workbench, FillsTheRowOfAVerifiedRun) {
  const Experiment asked = experiment(gemm, gpus);
  Workbench bench(asked, {});

  const Executed run = bench.run("eager", 3);

  EXPECT_EQ(run.execution.failure, "");
  EXPECT_EQ(run.record.status, Status{Status::Kind::ok});
  EXPECT_EQ(run.record.source, "executed");
  EXPECT_EQ(run.record.model, "host");
  EXPECT_EQ(run.record.eviction, "lru");
  EXPECT_EQ(run.record.replicate, 3U);
  EXPECT_EQ(*run.record.bytes_loaded, 256 * *run.record.loads);  // 8 x 8 numbers of 4 bytes
  EXPECT_EQ(run.record.flops, 25 * 2.0 * 8 * 8 * 8);
  EXPECT_DOUBLE_EQ(*run.record.gflops, *run.record.flops / *run.record.makespan_s / 1e9);
  EXPECT_TRUE(run.verification.right);
  EXPECT_EQ(run.verification.check, Check::full);
}

TEST(Workbench, CallsARunWithoutVerificationUnverified) {
  const Experiment asked = experiment(gemm, gpus);
  ExecutionOptions unchecked;
  unchecked.check = Check::none;
  ExecutionOptions empty;
  empty.arithmetic.compute = ArithmeticOptions::Compute::empty;

  EXPECT_EQ(Workbench(asked, unchecked).run("eager", 0).record.status,
            Status{Status::Kind::unverified});
  const Executed nothing = Workbench(asked, empty).run("eager", 0);
  EXPECT_EQ(nothing.record.status, Status{Status::Kind::unverified});
  EXPECT_EQ(nothing.record.gflops, std::nullopt);
}

TEST(Workbench, RunsAgainAndIsRightEachTime) {
  for (const auto& [workload, platform] :
       {std::pair(gemm, gpus), std::pair<std::string, std::string>("matrix:n=3", "homogeneous:p=3"),
        std::pair<std::string, std::string>("gemm3d:n=3,tile=8,c=yes", "gpus:k=2,memory=4data")}) {
    const Experiment asked = experiment(workload, platform);
    Workbench bench(asked, {});
    for (const char* const strategy : {"random", "sorted", "random"}) {
      const Executed run = bench.run(strategy, 0);
      EXPECT_EQ(run.record.status, Status{Status::Kind::ok})
          << workload << ": " << run.execution.failure;
      EXPECT_EQ(std::accumulate(run.execution.trace.tasks.begin(), run.execution.trace.tasks.end(),
                                std::uint64_t{0}),
                asked.workload.tasks());
    }
  }
}

TEST(Workbench, BringsOutputsBackWhereThePlatformDoes) {
  const Experiment asked = experiment(gemm, "gpus:k=2,memory=6data,writeback=true");

  const Executed run = Workbench(asked, {}).run("eager", 0);

  EXPECT_EQ(run.record.status, Status{Status::Kind::ok}) << run.execution.failure;
  EXPECT_EQ(std::accumulate(run.execution.trace.bytes_written.begin(),
                            run.execution.trace.bytes_written.end(), std::uint64_t{0}),
            25U * 256);
  for (const std::uint64_t peak : run.execution.peak_bytes) EXPECT_LE(peak, 6U * 256);
}

TEST(Workbench, SaysHowMuchMemoryAWriteBackNeedsAtOnce) {
  const auto with = [](const std::string& memory) {
    const Experiment asked =
        experiment(gemm, fmt::format("gpus:k=2,writeback=true,memory={}", memory));
    return error_text([&] { (void)Workbench(asked, {}).run("eager", 0); });
  };

  const std::string refused = with("2data");
  const auto at = refused.find("give memory=");

  ASSERT_NE(at, std::string::npos) << refused;
  const std::string advice = refused.substr(at + 12, refused.find(" or more") - at - 12);
  EXPECT_EQ(with(advice), "no error") << advice;
}

TEST(Workbench, PacesATaskOfAProcessorOfMeanSpeed) {
  ExecutionOptions paced;
  paced.pace_s = 1e-3;
  const Experiment unlimited = experiment("outer:n=4", "speeds:10,20,60");
  const Experiment limited = experiment(gemm, gpus);

  // A task takes 1 / speed of the platform's time: a processor of mean speed 30 takes 1/30.
  const Platform fast = unlimited.scenario.draw(1, 0);
  EXPECT_NEAR(Workbench(unlimited, paced).time_scale(fast) / 30, 1e-3, 1e-15);
  // Speeds are flop/s there: a task of 2 * 8^3 flop takes 1024 / speed.
  const Platform gpu = limited.scenario.draw(1, 0);
  EXPECT_NEAR(Workbench(limited, paced).time_scale(gpu) * 1024 / gpu.speeds[0], 1e-3, 1e-15);
  EXPECT_EQ(Workbench(limited, {}).time_scale(gpu), 0);
  EXPECT_EQ(Workbench(limited, paced).peak_flops_per_s(), 0);
}

TEST(Workbench, MakesATaskTakeTheLongerTheSlowerItsProcessor) {
  const Experiment asked = experiment("outer:n=8", "speeds:1,3", {"sorted"});
  ExecutionOptions paced;
  paced.pace_s = 1e-3;

  // Mean speed 2: a task takes 2 ms and 0.67 ms; 64 tasks at 0.5 + 1.5 a ms take 32 ms. A task that
  // really computes for longer than that takes as long, as under a sanitizer some may: never less.
  bool exact = false;
  for (int attempt = 0; attempt < 10 && !exact; ++attempt) {
    const Executed run = Workbench(asked, paced).run("sorted", 0);

    EXPECT_EQ(run.record.status, Status{Status::Kind::ok}) << run.execution.failure;
    EXPECT_GE(*run.record.makespan_s, 0.032 - 1e-9);
    exact = true;
    for (std::size_t p = 0; p < 2; ++p) {
      const Trace& trace = run.execution.trace;
      const double paced_s = (p == 0 ? 2e-3 : 2e-3 / 3) * static_cast<double>(trace.tasks[p]);
      EXPECT_GE(trace.busy_s[p], paced_s - 1e-9);
      exact = exact && trace.busy_s[p] <= paced_s + 1e-9;
    }
  }
  EXPECT_TRUE(exact);
}

TEST(Workbench, ReplaysASimulatedRunLoadByLoad) {
  const Experiment asked = experiment(gemm, "gpus:k=3,memory=3data", {"darts"});
  const Platform platform = asked.scenario.draw(asked.seed, 2);
  const ResolvedStrategy planned = resolve_strategy("darts", asked);
  std::vector<RunEvent> simulated;
  const Trace trace = simulate_limited(asked.workload, platform, planned.choice, asked.seed, 2,
                                       [&](const RunEvent& event) { simulated.push_back(event); });
  ExecutionOptions how;
  how.keep_events = true;
  Workbench bench(asked, how);

  for (int again = 0; again < 2; ++again) {
    const Executed run = bench.replay({3, simulated}, "darts", 2);

    EXPECT_EQ(run.record.status, Status{Status::Kind::ok}) << run.execution.failure;
    EXPECT_EQ(run.execution.trace.loads, trace.loads);
    EXPECT_EQ(run.execution.trace.bytes_loaded, trace.bytes_loaded);
    EXPECT_EQ(run.execution.trace.tasks, trace.tasks);
    EXPECT_EQ(run.execution.trace.evictions, trace.evictions);
    EXPECT_EQ(loads(run.execution.events, 3), loads(simulated, 3));
  }
}

TEST(Workbench, RefusesDecisionsThatDoNotFit) {
  const Experiment asked = experiment(gemm, gpus);
  Workbench bench(asked, {});
  const Decisions impossible{2, {{RunEvent::Kind::task_started, 0, ProcessorId{0}, 0}}};

  EXPECT_EQ(error_text([&] { (void)bench.replay(impossible, "eager", 0); }),
            "decision 0 (task_started of GEMM(0,0) on GPU0): its input A(0) is not there");
  EXPECT_EQ(bench.run("eager", 0).record.status,
            Status{Status::Kind::ok});  // the bench is as good as before
}

TEST(Workbench, RefusesWhatCannotRun) {
  const auto refusal = [](const Experiment& asked, const ExecutionOptions& how) {
    return error_text([&] { Workbench bench(asked, how); });
  };
  ExecutionOptions unknown;
  unknown.backend = "hots";
  ExecutionOptions product;
  product.arithmetic.compute = ArithmeticOptions::Compute::product;

  EXPECT_EQ(refusal(experiment(gemm, gpus), unknown),
            "unknown backend 'hots'; did you mean 'host'? valid: host, cuda, starpu, mpi");
  EXPECT_NE(refusal(experiment("cholesky:n=3,tile=8,deps=false", gpus), product)
                .find("no product of matrices"),
            std::string::npos);
  EXPECT_NE(refusal(experiment("outer:n=4", gpus), {}).find("has no bytes and flops"),
            std::string::npos);
}

TEST(Workbench, CallsARunWhoseResultIsWrongFailed) {
  const Experiment asked = experiment(gemm, gpus, {"eager", "random"});
  Workbench bench(asked, {}, std::make_unique<PlainDevice>(2));  // computes nothing

  const Executed run = bench.run("eager", 0);

  EXPECT_EQ(run.record.status, Status{Status::Kind::failed});
  EXPECT_FALSE(run.verification.right);
  EXPECT_EQ(run.execution.failure, run.verification.text);
  EXPECT_NE(run.execution.failure, "");
  EXPECT_EQ(run_executions(bench, asked, all_runs(asked)).size(), 1U);  // none is started after it
}

TEST(RunExecutions, AreAllReplicatesOfAllStrategiesInOrder) {
  Experiment asked = experiment(gemm, gpus, {"random", "eager"});
  asked.replicates = 3;
  Workbench bench(asked, {});
  std::vector<std::size_t> progress;

  const auto runs =
      run_executions(bench, asked, all_runs(asked), [&](std::size_t done, std::size_t all, double) {
        EXPECT_EQ(all, 6U);
        progress.push_back(done);
      });

  ASSERT_EQ(runs.size(), 6U);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].record.strategy, i < 3 ? "random" : "eager");
    EXPECT_EQ(runs[i].record.replicate, i % 3);
  }
  EXPECT_EQ(progress, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Today, IsADate) {
  const std::string date = today();

  ASSERT_EQ(date.size(), 10U);
  EXPECT_EQ(date[4], '-');
  EXPECT_EQ(date[7], '-');
  EXPECT_EQ(date.find_first_not_of("0123456789-"), std::string::npos);
}

}  // namespace
}  // namespace damocles::execution_test
