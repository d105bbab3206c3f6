#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/workload.hpp"

namespace damocles {

/// Tasks (i, j) of an outer product with first_row <= i < last_row, first_column <= j <
/// last_column.
struct Rectangle {
  std::uint64_t first_row = 0;
  std::uint64_t last_row = 0;
  std::uint64_t first_column = 0;
  std::uint64_t last_column = 0;

  [[nodiscard]] std::uint64_t rows() const { return last_row - first_row; }
  [[nodiscard]] std::uint64_t columns() const { return last_column - first_column; }
  [[nodiscard]] bool empty() const { return rows() == 0 || columns() == 0; }
  /// What it reads, a_i and b_j: half its perimeter, 0 where it is empty.
  [[nodiscard]] std::uint64_t data() const { return empty() ? 0 : rows() + columns(); }
};

/// Cuts the grid of an outer product into one rectangle a processor, areas as the relative speeds,
/// arranged in columns (across the cheaper side where m != n) with the smallest sum of
/// half-perimeters that such an arrangement has; then rounds the cumulative widths and heights to
/// whole blocks, so that the rectangles tile the grid whatever the speeds. A processor may get
/// none.
///
/// At most 7/4 of the lower bound before rounding. O(p^2) time, O(p) memory.
///
/// @param workload         of two dimensions
/// @param relative_speeds  shape (p), each > 0, sums to 1
/// @return                 shape (p)
/// Source: Beaumont, Boudet, Rastello, Robert, Algorithmica 34 (2002), PERI-SUM, column-based
/// heuristic; HPDC'14 [2]. Checked by tests/models/column_partition_test.cpp.
[[nodiscard]] std::vector<Rectangle> column_partition(const Workload& workload,
                                                      std::span<const double> relative_speeds);

}  // namespace damocles
