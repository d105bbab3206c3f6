#include "experiments/studies/reported_rows.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <tuple>

namespace damocles::reported_rows_test {
namespace {

using Told = std::tuple<std::size_t, std::size_t, double>;

std::vector<Job> jobs_of_tasks(const std::vector<double>& tasks) {
  std::vector<Job> jobs;
  for (const double one : tasks)
    jobs.push_back({.key = "", .run = {}, .method = "m", .tasks = one});
  return jobs;
}

TEST(ReportedRows, AreToldAtTheStartAndWhenEachIsMade) {
  const auto jobs = jobs_of_tasks({30, 10});
  std::vector<Told> told;
  {
    ReportedRows rows([&](std::size_t done, std::size_t all,
                          double share) { told.emplace_back(done, all, std::round(1000 * share)); },
                      jobs);
    for (const Job& job : jobs) {
      rows.make(
          job, [] {}, [](double) {});
    }
  }
  EXPECT_EQ(told, (std::vector<Told>{{0, 2, 0}, {1, 2, 750}, {2, 2, 1000}}));
}

TEST(ReportedRows, AreToldMeanwhileWithTheShareOfThatWhichRuns) {
  const auto jobs = jobs_of_tasks({4});
  std::vector<double> shares;
  ReportedRows rows([&](std::size_t, std::size_t, double share) { shares.push_back(share); }, jobs);
  const auto row = [] {
    RunShare::of_this_thread()->begin(4);
    RunShare::of_this_thread()->ended(1);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(1200));  // twice the time between, and more
  };
  rows.make(jobs[0], row, [](double) {});

  ASSERT_GE(shares.size(), 3U);
  EXPECT_EQ(shares[1], 0.25);
  EXPECT_EQ(shares.back(), 1);  // it is made
}

TEST(ReportedRows, ThatFailAreNotMade) {
  const auto jobs = jobs_of_tasks({1});
  ReportedRows rows({}, jobs);
  const auto fails = [] { throw std::runtime_error("it"); };
  EXPECT_THROW(rows.make(jobs[0], fails, [](double) { ADD_FAILURE(); }), std::runtime_error);
  EXPECT_EQ(RunShare::of_this_thread(), nullptr);
}

TEST(ReportedRows, AreNotMadeWhenTheCheckThrows) {
  int calls = 0;
  const auto jobs = jobs_of_tasks({1, 1});
  ReportedRows rows({}, jobs, [&] {
    if (++calls == 2) throw std::runtime_error("stopped");
  });
  int made = 0;
  const auto row = [&] { ++made; };
  rows.make(jobs[0], row, [](double) {});
  EXPECT_THROW(rows.make(jobs[0], row, [](double) {}), std::runtime_error);
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace damocles::reported_rows_test
