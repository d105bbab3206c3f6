#include "ode/static_prediction.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"

namespace damocles::static_prediction_test {
namespace {

struct Static {
  std::string strategy;
  std::optional<Prediction> (*predict)(const Problem&);
  std::vector<std::string> workloads;
  Workload other;  // where it is not defined
};

const std::vector<std::string> outer{"outer:n=100", "outer:m=30,n=200", "outer:n=7"};
const std::vector<std::string> matrix{"matrix:n=30", "matrix:m=5,n=40,k=17", "matrix:n=3"};

class StaticPrediction : public testing::TestWithParam<Static> {};

void PrintTo(const Static& which, std::ostream* out) { *out << which.strategy; }

/// Nothing is drawn once the speeds are: the prediction is the count itself.
TEST_P(StaticPrediction, IsWhatEveryRunLoads) {
  for (const auto& workload_text : GetParam().workloads) {
    for (const auto* const platform_text :
         {"homogeneous:p=20", "uniform:p=20,lo=10,hi=100", "set.5:p=37", "dyn.20:p=20"}) {
      const auto workload = Workload::parse(workload_text);
      const auto choice = StrategyChoice::parse(GetParam().strategy, workload);
      for (std::uint64_t replicate = 0; replicate < 3; ++replicate) {
        const auto platform = Scenario::parse(platform_text).draw(1, replicate);

        const auto prediction = GetParam().predict({workload, platform.relative_speeds()});

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

TEST_P(StaticPrediction, SaysNothingOfTheOtherProduct) {
  const Problem problem(GetParam().other, std::vector<double>(2, 0.5));
  EXPECT_FALSE(GetParam().predict(problem));
}

INSTANTIATE_TEST_SUITE_P(Strategies, StaticPrediction,
                         testing::Values(Static{"static-columns", predict_static_columns, outer,
                                                Workload::matrix(4, 4, 4)},
                                         Static{"static-nrrp", predict_static_nrrp, outer,
                                                Workload::matrix(4, 4, 4)},
                                         Static{"static-cuboids", predict_static_cuboids, matrix,
                                                Workload::outer(4, 4)}));

}  // namespace
}  // namespace damocles::static_prediction_test
