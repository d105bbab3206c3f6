#include "ode/static_prediction.hpp"

#include <gtest/gtest.h>

#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"

namespace damocles::static_prediction_test {
namespace {

/// Nothing is drawn once the speeds are: the prediction is the count itself.
TEST(PredictStaticColumns, IsWhatEveryRunLoads) {
  for (const auto* const workload_text : {"outer:n=100", "outer:m=30,n=200", "outer:n=7"}) {
    for (const auto* const platform_text :
         {"homogeneous:p=20", "uniform:p=20,lo=10,hi=100", "set.5:p=37", "dyn.20:p=20"}) {
      const auto workload = Workload::parse(workload_text);
      const auto choice = StrategyChoice::parse("static-columns", workload);
      for (std::uint64_t replicate = 0; replicate < 3; ++replicate) {
        const auto platform = Scenario::parse(platform_text).draw(1, replicate);

        const auto prediction = predict_static_columns({workload, platform.relative_speeds()});

        ASSERT_TRUE(prediction);
        EXPECT_EQ(
            prediction->loads,
            static_cast<double>(simulate(workload, platform, choice, 1, replicate).total_loads()))
            << workload_text << " on " << platform_text;
        EXPECT_EQ(prediction->sd_loads, 0.0);
      }
    }
  }
}

TEST(PredictStaticColumns, SaysNothingOfMatrices) {
  const Problem problem(Workload::matrix(4, 4, 4), std::vector<double>(2, 0.5));
  EXPECT_FALSE(predict_static_columns(problem));
}

}  // namespace
}  // namespace damocles::static_prediction_test
