#pragma once

#include <span>

#include "models/bounds/makespan_bound.hpp"
#include "models/bounds/shortest_times.hpp"
#include "models/platforms/platform.hpp"
#include "models/task_graph.hpp"

namespace damocles {

/// Lower bound on the makespan from what has to happen before and after each task: its head r and
/// its tail q. Holds for every graph, also where tasks write and wait, and on every machine without
/// noise other than that in `shortest_s`.
///
/// Let C be the best rate between host memory and one processor, B that of all processors together
/// (on the way to host memory, with duplex=true, that of their links), l the latency. Where some
/// processor computes in host memory nothing need move: then nothing below counts a transfer.
///
/// Heads. A data item that is read before it is written comes from host memory: no task that reads
/// it starts before l + size / C. Where processors do not pass data to each other, all such items
/// of one task come over one stream, one after the other: it starts after the sum. It starts after
/// r_j + p_j of each task j that it waits for, p_j being the least that j takes.
/// Tails. Where write-backs count, what a task writes, but temporary data, has to be in host memory
/// at the end, in this version or in one made from it: the run goes on for l + size / C. What
/// nobody writes later leaves over one stream, one after the other, where processors do not pass
/// data to each other. The run goes on for p_j + q_j of each task j that waits for the task.
///
/// critical path. T >= r_i + p_i + q_i.
/// bus. Any set of data items that come from host memory is there after l + bytes / B at the
/// soonest, and
///   after l + size / C of each on one of the m streams. Whoever reads the last of them has its
///   work and its tail before it: T >= that + the least, over the set, of max p_i + q_i over the
///   readers of an item. The best sets are those with the largest tails (Jackson). The same
///   backwards in time, of what goes to host memory and who wrote it. Where both directions share
///   the bus, all bytes do.
/// work. Of tasks S with r_i >= a and q_i >= b, which need sum w_i flops: processor k of rate R_k
///   idles until the first task of S on it may start, and after the last has ended. If j processors
///   run tasks of S, then with the smallest heads and the smallest tails of S, the smallest with
///   the fastest processor,
///     T sum R_k >= sum w_i + sum R_k (r_(k) + q_(k)), both sums over the j fastest,
///   and T is at least the least of that over all j. Where processors do not pass data to each
///   other and each task of S has such items of at least x bytes, the k-th processor to start has
///   waited for k x bytes: r_(k) >= l + k x / B. Where cores compute tasks together: the least
///   head, the least tail and all rates.
///
/// Sources: Jackson 1955 and Carlier 1982 (one machine with heads and tails); Carlier & Pinson,
/// Annals of Operations Research 83, 1998 (several).
///
/// @param shortest_s  what each task takes at least, p [s]
/// @param flops       what it takes at least of the sum of all rates, w [flop], shape (m)
[[nodiscard]] MakespanBound path_bound(const TaskGraph& graph, const MachineModel& machine,
                                       const ShortestTimes& shortest_s,
                                       std::span<const double> flops);

}  // namespace damocles
