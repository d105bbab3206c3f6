#pragma once

#include <string_view>

#include "models/bounds/load_bounds.hpp"
#include "models/bounds/loaded_work.hpp"
#include "models/platforms/platform.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// A lower bound on the makespan of any schedule, and what proves it.
struct MakespanBound {
  double seconds = 0;
  /// compute, area, longest task, bus, progress, critical path or work
  std::string_view argument = "compute";
};

/// Lower bound on the makespan of any schedule of the graph's tasks on the machine, whatever the
/// order, the eviction, the split among processors and the prefetching: the largest of five, all
/// for an empty memory at time 0, buses b that carry at most B_b bytes a second and nothing before
/// the first latency l is over, and a processor k that runs one task at a time in flops / r_k
/// seconds after all its inputs came over its bus and its link of L_k, of at most
/// C_k = min(B_b, L_k), one copy after the other, each of which first waits l: a load takes at
/// least t_k = l + size / C_k of k's stream, so by a time u at most u / t_k have come to k, and
/// u sum 1 / t_k in all; and no more than B = sum_b min(B_b, sum L_k of those on b) bytes a second.
/// W: all flops, R: sum of r_k.
///
/// compute. No task starts before its inputs have come: s = l + (least inputs) / max C_k.
///   T >= s + W / R.
/// area. Where times are not in proportion to rates, T >= s + area_s for what area_bound_s() says.
/// longest task. T >= l + inputs / max C_k + flops / max r_k, of each task.
/// bus. At least L loads arrive before the last task starts, and what is written back travels too:
///   T >= max(l + L size / B, L / sum 1 / t_k) + (least flops) / max r_k,
///   T >= l + (L size + outputs) / sum B_b.
/// progress. At a time u, x loads have arrived in all, x_k at processor k. What it has computed by
///   then has inputs that came with them, at most F(x_k) flops (LoadedWork), and took no longer
///   than u - s; after u it computes at most r_k (T - u):
///     W <= P(u) + R (T - u),  P(u) = max sum_k min(F(x_k), F(u / t_k), r_k (u - s)),
///     sum_k x_k <= x, since work before u is on loads that came before u, and x + 1 loads have not
///     come before max(l + (x + 1) size / B, (x + 1) / sum 1 / t_k).
///   So T >= u + (W - P(u)) / R for all u with P(u) < W (were T < u, then W <= P(T) <= P(u)).
///   The maximum: let c_1 >= c_2 >= ... be the caps on what each computes. The loads that work w
///   takes, F^-1(w), are concave, so of all vectors below those caps and of one sum, the one that
///   fills the caps in their order takes the fewest (it majorises the others; Schur). Filling until
///   x is used up hence gives P(u), in closed form for a 2D product of n x n tasks of t seconds, at
///   u = T and with unlimited memory: the least T with (size / B) sum 2 sqrt(x_k) <= T,
///   x_k <= T / t, sum x_k = n^2. At small u it is the start-up, about (16 / 27) K^2 tau^2 / t for
///   K >> 1 equal processors and tau = size / B: each needs data of its own before it can keep
///   going.
/// Where every task has an output to write back, the smallest travels after the last task:
///   + l + output / max C_k, to all but the second form of bus.
///
/// Where sizes differ, x counts loads of the smallest, and L size is what must be loaded once.
/// Memories are all taken to be as large as the largest. The model is without noise: where
/// durations may be as short as a share q of flops / r_k, pass r_k / q.
///
/// @param work   F, for the largest memory
/// @param loads  lower bound on the loads of any schedule, L
/// @param area_s  [s], of the same tasks; 0: none is known
[[nodiscard]] MakespanBound makespan_bound(const TaskGraph& graph, const MachineModel& machine,
                                           const LoadedWork& work, const LoadBound& loads,
                                           double area_s = 0);

}  // namespace damocles
