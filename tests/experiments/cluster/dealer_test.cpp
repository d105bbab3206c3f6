#include "experiments/cluster/dealer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "experiments/results/csv.hpp"
#include "models/rng.hpp"
#include "tests/error_text.hpp"

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
  Dealer dealer(
      3, "d", {{4, "a", 9}, {6, "a", 8}, {7, "a", 7}, {8, "a", 6}},
      [&](std::size_t row, const Record& record, double) {
        made.push_back(row);
        EXPECT_EQ(to_csv({record}), to_csv({record_of(*record.replicate)}));
      },
      0);

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
  Dealer dealer(
      3, "d", {{0, "a", 2}, {1, "a", 1}}, [&](std::size_t, const Record&, double) { ++made; }, 0);
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

TEST(Dealer, EndsTogetherWhereAllAnswer) {
  Dealer dealer(3, "d", {}, {}, 0);
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
  Dealer dealer(3, "d", {}, {}, 0);
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
  Dealer dealer(2, "d", rows(1), {}, 0);

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
  Dealer dealer(2, "d", rows(2), {}, 0);
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
  Dealer dealer(2, "d", rows(1), {}, 0);
  dealer.look_at_clock(599);
  (void)dealer.take_messages();
  dealer.hear({1, "ready 1 d"}, 599);

  EXPECT_EQ(texts(dealer), (Texts{"1: make 0"}));
}

/// A rank in virtual time: it makes its rows one after the other, may be silent for a while, and
/// may be lost for ever. All of it follows from the seed.
struct FakeRank {
  double a_row_s = 1;
  double lost_s = 1e9;         ///< when it is lost
  double silent_from_s = 1e9;  ///< when its messages begin to be held up,
  double silent_to_s = 1e9;    ///< and when they arrive
  std::deque<std::size_t> waiting{};
  double row_ends_s = 0;
  std::deque<std::string> held_up{};
};

/// A sweep of many rows on some ranks, of which all but the first may be lost.
class FakeCluster {
 public:
  explicit FakeCluster(std::uint64_t seed)
      : rng_(seed, Draw::test, 0),
        count_(1 + rng_.below(60)),
        ranks_(1 + rng_.below(8)),
        made_(count_),
        dealer_(
            static_cast<int>(ranks_.size()) + 1, "d", rows(count_),
            [this](std::size_t row, const Record& record, double) {
              ++made_.at(row);
              EXPECT_EQ(record.replicate, 2 * row);
            },
            0) {
    for (FakeRank& rank : ranks_) {
      rank.a_row_s = 0.1 + 10 * rng_.uniform() * rng_.uniform();
      if (&rank != &ranks_.front() && rng_.below(3) == 0) rank.lost_s = 60 * rng_.uniform();
      if (rng_.below(3) > 0) continue;
      rank.silent_from_s = 60 * rng_.uniform();
      rank.silent_to_s = rank.silent_from_s + 40 * rng_.uniform();
    }
  }

  /// Steps of a tenth of a second until all rows are made, and until all have ended.
  void run() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) say(i, fmt::format("ready {} d", 1 + i % 3));
    while (!dealer_.complete()) {
      step();
      // The slowest rank alone takes 60 rows of 10.1 s; silences add 40 s.
      ASSERT_LT(now_s_, 60 * 10.1 + 100);
    }
    EXPECT_EQ(made_, std::vector<int>(count_, 1));
    dealer_.stop(now_s_);
    const double stopped_s = now_s_;
    while (!dealer_.has_ended()) {
      step();
      ASSERT_LT(now_s_, stopped_s + 60);
    }
  }

 private:
  void say(std::size_t rank, std::string text) {
    FakeRank& from = ranks_[rank];
    if (now_s_ >= from.lost_s) return;
    from.held_up.push_back(std::move(text));
  }
  void deliver(std::size_t rank) {
    FakeRank& from = ranks_[rank];
    if (now_s_ >= from.silent_from_s && now_s_ < from.silent_to_s) return;
    while (!from.held_up.empty()) {
      dealer_.hear({static_cast<int>(rank) + 1, from.held_up.front()}, now_s_);
      from.held_up.pop_front();
    }
  }
  void step() {
    now_s_ += 0.1;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      FakeRank& rank = ranks_[i];
      if (!rank.waiting.empty() && now_s_ >= rank.row_ends_s) {
        say(i, row_message(rank.waiting.front(), rank.a_row_s));
        rank.waiting.pop_front();
        rank.row_ends_s = now_s_ + rank.a_row_s;
      }
      if (rng_.below(10) == 0) say(i, "here");
      deliver(i);
    }
    dealer_.look_at_clock(now_s_);
    for (const RankMessage& message : dealer_.take_messages()) {
      const auto at = static_cast<std::size_t>(message.rank - 1);
      FakeRank& rank = ranks_[at];
      if (message.text == "stop") say(at, "bye");
      if (!message.text.starts_with("make ")) continue;
      if (rank.waiting.empty()) rank.row_ends_s = now_s_ + rank.a_row_s;
      rank.waiting.push_back(std::stoull(message.text.substr(5)));
    }
  }

  Rng rng_;
  std::size_t count_;
  std::vector<FakeRank> ranks_;
  std::vector<int> made_;
  Dealer dealer_;
  double now_s_ = 0;
};

TEST(Dealer, MakesEveryRowOnceWhicheverRanksAreSlowOrLost) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    FakeCluster(seed).run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace damocles::dealer_test
