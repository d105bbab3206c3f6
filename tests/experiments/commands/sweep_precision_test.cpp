#include "experiments/commands/sweep_precision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "experiments/origin.hpp"
#include "experiments/results/asked_rows.hpp"
#include "experiments/results/csv.hpp"
#include "tests/error_text.hpp"

namespace damocles::sweep_precision_test {
namespace {

constexpr std::uint64_t most = 200;

/// Uniform in [0, 1), the same with every library.
double uniform(std::mt19937_64& dice) { return static_cast<double>(dice() >> 11U) * 0x1.0p-53; }

/// A setting of two strategies, whose loads have these spreads around 100.
SweepStudy study_of_spreads(const std::vector<std::pair<double, double>>& settings) {
  SweepStudy study;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const std::string workload = "w" + std::to_string(i);
    for (const auto& [strategy, spread] :
         {std::pair{"eager", settings[i].first}, {"darts", settings[i].second}}) {
      for (std::uint64_t replicate = 0; replicate < most; ++replicate) {
        Record row;
        row.source = "simulated";
        row.strategy = strategy;
        row.workload = workload;
        row.platform = "p";
        row.replicate = replicate;
        std::mt19937_64 dice(replicate + 1);
        row.loads = 100 + spread * (2 * uniform(dice) - 1);
        row.status = {Status::Kind::ok};
        study.jobs.push_back(
            {.key = key(row), .run = [row] { return row; }, .replicate = replicate});
      }
    }
    study.points.push_back({{}, workload, "p", 2 * most});
  }
  return study;
}

struct Made {
  StudyRows rows;
  std::vector<std::uint64_t> replicates;  ///< of each setting
};

Made made(const SweepStudy& study, double share, int threads, RowsByKey there = {}) {
  const SweepPrecision precision(study, share, most);
  Made result;
  const auto asked = [&](const RowsByKey& rows) { return precision.asked(rows); };
  result.rows = make_asked(study.jobs, asked, {}, runner_on_threads(threads), {}, std::move(there));
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const auto begin = result.rows.asked.begin() + static_cast<std::ptrdiff_t>(i * 2 * most);
    result.replicates.push_back(
        static_cast<std::uint64_t>(std::count(begin, begin + 2 * most, true)) / 2);
  }
  return result;
}

TEST(SweepPrecision, StopsWhereMeansArePrecise) {
  const SweepStudy study = study_of_spreads({{0, 0}, {0, 2}, {2, 20}, {20, 0}});

  const auto replicates = made(study, 0.02, 1).replicates;

  EXPECT_EQ(replicates[0], SweepPrecision::first_replicates);
  EXPECT_EQ(replicates[1], SweepPrecision::first_replicates);  // 1.2 of 100 at most
  // Of numbers uniform in 100 +- 20 the deviation is 11.5: 1.96 * 11.5 / sqrt(n) <= 2 from 128 on.
  // Estimated from a sample, that number is itself uncertain by a quarter.
  EXPECT_NEAR(static_cast<double>(replicates[2]), 128, 32);
  EXPECT_EQ(replicates[3], replicates[2]);  // strategies of one setting have as many
  for (const auto count : replicates) EXPECT_EQ(count % 5, 0U);
}

TEST(SweepPrecision, AsksForTheSameRowsWhereverItWasInterrupted) {
  const SweepStudy study = study_of_spreads({{1, 9}, {20, 0}, {0, 0}});
  const auto whole = made(study, 0.02, 1);
  ASSERT_GT(whole.rows.records.size(), 100U);

  std::mt19937_64 dice(7);
  for (int seed = 0; seed < 20; ++seed) {
    RowsByKey there;  // some of the rows that it makes
    for (const Record& row : whole.rows.records) {
      if (uniform(dice) < 0.05 * seed) there.emplace(key(row), row);
    }
    const std::size_t kept = there.size();
    const auto again = made(study, 0.02, 2, there);
    EXPECT_EQ(to_csv(again.rows.records), to_csv(whole.rows.records));
    EXPECT_EQ(again.rows.counts.kept, kept);
  }
}

TEST(SweepPrecision, NamesSettingsThatStayImprecise) {
  const SweepStudy study = study_of_spreads({{0, 1}, {60, 0}, {1, 80}});
  const auto rows = made(study, 0.01, 1);
  const SweepPrecision precision(study, 0.01, most);

  EXPECT_EQ(rows.replicates, (std::vector<std::uint64_t>{5, most, most}));
  EXPECT_EQ(
      precision.note_on_imprecise(rows.rows.records, rows.rows.asked),
      "note: 2 settings have not reached 1 % with 200 replicates, the first of them: w1 on p");
  const auto loose = made(study, 0.5, 1);
  EXPECT_EQ(
      SweepPrecision(study, 0.5, most).note_on_imprecise(loose.rows.records, loose.rows.asked), "");
}

TEST(SweepPrecision, LeavesOutRowsWithoutAResult) {
  SweepStudy study = study_of_spreads({{0, 50}});
  for (Job& job : study.jobs) {
    Record row = job.run();
    if (row.strategy == "darts") row.status = {Status::Kind::infeasible, "no memory"};
    job.run = [row] { return row; };
  }

  EXPECT_EQ(made(study, 0.01, 1).replicates[0], SweepPrecision::first_replicates);
}

TEST(ParsePrecision, TakesPercents) {
  EXPECT_DOUBLE_EQ(parse_precision("--precision", "1%"), 0.01);
  EXPECT_DOUBLE_EQ(parse_precision("--precision", "0.5%"), 0.005);
  for (const char* const wrong : {"1", "0%", "60%", "-1%", "one%", "%"}) {
    EXPECT_EQ(error_text([&] { (void)parse_precision("--precision", wrong); }),
              std::string("--precision '") + wrong +
                  "': give a share of the mean from 0.01% to 50%, as 1%");
  }
}

}  // namespace
}  // namespace damocles::sweep_precision_test
