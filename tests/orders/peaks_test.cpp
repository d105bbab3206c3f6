#include "orders/peaks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/rng.hpp"

namespace damocles::peaks_test {
namespace {

TEST(Peaks, AnswersAsAPlainRow) {
  Rng rng(3, Draw::test, 0);
  for (const std::size_t size : {1U, 2U, 7U, 64U, 100U}) {
    Peaks peaks(size);
    std::vector<std::int64_t> row(size, 0);
    for (int step = 0; step < 500; ++step) {
      const std::size_t from = rng.below(size);
      const std::size_t to = from + rng.below(size - from + 1);
      const auto amount = static_cast<std::int64_t>(rng.below(21)) - 10;

      peaks.add(from, to, amount);

      for (std::size_t at = from; at < to; ++at) row[at] += amount;
      const std::size_t begin = rng.below(size);
      const std::size_t end = begin + 1 + rng.below(size - begin);
      const auto expected = *std::max_element(row.begin() + static_cast<std::ptrdiff_t>(begin),
                                              row.begin() + static_cast<std::ptrdiff_t>(end));
      ASSERT_EQ(peaks.largest(begin, end), expected) << size << " " << begin << " " << end;
    }
  }
}

TEST(Peaks, IgnoresAnEmptyRange) {
  Peaks peaks(3);

  peaks.add(1, 1, 5);
  peaks.add(2, 1, 5);

  EXPECT_EQ(peaks.largest(0, 3), 0);
}

}  // namespace
}  // namespace damocles::peaks_test
