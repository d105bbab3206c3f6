#include "orders/pivot_blocks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "orders/disjoint_sets.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
using Panels = std::vector<std::vector<Index>>;
constexpr Index no_data = Pivots::none;

/// A pivot and the two lines it lies on, by number.
struct Point {
  Index row;
  Index column;
  Index pivot;
};

struct PivotGrid {
  std::vector<Point> points;
  std::vector<Index> others;  // pivots on no line
  std::size_t rows = 0;
  std::size_t columns = 0;
  bool symmetric = false;  // rows and columns are the same lines
};

/// What streams past the pivot in a task: how many data items, and the first two of them.
std::pair<std::size_t, std::array<Index, 2>> streams(const TaskGraph& graph, Index task,
                                                     Index pivot) {
  std::pair<std::size_t, std::array<Index, 2>> result{0, {no_data, no_data}};
  for (const Index data : graph.inputs(task)) {
    if (data == pivot) continue;
    if (result.first < 2) result.second[result.first] = data;
    ++result.first;
  }
  return result;
}

/// Replaces lines, named by their lowest data, by their numbers in that order.
std::size_t number(std::vector<Point>& points, Index Point::*line) {
  std::vector<Index> names;
  for (const Point& point : points) names.push_back(point.*line);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (Point& point : points) {
    point.*line = static_cast<Index>(std::lower_bound(names.begin(), names.end(), point.*line) -
                                     names.begin());
  }
  return names.size();
}

/// Rows and columns share lines: they get common numbers.
void number_together(PivotGrid& grid) {
  std::vector<Point> both = grid.points;
  for (const Point& point : grid.points) both.push_back({point.column, point.row, point.pivot});
  grid.rows = grid.columns = number(both, &Point::row);
  const std::size_t count = grid.points.size();
  for (std::size_t i = 0; i < count; ++i) {
    grid.points[i].column = both[count + i].row;
    grid.points[i].row = both[i].row;
  }
}

/// The lines that data lie on, and what streams past each pivot.
struct Lines {
  explicit Lines(std::size_t data)
      : sets(data),
        pair(data, {no_data, no_data}),
        alone(data, no_data),
        on_line(data),
        is_pivot(data) {}

  DisjointSets sets;
  std::vector<std::array<Index, 2>> pair;  // past each pivot
  std::vector<Index> alone;                // data that streams alone past each pivot
  std::vector<bool> on_line;
  std::vector<bool> is_pivot;
};

/// Nothing where more than two data items stream past a pivot together.
std::optional<Lines> lines_of(const TaskGraph& graph, const Pivots& pivots) {
  Lines lines(graph.data());
  for (Index task = 0; task < graph.tasks(); ++task) {
    const Index pivot = pivots.of_task[task];
    if (pivot == no_data) continue;
    lines.is_pivot[pivot] = true;
    const auto [count, pair] = streams(graph, task, pivot);
    if (count > 2) return std::nullopt;
    if (count == 1 && lines.alone[pivot] == no_data) lines.alone[pivot] = pair[0];
    if (count < 2) continue;
    if (lines.pair[pivot][0] == no_data) lines.pair[pivot] = pair;
    for (const std::size_t side : {0U, 1U}) {
      lines.sets.join(lines.pair[pivot][side], pair[side]);
      lines.on_line[pair[side]] = true;
    }
  }
  return lines;
}

/// The pivots as points; lines are named by their lowest data.
PivotGrid place(Lines& lines) {
  PivotGrid grid;
  std::vector<bool> is_row(lines.pair.size(), false);
  for (Index x = 0; x < lines.pair.size(); ++x) {
    if (!lines.is_pivot[x]) continue;
    const auto [first, second] = lines.pair[x];
    const Index alone = lines.alone[x];
    if (first != no_data) {
      grid.points.push_back({lines.sets.root(first), lines.sets.root(second), x});
      is_row[grid.points.back().row] = true;
    } else if (alone != no_data && lines.on_line[alone]) {
      grid.points.push_back({lines.sets.root(alone), lines.sets.root(alone), x});
    } else {
      grid.others.push_back(x);
    }
  }
  for (const Point& point : grid.points) grid.symmetric |= is_row[point.column];
  return grid;
}

