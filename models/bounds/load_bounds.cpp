#include "models/bounds/load_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "models/error.hpp"

namespace damocles {
namespace {

using Count = std::uint64_t;

/// The smallest x >= from for which a condition that stays true once true holds.
template <typename Condition>
Count smallest(Count from, Condition&& holds) {
  if (holds(from)) return from;
  Count step = 1;
  while (!holds(from + step)) step *= 2;
  Count below = from + step / 2;  // does not hold, or is `from`
  Count at = from + step;
  while (at - below > 1) {
    const Count middle = below + (at - below) / 2;
    (holds(middle) ? at : below) = middle;
  }
  return at;
}

void raise_bound(LoadBound& bound, Count loads, std::string_view argument) {
  if (loads > bound.loads) bound = {loads, argument};
}

/// C(L): others that L loads find in a memory of k + 1 data items, all in all.
Count others(Count loads, Count k) {
  if (loads <= k) return loads * (loads - std::min<Count>(loads, 1)) / 2;
  return k * (k + 1) / 2 + (loads - k - 1) * k;
}

/// T(L): most pairs of a two-sided graph in which each of L nodes has at most k earlier ones.
Count two_sided_pairs(Count loads, Count k) {
  return loads < 2 * k ? loads * loads / 4 : k * (loads - k);
}

/// The least sum of g (g - 1) / 2 over `loads` integers g that sum to `pairs`.
Count least_ranks(Count pairs, Count loads) {
  const Count quotient = pairs / loads;
  const Count rest = pairs % loads;
  return loads * (quotient * (quotient - std::min<Count>(quotient, 1)) / 2) + rest * quotient;
}

/// Most tasks of the 3D product with y data: max sqrt(abc), a + b + c = y.
Count box_tasks(Count y) {
  const std::array<Count, 3> sides{y / 3, (y + 1) / 3, (y + 2) / 3};
  const auto root = std::sqrt(static_cast<double>(sides[0]) * static_cast<double>(sides[1]) *
                              static_cast<double>(sides[2]));
  // Rounding must not lose a task: one too many only weakens the bound.
  return static_cast<Count>(root * (1 + 8 * std::numeric_limits<double>::epsilon()));
}

/// Most triangles in a graph of y edges.
Count triangles(Count y) {
  auto a = static_cast<Count>((1 + std::sqrt(1 + 8 * static_cast<double>(y))) / 2);
  while (a * (a - 1) / 2 > y) --a;
  while (a * (a + 1) / 2 <= y) ++a;
  const Count b = y - a * (a - 1) / 2;
  const Count c2 = b * (b - std::min<Count>(b, 1)) / 2;
  return a < 3 ? c2 : a * (a - 1) * (a - 2) / 6 + c2;
}

/// The largest q X + F^-1(tasks - q F(M + X)); each (X, q) is a bound, so those tried may be few.
template <typename TasksOf>
Count segment_bound(Count tasks, Count memory, TasksOf&& tasks_of) {
  const auto data_for = [&](Count wanted) {
    return smallest(0, [&](Count y) { return tasks_of(y) >= wanted; });
  };
  Count best = data_for(tasks);
  const Count step = std::max<Count>(1, memory / 32);
  for (Count x = step; x <= 5 * memory; x += step) {
    const Count a_run = tasks_of(memory + x);
    if (a_run == 0) continue;
    Count runs = tasks / a_run;
    Count here = 0;
    for (;; --runs) {
      const Count bound = runs * x + data_for(tasks - runs * a_run);
      if (bound < here || runs == 0) break;
      here = bound;
    }
    best = std::max(best, here);
  }
  return best;
}

void require_inputs(Count memory, Count inputs) {
  if (memory >= inputs) return;
  throw InvalidInput(fmt::format("a memory of {} data for tasks that read {}; give at least {}",
                                 memory, inputs, inputs));
}

/// Layers of m x n tasks that share nothing but `others` data, each of which is loaded once.
LoadBound layers_load_bound(Count layers, Count m, Count n, Count others, Count memory) {
  LoadBound bound = grid_load_bound(m, n, memory);
  bound.loads = layers * bound.loads + others;
  return bound;
}

void require_extents(Count a, Count b, Count c) {
  if (a > 0 && b > 0 && c > 0) return;
  throw InvalidInput("a product with an extent of 0 tiles; give at least 1 of each");
}

}  // namespace

LoadBound pair_load_bound(const PairCounts& counts, std::uint64_t memory) {
  LoadBound bound{counts.data};
  if (counts.pairs == 0) return bound;
  require_inputs(memory, 2);
  const Count k = memory - 1;
  raise_bound(bound,
              smallest(1,
                       [&](Count loads) {
                         return (counts.two_sided ? two_sided_pairs(loads, k) : others(loads, k)) >=
                                counts.pairs;
                       }),
              "residence");
  if (!counts.two_sided) return bound;
  raise_bound(bound,
              smallest(1,
                       [&](Count loads) {
                         const Count ranks = least_ranks(counts.pairs, loads);
                         return others(loads, k) >=
                                counts.pairs + (ranks + counts.degree - 1) / counts.degree;
                       }),
              "charging");
  return bound;
}

LoadBound grid_load_bound(std::uint64_t m, std::uint64_t n, std::uint64_t memory,
                          std::uint64_t tasks) {
  require_extents(m, n, 1);
  if (tasks == 0) tasks = m * n;
  if (tasks > m * n) {
    throw InvalidInput(
        fmt::format("{} tasks of a grid of {} x {}; at most {}", tasks, m, n, m * n));
  }
  const auto [narrow, wide] = std::minmax(m, n);
  Count data = narrow + wide;
  for (Count a = 1; a <= narrow; ++a) {
    const Count b = (tasks + a - 1) / a;
    if (b <= wide) data = std::min(data, a + b);
  }
  return pair_load_bound({data, tasks, wide, true}, memory);
}

LoadBound matrix_load_bound(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t memory,
                            ReadsC reads_c) {
  require_extents(m, n, k);
  if (reads_c == ReadsC::no || (reads_c == ReadsC::later && k == 1)) {
    return layers_load_bound(k, m, n, 0, memory);
  }
  require_inputs(memory, 3);
  if (reads_c == ReadsC::later) {
    LoadBound bound = matrix_load_bound(m, n, k - 1, memory, ReadsC::yes);
    bound.loads += grid_load_bound(m, n, memory).loads;
    return bound;
  }
  if (reads_c == ReadsC::made) {
    const LoadBound pairs = layers_load_bound(k, m, n, 0, memory);
    LoadBound bound = matrix_load_bound(m, n, k, memory, ReadsC::later);
    bound.loads -= std::min(bound.loads, m * n);
    return pairs.loads > bound.loads ? pairs : bound;
  }
  LoadBound bound = layers_load_bound(k, m, n, m * n, memory);
  for (const LoadBound& other :
       {layers_load_bound(m, k, n, k * n, memory), layers_load_bound(n, m, k, m * k, memory)}) {
    raise_bound(bound, other.loads, other.argument);
  }
  raise_bound(bound, segment_bound(m * n * k, memory, box_tasks), "segments");
  return bound;
}

LoadBound cholesky_load_bound(std::uint64_t n, std::uint64_t memory) {
  require_extents(n, 1, 1);
  require_inputs(memory, std::min<Count>(n, 3));
  LoadBound bound{n * (n + 1) / 2};
  if (n >= 3)
    raise_bound(bound, segment_bound(n * (n - 1) * (n - 2) / 6, memory, triangles), "segments");
  return bound;
}

}  // namespace damocles
