#include "models/cuboid_partition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace damocles {
namespace {

constexpr std::size_t tried = 5;      // processors that share a cuboid of which each cut is tried
constexpr std::size_t followed = 32;  // of which a cut is judged by all that follows

using Sides = std::array<double, 3>;

double faces(const Sides& sides) {
  return sides[0] * sides[1] + sides[1] * sides[2] + sides[2] * sides[0];
}

/// A cuboid in blocks, before rounding.
struct Room {
  Sides first{};
  Sides last{};

  [[nodiscard]] Sides sides() const {
    return {last[0] - first[0], last[1] - first[1], last[2] - first[2]};
  }
};

/// How a cuboid is shared among [first, last), which go from fast to slow: [first, split) take what
/// lies first along the direction.
struct PlaneCut {
  std::size_t direction = 0;
  std::size_t split = 0;
  double cost = std::numeric_limits<double>::infinity();
};

std::size_t longest(const Sides& sides) {
  return static_cast<std::size_t>(std::max_element(sides.begin(), sides.end()) - sides.begin());
}

class Cuboids {
 public:
  Cuboids(const Workload& workload, std::span<const double> shares)
      : cuboids_(shares.size()), order_(shares.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
    const Sides whole{static_cast<double>(workload.extent(0)),
                      static_cast<double>(workload.extent(1)),
                      static_cast<double>(workload.extent(2))};
    sums_.push_back(0);
    for (const std::size_t processor : order_) {
      volumes_.push_back(shares[processor] * whole[0] * whole[1] * whole[2]);
      roots_.push_back(std::cbrt(volumes_.back()));
      sums_.push_back(sums_.back() + volumes_.back());
    }
    share(0, shares.size(), {{}, whole});
  }

  [[nodiscard]] std::vector<Cuboid> cuboids() && { return std::move(cuboids_); }

 private:
  [[nodiscard]] double volume(std::size_t first, std::size_t last) const {
    return sums_[last] - sums_[first];
  }

  /// What [first, last) read at least in a cuboid of these sides: none is a cube that does not fit.
  [[nodiscard]] double at_least(std::size_t first, std::size_t last, Sides sides) const {
    std::sort(sides.begin(), sides.end());
    double result = 0;
    for (std::size_t k = first; k < last; ++k) {
      if (roots_[k] <= sides[0]) {
        result += 3 * roots_[k] * roots_[k];
        continue;
      }
      const double across = volumes_[k] / sides[0];
      result += across <= sides[1] * sides[1] ? across + 2 * sides[0] * std::sqrt(across)
                                              : faces({sides[0], sides[1], across / sides[1]});
    }
    return result;
  }

  [[nodiscard]] double cost(std::size_t first, std::size_t last, const Sides& sides) const {
    if (last - first == 1) return faces(sides);
    if (last - first > followed) return at_least(first, last, sides);
    return cheapest(first, last, sides).cost;
  }

  void try_cut(std::size_t direction, std::size_t first, std::size_t split, std::size_t last,
               const Sides& sides, PlaneCut& best) const {
    Sides before = sides;
    before[direction] *= volume(first, split) / volume(first, last);
    Sides after = sides;
    after[direction] -= before[direction];
    if (at_least(first, split, before) + at_least(split, last, after) >= best.cost) return;
    const double whole = cost(first, split, before) + cost(split, last, after);
    if (whole < best.cost) best = {direction, split, whole};
  }

  /// The first split after `first` that leaves at least this fraction of the volume before it.
  [[nodiscard]] std::size_t split_at(std::size_t first, std::size_t last, double fraction) const {
    const double wanted = sums_[first] + fraction * volume(first, last);
    const auto begin = sums_.begin() + static_cast<std::ptrdiff_t>(first) + 1;
    const auto end = sums_.begin() + static_cast<std::ptrdiff_t>(last);
    const auto found = std::lower_bound(begin, end, wanted);
    return std::min(static_cast<std::size_t>(found - sums_.begin()), last - 1);
  }

  [[nodiscard]] PlaneCut cheapest(std::size_t first, std::size_t last, const Sides& sides) const {
    PlaneCut best;
    if (last - first > tried) {
      for (const double fraction : {0.5, 1.0 / 3}) {
        try_cut(longest(sides), first, split_at(first, last, fraction), last, sides, best);
      }
      return best;
    }
    for (std::size_t split = first + 1; split < last; ++split) {
      for (std::size_t direction = 0; direction < sides.size(); ++direction) {
        try_cut(direction, first, split, last, sides, best);
      }
    }
    return best;
  }

  void share(std::size_t first, std::size_t last, const Room& room) {
    if (last - first == 1) {
      cuboids_[order_[first]] = on_grid(room);
      return;
    }
    const Sides sides = room.sides();
    const PlaneCut cut = cheapest(first, last, sides);
    const double part = volume(first, cut.split) / volume(first, last);
    Room before = room;
    Room after = room;
    before.last[cut.direction] = after.first[cut.direction] =
        room.first[cut.direction] + part * sides[cut.direction];
    share(first, cut.split, before);
    share(cut.split, last, after);
  }

  /// A boundary that two cuboids share is one number, so it falls on one plane of the grid for
  /// both.
  static Cuboid on_grid(const Room& room) {
    Cuboid result;
    for (std::size_t d = 0; d < 3; ++d) {
      result.first[d] = static_cast<std::uint64_t>(std::llround(room.first[d]));
      result.last[d] = static_cast<std::uint64_t>(std::llround(room.last[d]));
    }
    return result;
  }

  std::vector<Cuboid> cuboids_;
  std::vector<std::size_t> order_;  // of processors, from fast to slow; what follows is in it
  std::vector<double> volumes_;     // in blocks
  std::vector<double> roots_;       // their cube roots
  std::vector<double> sums_;        // of the volumes before each
};

}  // namespace

std::vector<Cuboid> cuboid_partition(const Workload& workload,
                                     std::span<const double> relative_speeds) {
  return Cuboids(workload, relative_speeds).cuboids();
}

}  // namespace damocles
