#pragma once

#include <cstddef>
#include <vector>

#include "models/platforms/durations.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// Kinds of tasks beside kinds of processors: what the area bound is about.
struct Areas {
  std::vector<double> processors;  ///< m_q of each kind, > 0, shape (Q)
  /// What all tasks of a kind take together on one processor of a kind, t_kq [s], > 0; infinite
  /// where it cannot run them. Each kind of tasks runs somewhere. Shape (K), of shape (Q)
  std::vector<std::vector<double>> times;
};

/// What a second of each kind of processors is worth, where tasks are split among them so that the
/// last is done as soon as it can: the optimal y of
///
///   maximise sum_k min_q t_kq y_q,  over y_q >= 0 with sum_q m_q y_q = 1,
///
/// the dual of the area bound's linear program
///
///   minimise T,  where x_kq >= 0, sum_q x_kq = 1 of each k, sum_k t_kq x_kq <= m_q T of each q.
///
/// The simplex method on that program, from all tasks of a kind where they take least; it stops, as
/// its pivots are chosen by Bland's rule. Time O(K Q (K + Q)) a pivot.
///
/// @return  y, shape (Q); to rounding
/// Source: Agullo, Beaumont, Eyraud-Dubois, Herrmann, Kumar, Marchal & Thibault, "Bridging the Gap
/// between Performance and Bounds of Cholesky Factorization on Heterogeneous Platforms", HCW 2015
/// (the area bound); Bland, "New Finite Pivoting Rules for the Simplex Method", 1977.
[[nodiscard]] std::vector<double> dual_prices(const Areas& areas);

/// The area bound: no schedule of the tasks ends sooner, whoever runs which [s].
///
/// For any y_q >= 0: a schedule that ends at T has at most m_q T seconds of the processors of kind
/// q, worth at most T sum_q m_q y_q. Each task takes at least min_q t_q y_q of that, over those
/// kinds that run it. So
///
///   T >= sum over tasks of min_q t_q y_q / sum_q m_q y_q,
///
/// whatever y is, and whatever each task takes. The y taken is the best one for tasks that each
/// take the mean of their kind (dual_prices()), or that in proportion to the rates, whichever
/// gives more: so rounding within the linear program costs no more than tightness. Where all tasks
/// of a kind take the same times, up to a factor of each task, it is the linear program's optimum.
[[nodiscard]] double area_bound_s(const TaskGraph& graph, const Durations& durations);

}  // namespace damocles
