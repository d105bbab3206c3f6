#include "experiments/cluster/deal.hpp"

#include <gtest/gtest.h>

namespace damocles::deal_test {
namespace {

RowToDeal row(const char* method, double tasks) { return {.method = method, .tasks = tasks}; }

std::vector<std::size_t> taken(Deal& deal) {
  std::vector<std::size_t> rows;
  while (const auto next = deal.next()) rows.push_back(*next);
  return rows;
}

TEST(Deal, TakesTheRowsWithTheMostTasksFirst) {
  Deal deal({row("eager", 4), row("eager", 9), row("darts", 5), row("eager", 9)});

  EXPECT_EQ(taken(deal), (std::vector<std::size_t>{1, 3, 2, 0}));
}

TEST(Deal, LearnsHowLongATaskOfAMethodTakes) {
  Deal deal({row("eager", 10), row("darts", 10), row("eager", 9), row("darts", 2)});
  EXPECT_EQ(deal.next(), 1U);  // as many tasks as row 0; darts stands before eager
  EXPECT_EQ(deal.next(), 0U);
  // 1 s a task of eager, 10 s a task of darts: its row of 2 tasks takes 20 s, the other one 9 s.
  EXPECT_TRUE(deal.made(0, 10));
  EXPECT_TRUE(deal.made(1, 100));

  EXPECT_EQ(taken(deal), (std::vector<std::size_t>{3, 2}));
}

TEST(Deal, TakesAnUnknownMethodForTheSlowest) {
  Deal deal({row("eager", 10), row("eager", 6), row("hfp", 5), row("darts", 20)});
  EXPECT_EQ(deal.next(), 3U);
  EXPECT_EQ(deal.next(), 0U);
  // darts 0.5 s a task, eager 0.1 s: hfp counts as 0.5 s, so its 5 tasks stand before 6 of eager.
  EXPECT_TRUE(deal.made(3, 10));
  EXPECT_TRUE(deal.made(0, 1));

  EXPECT_EQ(taken(deal), (std::vector<std::size_t>{2, 1}));
}

TEST(Deal, GivesARowOutAgainUntilItIsMade) {
  Deal deal({row("eager", 4), row("eager", 3)});
  EXPECT_EQ(taken(deal), (std::vector<std::size_t>{0, 1}));

  deal.give_back(0);
  EXPECT_EQ(taken(deal), (std::vector<std::size_t>{0}));
  deal.give_back(0);
  EXPECT_TRUE(deal.made(0, 1));
  EXPECT_EQ(taken(deal), std::vector<std::size_t>{});
  EXPECT_FALSE(deal.made(0, 1));
  EXPECT_FALSE(deal.complete());
  EXPECT_TRUE(deal.made(1, 1));
  EXPECT_TRUE(deal.complete());
}

TEST(Deal, OfNoRowsIsComplete) { EXPECT_TRUE(Deal({}).complete()); }

}  // namespace
}  // namespace damocles::deal_test
