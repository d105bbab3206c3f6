#pragma once

#include <cstdint>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles {

/// Tasks in two parts, and how good that is.
struct Bisection {
  std::vector<std::uint32_t> side;  ///< 0 or 1 for each task, shape (m)
  std::uint64_t cut_bytes = 0;      ///< of the data that both parts read
  double excess = 0;  ///< flops of a part beyond what it may have, over all flops [1]; at best 0

  /// Nearer to balance, or as near and with a smaller cut.
  [[nodiscard]] bool better_than(const Bisection& other) const {
    return excess != other.excess ? excess < other.excess : cut_bytes < other.cut_bytes;
  }
};

/// What the two parts of a bisection are to have.
struct Balance {
  double share = 0.5;       ///< of the flops for part 0 [1], in (0, 1)
  double imbalance = 1.01;  ///< a part may have so many times what it is to have [1], at least 1
};

/// How a task counts in the balance: by its flops, or all alike where none has any.
[[nodiscard]] std::vector<double> task_weights(const TaskGraph& graph);

/// Whether tasks of both parts read a data item.
[[nodiscard]] bool reads_both(const TaskGraph& graph, const std::vector<std::uint32_t>& side,
                              TaskGraph::Index data);

/// The parts judged. @param side  0 or 1 for each task, shape (m)
[[nodiscard]] Bisection judged(const TaskGraph& graph, std::vector<std::uint32_t> side,
                               const Balance& balance);

/// The best cut of some orders of the tasks into a head and a tail: sorted by their last input, by
/// their last but one, and so on; in reverse Cuthill-McKee order; as submitted. Every place to cut
/// is looked at, that within the balance which cuts the fewest bytes is taken, else that nearest to
/// balance; of equal ones that of the first order, and there the first.
///
/// Where data are rows and columns this finds the bands that cut each row, or each column, once;
/// Zoltan does not find them.
///
/// O((edges + m log m) times the orders).
[[nodiscard]] Bisection clean_split(const TaskGraph& graph, const Balance& balance);

}  // namespace damocles