std::optional<PivotGrid> grid_of(const TaskGraph& graph, const Pivots& pivots) {
  auto lines = lines_of(graph, pivots);
  if (!lines) return std::nullopt;
  PivotGrid grid = place(*lines);
  if (grid.points.size() < 2) return std::nullopt;
  if (grid.symmetric) {
    number_together(grid);
    // Rows i and j stream past one pivot, whichever comes first.
    for (Point& point : grid.points) {
      if (point.row < point.column) std::swap(point.row, point.column);
    }
  } else {
    grid.rows = number(grid.points, &Point::row);
    grid.columns = number(grid.points, &Point::column);
  }
  std::sort(grid.points.begin(), grid.points.end(), [](const Point& a, const Point& b) {
    return std::tie(a.row, a.column, a.pivot) < std::tie(b.row, b.column, b.pivot);
  });
  const auto same = [](const Point& a, const Point& b) {
    return a.row == b.row && a.column == b.column;
  };
  const bool simple =
      std::adjacent_find(grid.points.begin(), grid.points.end(), same) == grid.points.end();
  return simple ? std::optional(std::move(grid)) : std::nullopt;
}

/// Blocks of `height` x `width` points, or what is left of them at the edges, in a snake.
Panels cut(const PivotGrid& grid, std::size_t height, std::size_t width) {
  std::map<std::pair<std::size_t, std::ptrdiff_t>, std::vector<Index>> blocks;
  for (const Point& point : grid.points) {
    const std::size_t down = point.row / height;
    const auto across = static_cast<std::ptrdiff_t>(point.column / width);
    blocks[{down, down % 2 == 0 ? across : -across}].push_back(point.pivot);
  }
  Panels panels;
  for (auto& [place, pivots] : blocks) panels.push_back(std::move(pivots));
  return panels;
}

std::size_t parts(std::size_t whole, std::size_t part) { return (whole + part - 1) / part; }

}  // namespace

std::vector<Panels> pivot_blocks(const TaskGraph& graph, const Pivots& pivots,
                                 std::uint64_t memory_bytes) {
  std::vector<Panels> result;
  const auto grid = grid_of(graph, pivots);
  if (!grid) return result;
  std::uint64_t largest = 1;
  for (const std::uint64_t bytes : graph.parts().bytes) largest = std::max(largest, bytes);
  // In data; no block needs more than all there are, and memory may be unlimited.
  const auto room = static_cast<std::size_t>(
      std::min<std::uint64_t>(memory_bytes / largest, 2 * graph.data() + 3));
  if (room < 3) return result;
  // A square of side s takes s^2 + s + 1 data items.
  const auto side =
      static_cast<std::size_t>((std::sqrt(static_cast<double>(4 * room - 3)) - 1) / 2);
  const std::size_t fewest = parts(grid->rows, side);
  for (std::size_t count = fewest; count <= fewest + 2 && count <= grid->rows; ++count) {
    const std::size_t height = parts(grid->rows, count);
    // The shorter side streams whole: height width + min(height, width) + 1 data items.
    const std::size_t most = std::max<std::size_t>(
        1, (room - 1 - std::min(height, room - 2)) / std::max<std::size_t>(1, height));
    const std::size_t width =
        grid->symmetric ? height : parts(grid->columns, parts(grid->columns, most));
    Panels panels = cut(*grid, height, width);
    for (std::size_t at = 0; at < grid->others.size(); at += room - 2) {
      const auto begin = grid->others.begin() + static_cast<std::ptrdiff_t>(at);
      const std::size_t size = std::min(room - 2, grid->others.size() - at);
      panels.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
    }
    if (result.empty() || result.back() != panels) result.push_back(std::move(panels));
  }
  return result;
}

}  // namespace damocles
