#include "experiments/studies/reported_rows.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <tuple>

namespace damocles::reported_rows_test {
namespace {

using Told = std::tuple<std::size_t, std::size_t, double>;

TEST(ReportedRows, AreToldAtTheStartAndWhenEachIsMade) {
  std::vector<Told> told;
  {
    ReportedRows rows([&](std::size_t done, std::size_t all,
                          double running) { told.emplace_back(done, all, running); },
                      2);
    for (int row = 0; row < 2; ++row) rows.make([] {}, [] {});
  }
  EXPECT_EQ(told, (std::vector<Told>{{0, 2, 0}, {1, 2, 0}, {2, 2, 0}}));
}

TEST(ReportedRows, AreToldMeanwhileWithTheShareOfThatWhichRuns) {
  std::vector<double> shares;
  ReportedRows rows([&](std::size_t, std::size_t, double running) { shares.push_back(running); },
                    1);
  const auto row = [] {
    RunShare::of_this_thread()->begin(4);
    RunShare::of_this_thread()->ended(1);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(1200));  // twice the time between, and more
  };
  rows.make(row, [] {});

  ASSERT_GE(shares.size(), 3U);
  EXPECT_EQ(shares[1], 0.25);
  EXPECT_EQ(shares.back(), 0);  // it is made
}

TEST(ReportedRows, ThatFailAreNotMade) {
  ReportedRows rows({}, 1);
  const auto fails = [] { throw std::runtime_error("it"); };
  EXPECT_THROW(rows.make(fails, [] { ADD_FAILURE(); }), std::runtime_error);
  EXPECT_EQ(RunShare::of_this_thread(), nullptr);
}

TEST(ReportedRows, AreNotMadeWhenTheCheckThrows) {
  int calls = 0;
  ReportedRows rows({}, 2, [&] {
    if (++calls == 2) throw std::runtime_error("stopped");
  });
  int made = 0;
  const auto row = [&] { ++made; };
  rows.make(row, [] {});
  EXPECT_THROW(rows.make(row, [] {}), std::runtime_error);
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace damocles::reported_rows_test
