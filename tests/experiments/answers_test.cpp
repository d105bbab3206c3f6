#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <limits>

#include "experiments/results/csv.hpp"
#include "experiments/studies/study.hpp"
#include "models/rng.hpp"
#include "ode/best_beta.hpp"
#include "tests/experiments/folder.hpp"

namespace damocles::answers_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A grid of a few to a million tasks on 1 to 300 processors.
Experiment drawn_experiment(Rng& rng) {
  const auto extent = [&](std::uint64_t most) { return 1 + rng.below(rng.below(most) + 1); };
  const std::uint64_t n = extent(1000);
  const std::string workload = rng.below(3) == 0   ? fmt::format("outer:m={},n={}", n, extent(1000))
                               : rng.below(2) == 0 ? fmt::format("outer:n={}", n)
                                                   : fmt::format("matrix:n={}", extent(60));
  const std::uint64_t p = extent(300);
  const std::array platforms{"homogeneous:p={}", "uniform:p={},lo=1,hi=1000", "set.5:p={}"};
  Experiment experiment{
      .workload = Workload::parse(workload),
      .scenario = Scenario::parse(fmt::format(fmt::runtime(platforms.at(rng.below(3))), p)),
      .models = {"paper", "corrected", "exact"}};
  // beta from 1e-3 to 1e3, evenly in its logarithm.
  const double beta = std::pow(10, 6 * rng.uniform() - 3);
  experiment.strategies = {fmt::format("dynamic-2phases:beta={}", beta), "dynamic"};
  experiment.simulate = false;
  experiment.seed = rng.below(1000);
  return experiment;
}

TEST(EveryPrediction, IsAVolumeOrSaysThatItIsNone) {
  Rng rng(11, Draw::test, 0);
  std::size_t ok = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 400; ++i) {
    const Experiment experiment = drawn_experiment(rng);
    for (const Record& row : run_jobs(jobs(experiment), 1)) {
      SCOPED_TRACE(csv_line(row, Group::summary));
      if (row.status.kind != Status::Kind::ok) {
        EXPECT_EQ(row.status, Status{Status::Kind::outside_domain});
        EXPECT_FALSE(row.loads || row.volume_ratio || row.sd);
        ++refused;
        continue;
      }
      ++ok;
      ASSERT_TRUE(row.loads && row.lower_bound && row.balanced_bound && row.volume_ratio);
      EXPECT_TRUE(std::isfinite(*row.loads));
      EXPECT_TRUE(std::isfinite(*row.volume_ratio));
      EXPECT_GE(*row.loads, 0);
      // `exact` expands nothing, but has no last task: with as few tasks as processors, where the
      // bound holds for no run either, and on one processor, it may end below.
      if (row.model == "exact") continue;
      // Sums of at most 300 roots: 1e-12 is beyond their rounding.
      EXPECT_GE(*row.loads, *row.balanced_bound * (1 - 1e-12));
    }
  }
  EXPECT_GT(ok, 400U);
  EXPECT_GT(refused, 50U);  // both cases are met
}

