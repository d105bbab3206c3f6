// How far tasks take longer or shorter than expected.

#include "models/platforms/noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/bounds/workload_bound.hpp"
#include "models/platforms/durations.hpp"
#include "models/platforms/scenario.hpp"
#include "tests/error_text.hpp"

namespace damocles::noise_test {
namespace {

TEST(Noise, IsLognormalAsMeasuredOrOff) {
  const auto noise = [](const std::string& text) {
    return Scenario::parse(
               "gpus:k=2,times=GEMM:cuda@" DAMOCLES_SOURCE "/docs/examples/gemm.perfmodel," + text)
        .machine()
        ->noise;
  };
  EXPECT_FALSE(noise("noise=off").has_value());
  EXPECT_EQ(noise("noise=lognormal:0.05")->sigma, 0.05);
  EXPECT_TRUE(noise("noise=history")->from_history());
  EXPECT_FALSE(noise("noise=lognormal:0.05")->from_history());
  for (const std::string text : {"0.05", "lognormal", "lognormal:", "lognormal:0", "lognormal:-1",
                                 "lognormal:2.1", "lognormal:nan", "normal:1"}) {
    EXPECT_EQ(error_text([&] { static_cast<void>(parse_noise(text, "here")); }),
              "here: noise must be off, history or lognormal:S, S above 0 and at most 2 (standard "
              "deviation of the logarithm), as lognormal:0.05, not '" +
                  text + "'");
  }
  EXPECT_EQ(
      error_text([] { static_cast<void>(Scenario::parse("gpus:noise=history")); }),
      "platform 'gpus:noise=history': noise=history without times of a file; give some, as times=GEMM:cuda@FILE");
}

TEST(Noise, HasAMeanOfOneAndTheVariationThatWasAskedFor) {
  const double sigma = sigma_of_variation(0.3);
  EXPECT_DOUBLE_EQ(sigma, std::sqrt(std::log(1.09)));
  constexpr int tasks = 100'000;
  double sum = 0;
  double squares = 0;
  for (std::uint64_t task = 0; task < tasks; ++task) {
    const double factor = lognormal_factor(sigma, normal_of_task(1, 0, task));
    sum += factor;
    squares += factor * factor;
  }
  const double mean = sum / tasks;
  // The mean of so many is off by 0.3 / sqrt(1e5) = 0.00095; five of them.
  EXPECT_NEAR(mean, 1, 0.005);
  // The sd of a sample variance is var sqrt((kurtosis - 1) / n), here kurtosis 4.5: 0.0006.
  EXPECT_NEAR(squares / tasks - mean * mean, 0.09, 0.003);
  EXPECT_TRUE(std::isfinite(lognormal_factor(sigma_of_variation(1e300), 9)));
}

TEST(Noise, IsDrawnForEachTaskSeedAndReplicate) {
  EXPECT_EQ(normal_of_task(1, 2, 3), normal_of_task(1, 2, 3));
  EXPECT_NE(normal_of_task(1, 2, 3), normal_of_task(2, 2, 3));
  EXPECT_NE(normal_of_task(1, 2, 3), normal_of_task(1, 3, 3));
  EXPECT_NE(normal_of_task(1, 2, 3), normal_of_task(1, 2, 4));
}

TEST(Noise, MultipliesAllButTheOverheadOfATaskOnEveryProcessor) {
  const Workload workload = Workload::parse("cholesky:n=3,tile=10,deps=true");
  const Platform gpus =
      Scenario::parse("gpus:k=2,gflops=2,overhead=1us,times=POTRF:3ms,noise=lognormal:0.5")
          .draw(1, 0);
  const double factor = lognormal_factor(0.5, normal_of_task(7, 4, 0));
  const Durations drawn = Durations::drawn(workload, gpus, 7, 4);

  EXPECT_DOUBLE_EQ(drawn.s(0, 0), 3e-3 * factor + 1e-6);
  EXPECT_DOUBLE_EQ(drawn.s(1, 0), 3e-3 * factor + 1e-6);
  EXPECT_DOUBLE_EQ(drawn.least_flops()[0], 3e-3 * factor * 2e9);
  // What strategies expect.
  EXPECT_DOUBLE_EQ(Durations(workload, gpus).s(0, 0), 3e-3 + 1e-6);
  EXPECT_TRUE(drawn.not_by_flops());
}

TEST(Noise, AsMeasuredIsThatOfTheTasksKindAndSize) {
  const Workload workload = Workload::parse("cholesky:n=3,tile=960,deps=true");
  const Platform gpus =
      Scenario::parse("gpus:k=1,gflops=1000,noise=history,times=GEMM:cuda@" DAMOCLES_SOURCE
                      "/docs/examples/gemm.perfmodel")
          .draw(1, 0);
  const TaskGraph::Index gemm = 5;
  const Durations drawn = Durations::drawn(workload, gpus, 1, 0);
  const Durations expected(workload, gpus);

  EXPECT_EQ(drawn.s(0, 0), expected.s(0, 0));
  // 18 us beside a mean of 900.
  EXPECT_DOUBLE_EQ(drawn.s(0, gemm), 900e-6 * lognormal_factor(std::sqrt(std::log1p(4e-4)),
                                                               normal_of_task(1, 0, gemm)));
}

TEST(Noise, GetsProcessorsOutOfStepInPlaceOfJitter) {
  const auto jitter = [](const char* text) { return Scenario::parse(text).machine()->jitter_of(); };
  EXPECT_EQ(jitter("gpus:k=2"), 0.007);
  EXPECT_EQ(jitter("gpus:k=2,noise=lognormal:0.1"), 0);
  EXPECT_EQ(jitter("gpus:k=2,noise=lognormal:0.1,jitter=0.02"), 0.02);
}

}  // namespace
}  // namespace damocles::noise_test
