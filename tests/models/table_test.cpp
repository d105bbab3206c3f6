#include "models/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace damocles::table_test {
namespace {

struct Fruit {
  static constexpr const char* what = "fruit";
  std::string name;
  int sweetness = 0;
};

TEST(Table, ReplacesTheEntryOfTheSameName) {
  Table<Fruit>::put({.name = "pear", .sweetness = 1});
  Table<Fruit>::put({.name = "apple", .sweetness = 2});
  Table<Fruit>::put({.name = "pear", .sweetness = 3});
  EXPECT_THAT(Table<Fruit>::names(), testing::ElementsAre("apple", "pear"));
  EXPECT_EQ(Table<Fruit>::named("pear").sweetness, 3);
  EXPECT_THROW(Table<Fruit>::add({.name = "pear"}), std::logic_error);
}

}  // namespace
}  // namespace damocles::table_test
