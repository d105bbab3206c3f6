#include "experiments/cluster/dealer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiments/results/csv.hpp"
#include "models/rng.hpp"
#include "tests/error_text.hpp"
#include "tests/experiments/cluster/fake_cluster.hpp"

namespace damocles::dealer_test {
namespace {

Record record_of(std::size_t number) {
  Record record;
  record.source = "simulated";
  record.strategy = "eager";
  record.replicate = number;
  record.loads = static_cast<double>(number) / 3;
  record.status = {Status::Kind::ok};
  return record;
}

std::string row_message(std::size_t number, double seconds = 1) {
  return fmt::format("row {} {}\n{}", number, seconds, csv_line(record_of(number), Group::origin));
}

std::vector<RowToDeal> rows(std::size_t count) {
  std::vector<RowToDeal> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back({.number = 2 * i, .method = i % 3 == 0 ? "darts" : "eager", .tasks = 1});
  }
  return result;
}

std::vector<std::string> texts(Dealer& dealer) {
  std::vector<std::string> result;
  for (const RankMessage& one : dealer.take_messages()) {
    result.push_back(fmt::format("{}: {}", one.rank, one.text));
  }
  return result;
}

using Texts = std::vector<std::string>;

TEST(Dealer, GivesARankAsManyRowsAsItHasThreads) {
  std::vector<std::size_t> made;
  Dealer dealer(3, "d", 0);
  dealer.deal({{4, "a", 9}, {6, "a", 8}, {7, "a", 7}, {8, "a", 6}},
              [&](std::size_t row, const Record& record, double) {
                made.push_back(row);
                EXPECT_EQ(to_csv({record}), to_csv({record_of(*record.replicate)}));
              });

  dealer.hear({1, "ready 2 d"}, 0);
  EXPECT_EQ(texts(dealer), (Texts{"1: make 4", "1: make 6"}));
  dealer.hear({2, "ready 1 d"}, 0);
  EXPECT_EQ(texts(dealer), (Texts{"2: make 7"}));
  dealer.hear({1, row_message(6)}, 0.5);
  EXPECT_EQ(texts(dealer), (Texts{"1: make 8"}));
  for (const std::size_t number : {4U, 8U}) dealer.hear({1, row_message(number)}, 0.5);
  EXPECT_FALSE(dealer.complete());
  dealer.hear({2, row_message(7)}, 0.5);

  EXPECT_TRUE(dealer.complete());
  EXPECT_EQ(texts(dealer), Texts{});
  EXPECT_EQ(made, (std::vector<std::size_t>{1, 0, 3, 2}));
}

TEST(Dealer, GivesRowsOfASilentRankOutAgain) {
  std::size_t made = 0;
  Dealer dealer(3, "d", 0);
  dealer.deal({{0, "a", 2}, {1, "a", 1}}, [&](std::size_t, const Record&, double) { ++made; });
  dealer.hear({1, "ready 1 d"}, 0);
  dealer.hear({2, "ready 1 d"}, 0);
  EXPECT_EQ(texts(dealer), (Texts{"1: make 0", "2: make 1"}));
  dealer.hear({2, row_message(1)}, 5);
  dealer.look_at_clock(9);
  EXPECT_EQ(texts(dealer), (Texts{"1: here", "2: here"}));

  dealer.look_at_clock(10);  // rank 1 is silent for 10 s
  EXPECT_EQ(texts(dealer), (Texts{"1: here", "2: here", "2: make 0"}));
  dealer.hear({1, row_message(0)}, 16);  // it was slow: its row counts, the second one does not
  EXPECT_TRUE(dealer.complete());
  dealer.hear({2, row_message(0)}, 17);
  EXPECT_EQ(made, 2U);
}

TEST(Dealer, GivesMoreRowsWhenTheFirstAreMade) {
  std::vector<std::size_t> made;
  const auto note_made = [&](std::size_t row, const Record& record, double) {
    made.push_back(row);
    EXPECT_EQ(to_csv({record}), to_csv({record_of(*record.replicate)}));
  };
  Dealer dealer(3, "d", 0);
  dealer.hear({1, "ready 1 d"}, 0);
  dealer.deal({{4, "a", 9}}, note_made);
  EXPECT_EQ(texts(dealer), (Texts{"1: make 4"}));
  dealer.hear({2, "ready 1 d"}, 9);
  dealer.look_at_clock(10);  // rank 1 is silent for 10 s
  EXPECT_EQ(texts(dealer), (Texts{"1: here", "2: here", "2: make 4"}));
  dealer.hear({2, row_message(4)}, 11);
  EXPECT_TRUE(dealer.complete());

  dealer.deal({{7, "a", 9}, {5, "a", 8}}, note_made);
  EXPECT_EQ(texts(dealer), (Texts{"2: make 7"}));
  dealer.hear({1, row_message(4)}, 12);  // it was slow, and has nothing to do now
  EXPECT_EQ(texts(dealer), (Texts{"1: make 5"}));
  for (const std::size_t number : {5U, 7U}) dealer.hear({1, row_message(number)}, 12);
  EXPECT_TRUE(dealer.complete());
  EXPECT_EQ(made, (std::vector<std::size_t>{0, 1, 0}));
}

TEST(Dealer, EndsTogetherWhereAllAnswer) {
  Dealer dealer(3, "d", 0);
  dealer.stop(1);
  EXPECT_EQ(texts(dealer), (Texts{"1: stop", "2: stop"}));
  dealer.hear({1, "ready 1 d"}, 1);  // was on its way
  dealer.hear({1, "bye"}, 2);
  EXPECT_FALSE(dealer.has_ended());
  dealer.hear({2, "bye"}, 2);

  EXPECT_TRUE(dealer.has_ended());
  EXPECT_TRUE(dealer.ended_together());
  EXPECT_EQ(texts(dealer), (Texts{"1: end", "2: end"}));
}

TEST(Dealer, EndsWithoutARankThatIsLost) {
  Dealer dealer(3, "d", 0);
  dealer.stop(1);
  dealer.hear({2, "bye"}, 2);
  dealer.look_at_clock(10.5);
  EXPECT_FALSE(dealer.has_ended());
  dealer.look_at_clock(11);
  (void)dealer.take_messages();

  EXPECT_TRUE(dealer.has_ended());
  EXPECT_FALSE(dealer.ended_together());
  EXPECT_EQ(texts(dealer), (Texts{"1: leave", "2: leave"}));
}

TEST(Dealer, SaysWhatARankRefuses) {
  Dealer dealer(2, "d", 0);
  dealer.deal(rows(1), {});

  EXPECT_EQ(error_text([&] {
              dealer.hear({1, "ready 1 other"}, 0);
            }),
            "rank 1 reads another sweep than rank 0; give all machines the same files and the same "
            "program");
  EXPECT_EQ(error_text([&] {
              dealer.hear({1, "refused cannot open 'x.toml'"}, 0);
            }),
            "rank 1: cannot open 'x.toml'");
  try {
    dealer.hear({1, "failed 0\nout of memory"}, 0);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "rank 1: out of memory");
  }
}

