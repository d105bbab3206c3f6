#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace damocles {

/// Lists of entries, one a row, one after the other: those of row r are entries[begin[r]] to
/// entries[begin[r + 1]].
template <typename Offset, typename Entry>
struct CompressedRows {
  std::vector<Offset> begin;   ///< shape (rows + 1)
  std::vector<Entry> entries;  ///< of one row in the order in which they came
};

/// Sorts entries into rows by counting. O(rows + entries).
///
/// @param for_each  calls its argument with (row, entry) for each entry, row < rows; twice, and
/// both
///                  times the same
template <typename Offset, typename Entry, typename ForEach>
[[nodiscard]] CompressedRows<Offset, Entry> compressed_rows(std::size_t rows, ForEach&& for_each) {
  CompressedRows<Offset, Entry> result{std::vector<Offset>(rows + 1, 0), {}};
  for_each([&](std::size_t row, const Entry&) { ++result.begin[row + 1]; });
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  std::vector<Offset> next(result.begin.begin(), result.begin.end() - 1);
  result.entries.resize(result.begin.back());
  for_each([&](std::size_t row, const Entry& entry) { result.entries[next[row]++] = entry; });
  return result;
}

}  // namespace damocles