TEST(EveryPrediction, OfMeanFieldsIsFiniteToo) {
  Rng rng(12, Draw::test, 0);
  std::size_t ok = 0;
  for (int i = 0; i < 25; ++i) {
    Experiment experiment = drawn_experiment(rng);
    if (experiment.scenario.processors() > 40) continue;
    experiment.models = {"refined", "ode"};
    experiment.strategies.insert(experiment.strategies.end(), {"random", "sorted"});
    if (experiment.workload.tasks() > 100'000) continue;
    for (const Record& row : run_jobs(jobs(experiment), 1)) {
      SCOPED_TRACE(csv_line(row, Group::summary));
      ASSERT_EQ(row.status, Status{Status::Kind::ok});
      ++ok;
      EXPECT_TRUE(std::isfinite(*row.volume_ratio) && *row.loads >= 0);
      EXPECT_TRUE(!row.sd || (std::isfinite(*row.sd) && *row.sd >= 0));
    }
  }
  EXPECT_GT(ok, 20U);
}

/// The threshold that is called best lies where the model says something, and so does the volume.
TEST(BestThreshold, LiesWhereTheFormulaHolds) {
  Rng rng(13, Draw::test, 0);
  std::size_t found = 0;
  for (int i = 0; i < 200; ++i) {
    const Experiment experiment = drawn_experiment(rng);
    const Problem problem(experiment.workload, experiment.scenario.draw(experiment.seed, 0));
    for (const auto& name : experiment.models) {
      const auto best = solve_best_beta(model_named(name), problem);
      if (!best) continue;
      ++found;
      SCOPED_TRACE(testing::Message() << name << " " << experiment.workload.text() << " "
                                      << experiment.scenario.text());
      EXPECT_GE(best->volume_ratio, name == "exact" ? 0 : 1 - 1e-12);
      EXPECT_GE(best->volume_ratio_at_beta_homogeneous, best->volume_ratio * (1 - 1e-6));
      EXPECT_TRUE(std::isfinite(best->volume_ratio_at_beta_homogeneous));
    }
  }
  EXPECT_GT(found, 100U);
}

TEST(RefuseInfinite, SaysWhichNumberItWas) {
  Record record;
  record.status = {Status::Kind::ok};
  record.loads = 3;
  record.volume_ratio = std::nan("");
  record.gflops = infinity;

  refuse_infinite(record);

  EXPECT_EQ(record.loads, 3);
  EXPECT_FALSE(record.volume_ratio || record.gflops);
  EXPECT_EQ(status_text(record.status), "volume_ratio is not finite");
  Record failed;
  failed.status = {Status::Kind::failed};
  failed.makespan_s = -infinity;
  refuse_infinite(failed);
  EXPECT_FALSE(failed.makespan_s);
  EXPECT_EQ(failed.status, Status{Status::Kind::failed});
}

double any_number(Rng& rng) {
  static const std::vector<double> some{0,      -0.0,    1.0,         -1.5,     1e308,
                                        -1e308, 5e-324,  1e-300,      infinity, -infinity,
                                        0.1,    1.0 / 3, std::nan("")};
  return rng.below(2) == 0 ? some[rng.below(some.size())] : std::exp(1400 * rng.uniform() - 700);
}

/// Whatever numbers a row has, what is written is read back, and the same.
TEST(Records, AreReadBackAsTheyWereWritten) {
  const Folder folder;
  Rng rng(14, Draw::test, 0);
  for (int i = 0; i < 300; ++i) {
    Record record;
    record.status = {Status::Kind::ok};
    record.strategy = "dynamic-2phases:beta=3,eviction=lru";
    for (const Column& column : columns()) {
      if (const auto* const real = std::get_if<Record::Real Record::*>(&column.member)) {
        if (rng.below(3) > 0) record.** real = any_number(rng);
      }
      if (const auto* const count = std::get_if<Record::Count Record::*>(&column.member)) {
        if (rng.below(3) > 0) record.** count = rng.below(~std::uint64_t{0});
      }
    }
    const std::string raw = csv_line(record, Group::if_any);
    for (const char* const none : {",nan", ",-nan", ",inf", ",-inf"}) {
      EXPECT_EQ(raw.find(none), std::string::npos);
    }
    refuse_infinite(record);
    const auto path = folder / "rows.csv";
    std::ofstream(path) << csv_header(Group::if_any) << csv_line(record, Group::if_any);

    const auto read = read_csv(path);

    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(csv_line(read.front(), Group::if_any), csv_line(record, Group::if_any));
    for (const Column& column : columns()) {
      if (const auto* const real = std::get_if<Record::Real Record::*>(&column.member)) {
        EXPECT_EQ(read.front().**real, record.**real) << column.name;
      }
    }
  }
}

}  // namespace
}  // namespace damocles::answers_test
