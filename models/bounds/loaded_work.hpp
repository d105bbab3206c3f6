#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Most flops that the tasks can have of which every input was in memory at once at some time
/// during the first x loads of a processor: F(x), convex, F(0) = 0. From a memory that is empty at
/// first and holds M data; tasks without inputs are not counted (`free_flops`).
///
/// A table for x = 0, 1, ..., n, and a constant slope beyond. Between whole numbers F is the chord,
/// which lies above what fewer loads allow. Built by the functions below, which hold the proofs.
class LoadedWork {
 public:
  /// @param flops  F at 0, 1, ..., n, convex, F(0) = 0, shape (n + 1)
  /// @param slope  a load's gain beyond, >= the last one in the table
  LoadedWork(std::vector<double> flops, double slope);

  /// F at x loads, x >= 0 [flop].
  [[nodiscard]] double operator()(double loads) const;
  /// The least x >= 0 with F(x) >= flops; infinity where there is none. Concave, 0 at 0.
  [[nodiscard]] double loads_for(double flops) const;

 private:
  std::vector<double> flops_;
  double slope_;
};

/// What tasks that need pairs of data have, all in flops.
struct PairWork {
  std::uint64_t most_partners = 0;  ///< gains of a load are at most so many pairs
  bool two_sided = false;           ///< data have two sides such that each pair has one of each
  double of_pair = 0;               ///< most flops of the tasks that one pair stands for
  double of_data = 0;  ///< most flops of the tasks that read one data item and no other
  double free = 0;     ///< of the tasks that read nothing
};

/// F(x) = of_data x + of_pair P(x), where x loads bring P(x) pairs together at most:
/// with k = min(M - 1, most_partners), k (x - k), or x^2 / 4 for x < 2k (two sides); else
/// kx - k (k + 1) / 2, or x (x - 1) / 2 for x <= k.
///
/// A pair is charged to the later loaded of the two stays that meet first, and once. So a load's
/// gain is at most what it finds in memory, M - 1, and at most the pairs its data is in; the rest
/// is pair_load_bound's argument by residence (models/bounds/load_bounds.hpp). On an m x n grid
/// `most_partners` may be min(m, n): x loads bring a rows and b columns, a + b <= x, hence at most
/// max ab <= k (x - k) tasks for k = min(m, n) <= x / 2; and as P is superadditive (convex, 0 at 0)
/// the same holds for layers that share nothing, in sum.
[[nodiscard]] LoadedWork pair_loaded_work(const PairWork& work, std::uint64_t memory);

/// F(x) = of_data x + of_task S(x), where y data are enough for F0(y) tasks, F0 convex, F0(0) = 0:
/// S(x) = F0(x) for x <= y, and F0(y) + (x - y) F0(M + X) / X beyond.
///
/// Cut the x loads from the end into q runs of X and a first run, which begins with an empty
/// memory: S(x) <= F0(x - qX) + q F0(M + X), as in load_bounds.hpp. Let y be the largest number
/// with F0(y + X) - F0(y) <= F0(M + X) =: aX (at least M). For x >= y choose q such that
/// y <= x - qX < y + X. There F0 lies below its chord, whose slope is at most a:
/// S(x) <= F0(y) + (x - qX - y) a + q a X. Convex, as F0's last step before y is at most that
/// slope. X is the one of those tried with the smallest a.
///
/// @param tasks_of  F0
/// @param of_data   flops that each load brings beside, of tasks with a data item of their own
[[nodiscard]] LoadedWork run_loaded_work(const std::function<double(double)>& tasks_of,
                                         double of_task, double of_data, std::uint64_t memory);

/// F0(y) = (y / 3)^1.5: tasks of the 3D product with C; sqrt(abc) <= (y/3)^1.5 for a + b + c = y
/// (Loomis & Whitney).
[[nodiscard]] double most_box_tasks(double data);
/// F0(y) = sqrt(2) / 3 y^1.5: triangles in a graph of y edges (Kruskal & Katona).
[[nodiscard]] double most_triangles(double edges);

/// PairWork of any graph: a task that reads two data items or more stands for the pair of its first
/// two. Time O(sum over data of the inputs of its users).
[[nodiscard]] PairWork pair_work(const TaskGraph& graph);

}  // namespace damocles
