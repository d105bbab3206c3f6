#include "models/nrrp_partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace damocles {
namespace {

constexpr std::size_t searched = 6;  // processors that share a rectangle of which each cut is tried

/// A rectangle in blocks, before rounding.
struct Box {
  double first_row = 0;
  double last_row = 0;
  double first_column = 0;
  double last_column = 0;

  [[nodiscard]] double rows() const { return last_row - first_row; }
  [[nodiscard]] double columns() const { return last_column - first_column; }
};

/// How a rectangle is shared among the processors [first, last), which go from fast to slow.
struct Cut {
  bool corner = false;    // the first takes the L around the square of the others
  std::size_t split = 0;  // else [first, split) take the upper or left part
  double cost = std::numeric_limits<double>::infinity();
};

class Partition {
 public:
  Partition(const Workload& workload, std::span<const double> shares)
      : zones_(shares.size()), order_(shares.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
    const auto height = static_cast<double>(workload.extent(0));
    const auto width = static_cast<double>(workload.extent(1));
    sums_.push_back(0);
    for (const std::size_t processor : order_) {
      areas_.push_back(shares[processor] * height * width);
      sums_.push_back(sums_.back() + areas_.back());
    }
    share(0, shares.size(), {0, height, 0, width});
  }

  [[nodiscard]] std::vector<Zone> zones() && { return std::move(zones_); }

 private:
  [[nodiscard]] double area(std::size_t first, std::size_t last) const {
    return sums_[last] - sums_[first];
  }

  /// What [first, last) read at least, in blocks, in a rectangle whose shorter side is `side`: no
  /// zone is a square that does not fit.
  [[nodiscard]] double at_least(std::size_t first, std::size_t last, double side) const {
    double result = 0;
    for (std::size_t k = first; k < last; ++k) {
      const double root = std::sqrt(areas_[k]);
      result += root <= side ? 2 * root : side + areas_[k] / side;
    }
    return result;
  }

  /// What [first, last) read when they share a rectangle of these sides: searched where they are
  /// few, else estimated.
  [[nodiscard]] double cost(std::size_t first, std::size_t last, double a, double b) const {
    if (last - first == 1) return a + b;
    if (last - first > searched) return at_least(first, last, std::min(a, b));
    return cheapest(first, last, a, b).cost;
  }

  void try_split(std::size_t first, std::size_t split, std::size_t last, double a, double b,
                 Cut& best) const {
    const double shorter = std::min(a, b);
    const double longer = std::max(a, b);
    const double there = longer * (area(first, split) / area(first, last));
    if (at_least(first, split, std::min(shorter, there)) +
            at_least(split, last, std::min(shorter, longer - there)) >=
        best.cost) {
      return;
    }
    const double whole =
        cost(first, split, there, shorter) + cost(split, last, longer - there, shorter);
    if (whole < best.cost) best = {false, split, whole};
  }

  void try_corner(std::size_t first, std::size_t last, double a, double b, Cut& best) const {
    const double side = std::sqrt(area(first + 1, last));
    if (side >= std::min(a, b)) return;
    if (a + b + at_least(first + 1, last, side) >= best.cost) return;
    const double whole = a + b + cost(first + 1, last, side, side);
    if (whole < best.cost) best = {true, first + 1, whole};
  }

  /// The first split after `first` that leaves at least this fraction of the area before it.
  [[nodiscard]] std::size_t split_at(std::size_t first, std::size_t last, double fraction) const {
    const double wanted = sums_[first] + fraction * area(first, last);
    const auto begin = sums_.begin() + static_cast<std::ptrdiff_t>(first) + 1;
    const auto end = sums_.begin() + static_cast<std::ptrdiff_t>(last);
    const auto found = std::lower_bound(begin, end, wanted);
    return std::min(static_cast<std::size_t>(found - sums_.begin()), last - 1);
  }

  [[nodiscard]] Cut cheapest(std::size_t first, std::size_t last, double a, double b) const {
    Cut best;
    if (last - first <= searched) {
      for (std::size_t split = first + 1; split < last; ++split) {
        try_split(first, split, last, a, b, best);
      }
    } else {
      for (const double fraction : {1.0 / 3, 0.5}) {
        try_split(first, split_at(first, last, fraction), last, a, b, best);
      }
    }
    try_corner(first, last, a, b, best);
    return best;
  }

  void share(std::size_t first, std::size_t last, const Box& box) {
    Zone& zone = zones_[order_[first]];
    if (last - first == 1) {
      zone = Zone(on_grid(box));
      return;
    }
    const Cut cut = cheapest(first, last, box.rows(), box.columns());
    if (cut.corner) {
      const double side = std::sqrt(area(first + 1, last));
      const Box square{box.last_row - side, box.last_row, box.last_column - side, box.last_column};
      const Rectangle hole = on_grid(square);
      zone = Zone(on_grid(box));
      if (!hole.empty()) {
        zone.hole_row = hole.first_row;
        zone.hole_column = hole.first_column;
      }
      share(first + 1, last, square);
      return;
    }
    const double part = area(first, cut.split) / area(first, last);
    Box before = box;
    Box after = box;
    if (box.rows() >= box.columns()) {
      before.last_row = after.first_row = box.first_row + part * box.rows();
    } else {
      before.last_column = after.first_column = box.first_column + part * box.columns();
    }
    share(first, cut.split, before);
    share(cut.split, last, after);
  }

  /// A boundary that two boxes share is one number, so it falls on one line of the grid for both.
  static Rectangle on_grid(const Box& box) {
    const auto line = [](double at) {
      return static_cast<std::uint64_t>(std::max(0LL, std::llround(at)));
    };
    return {line(box.first_row), line(box.last_row), line(box.first_column), line(box.last_column)};
  }

  std::vector<Zone> zones_;
  std::vector<std::size_t> order_;  // of processors, from fast to slow; what follows is in it
  std::vector<double> areas_;       // in blocks
  std::vector<double> sums_;        // of the areas before each
};

}  // namespace

std::vector<Zone> nrrp_partition(const Workload& workload,
                                 std::span<const double> relative_speeds) {
  return Partition(workload, relative_speeds).zones();
}

}  // namespace damocles
