#include "experiments/prediction/trajectories.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "experiments/results/csv.hpp"
#include "models/platforms/scenario.hpp"
#include "tests/error_text.hpp"
#include "tests/experiments/folder.hpp"

namespace damocles::trajectories_test {
namespace {

Experiment experiment(const char* workload, const char* platform, const char* strategy,
                      std::uint64_t replicates) {
  return {.workload = Workload::parse(workload),
          .scenario = Scenario::parse(platform),
          .strategies = {strategy},
          .replicates = replicates};
}

std::vector<TrajectoryPoint> curve(const std::vector<TrajectoryPoint>& points, const char* source,
                                   Quantity quantity, std::optional<double> speed = {}) {
  std::vector<TrajectoryPoint> result;
  std::copy_if(points.begin(), points.end(), std::back_inserter(result), [&](const auto& point) {
    return point.source == source && point.quantity == quantity && point.speed == speed;
  });
  return result;
}

/// Speeds that stay: tasks end at the rate of all speeds, so open = 1 - 240 t / 10000, and each
/// processor's x_k is the closed form; 400 instants of the field in between are 1e-3 apart.
TEST(Trajectories, FollowTheClosedForm) {
  const auto points = trajectories(
      experiment("outer:n=100", "speeds:40,80,120", "dynamic-2phases:beta=3", 2), 41, 1);
  for (const double speed : {40.0, 80.0, 120.0}) {
    for (const auto& point : curve(points, "predicted", Quantity::known_indices, speed)) {
      const double open = std::max(std::exp(-3), 1 - 240 * point.time_s / 1e4);
      EXPECT_NEAR(point.mean, std::sqrt(1 - std::pow(open, speed / 240)), 2e-3) << point.time_s;
      EXPECT_FALSE(point.low);
    }
  }
  for (const auto& point : curve(points, "predicted", Quantity::open_tasks)) {
    EXPECT_NEAR(point.mean, std::max(0.0, 1 - 240 * point.time_s / 1e4), 1e-3) << point.time_s;
  }
}

/// The field leaves out the step that each processor is ahead of what it computed: at most
/// 2 a of 10^4 tasks for each of 20 processors with a < 60 known, so a quarter of the band of x.
TEST(Trajectories, SimulatedFollowThePredicted) {
  const auto points = trajectories(
      experiment("outer:n=100", "homogeneous:p=20", "dynamic-2phases:beta=4", 20), 51, 1);
  for (const auto quantity : {Quantity::open_tasks, Quantity::known_indices}) {
    const auto predicted = curve(points, "predicted", quantity);
    const auto simulated = curve(points, "simulated", quantity);
    ASSERT_EQ(predicted.size(), 51);
    ASSERT_EQ(simulated.size(), 51);
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      EXPECT_EQ(predicted[i].time_s, simulated[i].time_s);
      EXPECT_NEAR(predicted[i].mean, simulated[i].mean, 0.12) << name(quantity) << " " << i;
      // Where all runs are alike the mean differs from them by rounding.
      EXPECT_LE(*simulated[i].low, simulated[i].mean + 1e-12);
      EXPECT_GE(*simulated[i].high, simulated[i].mean - 1e-12);
    }
    EXPECT_NEAR(predicted.back().mean, simulated.back().mean, 0.01);
  }
}

/// Whatever the strategy does, all open tasks lie outside what a processor covers: with A the
/// covered share, g (1 - A) is the open share. One processor: g = open / (1 - x^2).
TEST(Trajectories, TellOpenTasksOutsideFromAll) {
  const auto points =
      trajectories(experiment("outer:n=20", "homogeneous:p=1", "dynamic", 1), 11, 1);
  const auto open = curve(points, "simulated", Quantity::open_tasks);
  const auto known = curve(points, "simulated", Quantity::known_indices);
  const auto outside = curve(points, "simulated", Quantity::open_outside);
  ASSERT_EQ(open.size(), 11);
  for (std::size_t i = 0; i < open.size(); ++i) {
    const double covered = known[i].mean * known[i].mean;
    EXPECT_NEAR(open[i].mean, 1 - covered, 1e-12);
    EXPECT_NEAR(outside[i].mean, open[i].mean > 0 ? 1 : 0, 1e-12);
  }
}

TEST(Trajectories, AreOfOneKindOfProcessorWhereSpeedsDriftOrAreMany) {
  for (const auto* const platform : {"dyn.5:p=6", "uniform:p=6,lo=1,hi=2"}) {
    for (const auto& point : trajectories(experiment("outer:n=12", platform, "dynamic", 3), 5, 1)) {
      EXPECT_FALSE(point.speed) << platform;
    }
  }
}

TEST(Trajectories, DoNotDependOnTheNumberOfThreads) {
  const auto asked = experiment("matrix:n=8", "set.3:p=9", "dynamic-2phases:beta=2", 6);
  EXPECT_EQ(to_csv(trajectories(asked, 9, 1), asked), to_csv(trajectories(asked, 9, 4), asked));
}

TEST(Trajectories, AreCsvWhateverFilesAreCalled) {
  const Folder folder;
  const auto file = (folder / "two, \"quick\" ones.toml").string();
  std::ofstream(file) << "[[processors]]\nspeed = 1\n[[processors]]\nspeed = 2\n";
  const auto asked = experiment("outer:n=8", (file).c_str(), "dynamic", 1);
  const std::string text = to_csv(trajectories(asked, 3, 1), asked);

  CsvReader rows(text, "trajectories");
  std::vector<std::string> cells;
  ASSERT_TRUE(rows.next(cells));
  const auto header = cells;
  for (std::size_t row = 0; rows.next(cells); ++row) {
    ASSERT_EQ(cells.size(), header.size()) << row;
    EXPECT_EQ(cells[4], asked.scenario.text());
  }
}

TEST(Trajectories, RefuseWhatHasNoGrowingSets) {
  const auto refused = [](const char* workload, const char* platform, const char* strategy) {
    return error_text(
        [&] { (void)trajectories(experiment(workload, platform, strategy, 1), 5, 1); });
  };
  EXPECT_NE(refused("outer:n=9", "homogeneous:p=2", "random").find("'random' has no index sets"),
            std::string::npos);
  EXPECT_NE(refused("outer:n=9", "homogeneous:p=2", "dynamic-2phases:beta=0").find("beta above 0"),
            std::string::npos);
  EXPECT_NE(
      refused("cholesky:n=4,deps=false", "homogeneous:p=2", "dynamic").find("outer: and matrix:"),
      std::string::npos);
}

}  // namespace
}  // namespace damocles::trajectories_test
