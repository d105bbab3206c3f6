#include "experiments/commands/sweep_estimate.hpp"

#include <gtest/gtest.h>

#include "sim/run_share.hpp"

namespace damocles::sweep_estimate_test {
namespace {

Job job_of(const char* method, double tasks) {
  return {.key = method + std::to_string(tasks),
          .run = [] { return Record{}; },
          .method = method,
          .tasks = tasks};
}

RowTimes known_times() {
  RowTimes times;
  times.made("eager", 10, 1);
  times.made("darts", 10, 4);
  return times;
}

TEST(ExpectedDuration, IsTheWorkOfAllThreads) {
  const std::vector<Job> jobs{job_of("eager", 20), job_of("eager", 20), job_of("darts", 10)};

  EXPECT_DOUBLE_EQ(expected_duration_s(jobs, known_times(), 1), 2 + 2 + 4);
  EXPECT_DOUBLE_EQ(expected_duration_s(jobs, known_times(), 2), 4);
  EXPECT_DOUBLE_EQ(expected_duration_s(jobs, known_times(), 8), 4);  // the longest row
  EXPECT_EQ(expected_duration_s({}, known_times(), 2), 0);
}

TEST(Trial, TriesTheLargestRowAndOneOfEachUnknownMethod) {
  std::vector<std::string> tried;
  std::vector<Job> jobs;
  for (const auto& [method, tasks] :
       {std::pair{"eager", 5}, {"hfp", 9}, {"hfp", 3}, {"darts", 20}, {"darts", 4}, {"mst", 0}}) {
    jobs.push_back(job_of(method, tasks));
    jobs.back().run = [&tried, key = jobs.back().key] {
      tried.push_back(key);
      return Record{};
    };
  }
  RowTimes times = known_times();

  const RowTrial trial = try_rows(jobs, times);

  EXPECT_EQ(tried, (std::vector<std::string>{jobs[3].key, jobs[2].key}));
  EXPECT_EQ(trial.rows, 2U);
  EXPECT_TRUE(times.knows("hfp"));
}

TEST(Trial, StopsALongRowAndCountsWhatEnded) {
  const std::vector<Job> endless{{.key = "",
                                  .run =
                                      [] {
                                        RunShare* const run = RunShare::of_this_thread();
                                        run->begin(1000);
                                        while (true) run->ended(250);
                                        return Record{};
                                      },
                                  .method = "eager",
                                  .tasks = 1000}};
  RowTimes times;

  (void)try_rows(endless, times);

  // A quarter took the two seconds that a trial lasts at most, or longer on a busy machine.
  EXPECT_GE(expected_duration_s(endless, times, 1), 8);
}

TEST(Estimate, NamesItsSources) {
  const std::vector<Job> jobs{job_of("eager", 20), job_of("hfp", 1)};

  const std::string text = estimate_of(jobs, known_times(), "study.db", 2);

  EXPECT_TRUE(text.starts_with("2 rows to run take about ")) << text;
  EXPECT_NE(text.find(" on 2 threads"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("estimated from times in 'study.db' and 2 rows that were tried"))
      << text;
  EXPECT_TRUE(estimate_of(jobs, {}, "", 1).ends_with("estimated from 2 rows that were tried"));
}

}  // namespace
}  // namespace damocles::sweep_estimate_test
