// Runs whose tasks take longer or shorter than expected.

#include "models/platforms/noise.hpp"

#include <gtest/gtest.h>

#include "models/bounds/workload_bound.hpp"
#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"
#include "sim/limited_run.hpp"

namespace damocles::sim_noise_test {
namespace {

/// What each task took over what is expected of it there.
std::vector<double> factors(const Workload& workload, const Platform& platform,
                            const char* strategy, std::uint64_t replicate) {
  const Durations expected(workload, platform);
  std::vector<double> result(workload.tasks());
  std::vector<double> began(workload.tasks());
  const auto watch = [&](const RunEvent& event) {
    if (event.kind == RunEvent::Kind::task_started) began[event.id] = event.time_s;
    if (event.kind != RunEvent::Kind::task_ended) return;
    result[event.id] = (event.time_s - began[event.id]) /
                       expected.s(raw(event.processor), static_cast<TaskGraph::Index>(event.id));
  };
  static_cast<void>(simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload),
                                     1, replicate, watch));
  return result;
}

void expect_near(const std::vector<double>& some, const std::vector<double>& others) {
  ASSERT_EQ(some.size(), others.size());
  for (std::size_t t = 0; t < some.size(); ++t) {
    ASSERT_NEAR(some[t], others[t], 1e-6 * others[t]) << t;
  }
}

TEST(NoisyRun, GivesEveryStrategyTheSameFactors) {
  const auto ordered = Workload::parse("cholesky:n=6,tile=64,deps=true");
  Platform gpus =
      Scenario::parse("gpus:k=3,memory=2MB,times=GEMM:20us+POTRF:100us,noise=lognormal:0.3")
          .draw(1, 0);
  gpus.machine->processors[1].flops_per_s /= 5;
  gpus.machine->processors[2].kernel_times = {{"SYRK", 1e-3}};
  const auto reference = factors(ordered, gpus, "eager", 0);
  for (const char* const strategy : {"dmda", "dmdas", "lws", "darts", "heft"}) {
    SCOPED_TRACE(strategy);
    expect_near(factors(ordered, gpus, strategy, 0), reference);
  }
  std::vector<double> drawn;
  for (std::uint64_t task = 0; task < ordered.tasks(); ++task) {
    drawn.push_back(lognormal_factor(0.3, normal_of_task(1, 0, task)));
  }
  expect_near(reference, drawn);
  EXPECT_NE(factors(ordered, gpus, "eager", 1), reference);
}

TEST(NoisyRun, IsBoundedByWhatItsTasksTakeNotByWhatIsExpectedOfThem) {
  const auto one = Workload::parse("gemm2d:n=1");
  const Platform gpu = Scenario::parse("gpus:gflops=100,noise=lognormal:1").draw(1, 0);
  int shorter = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Trace trace = simulate_limited(one, gpu, StrategyChoice::parse("eager", one), seed, 0);
    const LoadBound loads = workload_load_bound(one, *gpu.machine);
    const auto bound =
        workload_makespan_bound(one, gpu, Durations::drawn(one, gpu, seed, 0), loads);
    // Two loads and the task: nothing could be faster.
    EXPECT_DOUBLE_EQ(trace.makespan_s, bound.seconds);
    shorter += trace.makespan_s < workload_makespan_bound(one, gpu, loads).seconds ? 1 : 0;
  }
  EXPECT_GT(shorter, 5);
}

TEST(NoisyRun, StaysAboveItsBounds) {
  for (const char* const text :
       {"gemm2d:n=8", "gemm3d:m=4,n=4,k=4,c=yes", "cholesky:n=6,deps=false",
        "cholesky:n=6,deps=true", "stencil:n=4,steps=3"}) {
    const auto workload = Workload::parse(text);
    for (const char* const platform :
         {"gpus:k=1,memory=8data,noise=lognormal:1", "gpus:k=3,memory=9data,noise=lognormal:0.4"}) {
      const Platform gpus = Scenario::parse(platform).draw(1, 0);
      for (std::uint64_t replicate = 0; replicate < 10; ++replicate) {
        SCOPED_TRACE(testing::Message() << text << " " << platform << " " << replicate);
        const Trace trace = simulate_limited(
            workload, gpus, StrategyChoice::parse("darts", workload), 2, replicate);
        const auto bound =
            workload_makespan_bound(workload, gpus, Durations::drawn(workload, gpus, 2, replicate),
                                    workload_load_bound(workload, *gpus.machine));
        ASSERT_GE(trace.makespan_s * (1 + 1e-12), bound.seconds) << bound.argument;
        ASSERT_GT(bound.seconds, 0);
      }
    }
  }
}

}  // namespace
}  // namespace damocles::sim_noise_test
