#pragma once

#include <vector>

#include "orders/planned_schedule.hpp"

namespace damocles {

// Schedules without insertion: a task is placed behind all others of its processor, when these and
// what it is passed allow. All but HLFET look, before each placement, at every ready task on every
// processor, of tasks alike (AppendedSchedule) at one: O(tasks * ready ones not alike * p), which
// is quadratic where tasks that wait for nobody all differ.

/// HLFET: of ready tasks the one of the highest static level (of mean durations) goes first (ties:
/// the lower task), where it starts first; ties: where it ends first, then the lower processor.
/// O(e p).
///
/// The paper knows neither transfers nor processors that differ; with transfers as Kwok & Ahmad,
/// ACM Computing Surveys 1999, have it, and with mean durations.
///
/// @return shape (tasks)
/// Source: Adam, Chandy & Dickson, CACM 1974.
[[nodiscard]] std::vector<Placement> hlfet_schedule(const PlannedGraph& graph);

/// ETF: of all ready tasks and processors the pair goes first that can start first; ties: the
/// higher static level (of mean durations), the lower task, where it ends first, the lower
/// processor.
///
/// The paper's processors are alike; durations count in the levels and the ties alone.
///
/// @return shape (tasks)
/// Source: Hwang, Chow, Anger & Lee, SIAM J. Computing 1989.
[[nodiscard]] std::vector<Placement> etf_schedule(const PlannedGraph& graph);

/// DLS: of all ready tasks and processors the pair of the highest dynamic level goes first,
/// DL(t, k) = level(t) - start(t, k) + (median(t) - duration(t, k)); ties: the lower task, then the
/// lower processor. The median is over all processors, of an even number the mean of the two in the
/// middle; where it is infinite, the longest finite duration. Levels are static, of medians.
///
/// That is DL1 of the paper, without its terms for descendants and scarce resources.
///
/// @return shape (tasks)
/// Source: Sih & Lee, TPDS 1993.
[[nodiscard]] std::vector<Placement> dls_schedule(const PlannedGraph& graph);

/// Min-min: of ready tasks, each where it ends first, the one goes first that ends first; ties: the
/// lower task, then the lower processor.
///
/// The papers' tasks are independent. Here a batch is the ready tasks, and who becomes ready joins
/// it at once.
///
/// @return shape (tasks)
/// Source: Ibarra & Kim, JACM 1977; Maheswaran et al., JPDC 1999, section 4.
[[nodiscard]] std::vector<Placement> min_min_schedule(const PlannedGraph& graph);

/// Max-min: as min-min, but the one goes first that ends last.
[[nodiscard]] std::vector<Placement> max_min_schedule(const PlannedGraph& graph);

/// Sufferage: in passes over the ready tasks, ascending. Each claims the processor where it ends
/// first (ties: the lower); who has claimed it keeps it unless the other would suffer more: its
/// second earliest end less its earliest, infinite where only one processor runs it. Who has a
/// processor when the pass ends is placed there, and who becomes ready joins the next.
///
/// @return shape (tasks)
/// Source: Maheswaran et al., JPDC 1999, section 4.
[[nodiscard]] std::vector<Placement> sufferage_schedule(const PlannedGraph& graph);

}  // namespace damocles
