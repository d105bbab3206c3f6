// Runs with limited memory through time: what is predicted against what is simulated.

#include "experiments/prediction/limited_trajectories.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/platforms/scenario.hpp"
#include "tests/error_text.hpp"

namespace damocles::limited_trajectories_test {
namespace {

Experiment asked(const char* strategy, const char* platform = "gpus:k=2,memory=20data",
                 const char* workload = "gemm2d:n=30") {
  return {.workload = Workload::parse(workload),
          .scenario = Scenario::parse(platform),
          .strategies = {strategy},
          .replicates = 6};
}

std::vector<double> means(const std::vector<TrajectoryPoint>& points, const char* source,
                          Quantity quantity) {
  std::vector<double> result;
  for (const TrajectoryPoint& point : points) {
    if (point.source == source && point.quantity == quantity) result.push_back(point.mean);
  }
  return result;
}

/// The largest distance between prediction and mean of runs, over the largest value of a run.
double apart(const std::vector<TrajectoryPoint>& points, Quantity quantity) {
  const auto predicted = means(points, "predicted", quantity);
  const auto simulated = means(points, "simulated", quantity);
  EXPECT_EQ(predicted.size(), simulated.size());
  double most = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    most = std::max(most, std::abs(predicted[i] - simulated[i]));
  }
  return most / *std::max_element(simulated.begin(), simulated.end());
}

/// In memory: a data item on its way is one of 20.
TEST(LimitedTrajectories, FollowSimulatedRuns) {
  for (const char* const strategy :
       {"lws", "dmdar", "hfp", "random", "darts", "dynamic", "panel-streaming", "hybrid"}) {
    const auto points = limited_trajectories(asked(strategy), 41, 2);
    EXPECT_LT(apart(points, Quantity::unfinished_tasks), 0.06) << strategy;
    EXPECT_LT(apart(points, Quantity::loads), 0.09) << strategy;
    EXPECT_LT(apart(points, Quantity::resident_data), 0.09) << strategy;
  }
}

TEST(LimitedTrajectories, BeginWithAllTasksAndEndWithNone) {
  for (const char* const source : {"predicted", "simulated"}) {
    const auto points = limited_trajectories(asked("hfp", "gpus:k=1,memory=20data"), 21, 1);
    const auto unfinished = means(points, source, Quantity::unfinished_tasks);
    EXPECT_EQ(unfinished.front(), 1) << source;
    EXPECT_NEAR(unfinished.back(), 0, 1e-12) << source;
    EXPECT_TRUE(std::is_sorted(unfinished.rbegin(), unfinished.rend())) << source;
    const auto loads = means(points, source, Quantity::loads);
    EXPECT_EQ(loads.front(), 0) << source;
    EXPECT_TRUE(std::is_sorted(loads.begin(), loads.end())) << source;
    const auto resident = means(points, source, Quantity::resident_data);
    EXPECT_LE(*std::max_element(resident.begin(), resident.end()), 20) << source;
    EXPECT_GE(resident.back(), 19) << source;
  }
}

TEST(LimitedTrajectories, SayWhichModelPredicted) {
  for (const auto& point : limited_trajectories(asked("darts"), 3, 1)) {
    EXPECT_EQ(point.model, point.source == "predicted" ? "choice-chain" : "");
  }
}

TEST(LimitedTrajectories, DoNotDependOnTheNumberOfThreads) {
  const auto experiment = asked("eager");
  EXPECT_EQ(to_csv(limited_trajectories(experiment, 11, 1), experiment),
            to_csv(limited_trajectories(experiment, 11, 3), experiment));
}

TEST(LimitedTrajectories, RefuseWhatNoModelPredicts) {
  const auto refused = [](const Experiment& experiment) {
    return error_text([&] { (void)limited_trajectories(experiment, 5, 1); });
  };
  EXPECT_NE(refused(asked("modular-heft:beta=2")).find("the option beta"), std::string::npos);
  EXPECT_NE(refused(asked("lws", "gpus:k=2,memory=20data,buses=2")).find("several buses"),
            std::string::npos);
  EXPECT_NE(refused(asked("heft", "gpus:k=2,memory=20data", "cholesky:n=5,deps=true"))
                .find("only independent tasks"),
            std::string::npos);
  EXPECT_NE(
      refused(asked("hybrid", "gpus:k=2,memory=20data", "gemm3d:n=5,c=yes")).find("of gemm2d"),
      std::string::npos);
}

}  // namespace
}  // namespace damocles::limited_trajectories_test
