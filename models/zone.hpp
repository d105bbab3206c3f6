#pragma once

#include <cstdint>

#include "models/column_partition.hpp"

namespace damocles {

/// What one processor computes of an outer product under a static partition: a rectangle of tasks,
/// without the corner that is last in both dimensions: the tasks (i, j) with i >= hole_row and
/// j >= hole_column are somebody else's. The L that is left reads every row and column of the
/// rectangle, as the whole of it does.
struct Zone {
  Rectangle around;
  std::uint64_t hole_row = 0;  // in [around.first_row, around.last_row], the last where no hole is
  std::uint64_t hole_column = 0;  // likewise

  Zone() = default;
  Zone(const Rectangle& rectangle)  // NOLINT(google-explicit-constructor): a zone without a hole
      : around(rectangle), hole_row(rectangle.last_row), hole_column(rectangle.last_column) {}

  /// The first column of row i, a row of `around`, that is not in the zone.
  [[nodiscard]] std::uint64_t last_column(std::uint64_t i) const {
    return i < hole_row ? around.last_column : hole_column;
  }
  /// Where the rows end of which a task is in the zone; the first is around.first_row.
  [[nodiscard]] std::uint64_t rows_end() const {
    return hole_column > around.first_column && around.columns() > 0 ? around.last_row : hole_row;
  }
  /// Where the columns end of which a task is in the zone; the first is around.first_column.
  [[nodiscard]] std::uint64_t columns_end() const {
    return hole_row > around.first_row && around.rows() > 0 ? around.last_column : hole_column;
  }
  [[nodiscard]] std::uint64_t tasks() const {
    return around.rows() * around.columns() -
           (around.last_row - hole_row) * (around.last_column - hole_column);
  }
  /// What it reads, a_i and b_j; 0 where no task is in it.
  [[nodiscard]] std::uint64_t data() const {
    if (tasks() == 0) return 0;
    return (rows_end() - around.first_row) + (columns_end() - around.first_column);
  }
};

}  // namespace damocles