TEST(Dealer, EndsWhereNobodyIsLeft) {
  Dealer dealer(2, "d", 0);
  dealer.deal(rows(2), {});
  dealer.hear({1, "ready 1 d"}, 0);
  dealer.look_at_clock(119);
  try {
    dealer.look_at_clock(120);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "all ranks that make rows are lost; the rows that they made are kept: run again "
                 "to go on");
  }
}

TEST(Dealer, GivesARankThatReadsTheSweepTime) {
  Dealer dealer(2, "d", 0);
  dealer.deal(rows(1), {});
  dealer.look_at_clock(599);
  (void)dealer.take_messages();
  dealer.hear({1, "ready 1 d"}, 599);

  EXPECT_EQ(texts(dealer), (Texts{"1: make 0"}));
}

TEST(Dealer, MakesEveryRowOnceWhicheverRanksAreSlowOrLost) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const std::size_t count = 1 + Rng(seed, Draw::test, 1).below(60);
    std::vector<int> made(count);
    FakeCluster(seed, rows(count), record_of, [&](std::size_t row, const Record& record, double) {
      ++made.at(row);
      EXPECT_EQ(record.replicate, 2 * row);
    }).run();
    EXPECT_EQ(made, std::vector<int>(count, 1));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace damocles::dealer_test
