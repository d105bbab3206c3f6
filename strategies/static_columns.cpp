#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// Tasks (i, j) with first_row <= i < last_row and first_column <= j < last_column.
struct Rectangle {
  std::uint64_t first_row = 0;
  std::uint64_t last_row = 0;
  std::uint64_t first_column = 0;
  std::uint64_t last_column = 0;
};

/// Cuts the rows x columns grid into one rectangle a processor, of the areas `shares`, arranged in
/// columns, with the smallest sum of half-perimeters such an arrangement has.
struct ColumnPartition {
  double half_perimeters = 0;
  std::vector<std::vector<std::size_t>> columns;  // processors, by column
};

/// Dynamic programme over the shares in ascending order: a column of q processors and total share w
/// costs q w columns + rows.
ColumnPartition cheapest_columns(const std::vector<double>& shares, double rows, double columns) {
  const std::size_t p = shares.size();
  std::vector<std::size_t> order(p);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shares[a] < shares[b]; });
  std::vector<double> cost(p + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> from(p + 1, 0);
  cost[0] = 0;
  for (std::size_t last = 1; last <= p; ++last) {
    double width = 0;
    for (std::size_t first = last; first-- > 0;) {
      width += shares[order[first]];
      const double candidate =
          cost[first] + static_cast<double>(last - first) * width * columns + rows;
      if (candidate < cost[last]) {
        cost[last] = candidate;
        from[last] = first;
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
std::vector<Rectangle> on_grid(const ColumnPartition& partition, const std::vector<double>& shares,
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

std::vector<Rectangle> partition(const Workload& workload, const std::vector<double>& shares) {
  const std::uint64_t m = workload.extent(0);
  const std::uint64_t n = workload.extent(1);
  const auto upright = cheapest_columns(shares, static_cast<double>(m), static_cast<double>(n));
  const auto across = cheapest_columns(shares, static_cast<double>(n), static_cast<double>(m));
  if (upright.half_perimeters <= across.half_perimeters) return on_grid(upright, shares, m, n);
  auto turned = on_grid(across, shares, n, m);
  for (auto& rectangle : turned) {
    std::swap(rectangle.first_row, rectangle.first_column);
    std::swap(rectangle.last_row, rectangle.last_column);
  }
  return turned;
}

/// The static basis of comparison, which knows every speed: one rectangle a processor, area as its
/// speed, arranged in columns; at most 7/4 of the lower bound before rounding to whole blocks.
///
/// Source: Beaumont, Boudet, Rastello, Robert, Algorithmica 34 (2002), PERI-SUM, column-based
/// heuristic; HPDC'14 [2]. For m != n the columns run along the cheaper side. Drifting speeds
/// (dyn.x) are taken as they are at the start.
class StaticColumns final : public Strategy {
 public:
  explicit StaticColumns(const Setting& setting)
      : workload_(setting.workload),
        rectangles_(partition(setting.workload, setting.platform.relative_speeds())) {}

  void request(ProcessorId processor, Grant& grant) override {
    const Rectangle mine = std::exchange(rectangles_[raw(processor)], {});
    const std::uint64_t width = mine.last_column - mine.first_column;
    if (width == 0 || mine.first_row == mine.last_row) return;
    for (auto i = mine.first_row; i < mine.last_row; ++i) {
      grant.loads.push_back(workload_.data_a(i));
      grant.tasks.add_range(workload_.task(i, mine.first_column), width);
    }
    for (auto j = mine.first_column; j < mine.last_column; ++j) {
      grant.loads.push_back(workload_.data_b(j));
    }
  }

 private:
  const Workload& workload_;
  std::vector<Rectangle> rectangles_;
};

const Register entry{{.name = "static-columns",
                      .source = "Beaumont et al. 2002, PERI-SUM",
                      .summary = "one rectangle a processor, arranged in columns; knows the speeds",
                      .make = make<StaticColumns>,
                      .undefined_on = [](const Workload& workload) {
                        return workload.dimensions() == 2
                                   ? std::string()
                                   : std::string(
                                         "a partition into rectangles is defined for the "
                                         "outer product only; use an outer: workload");
                      }}};

}  // namespace
}  // namespace damocles
