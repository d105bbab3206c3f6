#include "models/column_partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace damocles {
namespace {

/// Which processors share a column of the unit square, before rounding.
struct ColumnPartition {
  double half_perimeters = 0;
  std::vector<std::vector<std::size_t>> columns;  // processors, by column
};

/// Dynamic programme over the shares in ascending order: a column of q processors and total share w
/// costs q w columns + rows. The processors before it cost at least 2 sqrt(share rows columns)
/// each, which ends the search for its first one early.
ColumnPartition cheapest_columns(std::span<const double> shares, double rows, double columns) {
  const std::size_t p = shares.size();
  std::vector<std::size_t> order(p);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shares[a] < shares[b]; });
  std::vector<double> cost(p + 1, std::numeric_limits<double>::infinity());
  std::vector<double> least(p + 1, 0);  // that the first processors cost, whatever their columns
  std::vector<std::size_t> from(p + 1, 0);
  cost[0] = 0;
  for (std::size_t last = 1; last <= p; ++last) {
    least[last] = least[last - 1] + 2 * std::sqrt(shares[order[last - 1]] * rows * columns);
    double width = 0;
    for (std::size_t first = last; first-- > 0;) {
      const double share = shares[order[first]];
      width += share;
      const double column = static_cast<double>(last - first) * width * columns + rows;
      if (cost[first] + column < cost[last]) {
        cost[last] = cost[first] + column;
        from[last] = first;
      }
      // From here on a longer column costs more than those before it can save; the margin is for
      // rounding.
      if (width * columns > 2 * std::sqrt(share * rows * columns) &&
          least[first] + column > cost[last] * (1 + 1e-9)) {
        break;
      }
    }
  }
  ColumnPartition result{cost[p], {}};
  for (std::size_t last = p; last > 0; last = from[last]) {
    result.columns.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(from[last]),
                                order.begin() + static_cast<std::ptrdiff_t>(last));
  }
  return result;
}

/// Where the cumulative fraction `done` of `extent` blocks falls on the grid.
std::uint64_t boundary(double done, std::uint64_t extent) {
  return std::min(extent,
                  static_cast<std::uint64_t>(std::llround(done * static_cast<double>(extent))));
}

/// The partition on whole blocks: cumulative widths and heights are rounded, so that the rectangles
/// tile the grid whatever the shares; a processor may get none.
std::vector<Rectangle> on_grid(const ColumnPartition& partition, std::span<const double> shares,
                               std::uint64_t rows, std::uint64_t columns) {
  std::vector<Rectangle> result(shares.size());
  double width_done = 0;
  for (std::size_t c = 0; c < partition.columns.size(); ++c) {
    const auto& column = partition.columns[c];
    double width = 0;
    for (const std::size_t processor : column) width += shares[processor];
    const std::uint64_t first_column = boundary(width_done, columns);
    width_done = c + 1 == partition.columns.size() ? 1 : width_done + width;
    double height_done = 0;
    for (std::size_t r = 0; r < column.size(); ++r) {
      const std::uint64_t first_row = boundary(height_done, rows);
      height_done = r + 1 == column.size() ? 1 : height_done + shares[column[r]] / width;
      result[column[r]] = {first_row, boundary(height_done, rows), first_column,
                           boundary(width_done, columns)};
    }
  }
  return result;
}

}  // namespace

std::vector<Rectangle> column_partition(const Workload& workload,
                                        std::span<const double> relative_speeds) {
  const std::uint64_t m = workload.extent(0);
  const std::uint64_t n = workload.extent(1);
  const auto height = static_cast<double>(m);
  const auto width = static_cast<double>(n);
  const auto upright = cheapest_columns(relative_speeds, height, width);
  const auto across = cheapest_columns(relative_speeds, width, height);
  if (upright.half_perimeters <= across.half_perimeters) {
    return on_grid(upright, relative_speeds, m, n);
  }
  auto turned = on_grid(across, relative_speeds, n, m);
  for (auto& rectangle : turned) {
    std::swap(rectangle.first_row, rectangle.first_column);
    std::swap(rectangle.last_row, rectangle.last_column);
  }
  return turned;
}

}  // namespace damocles
