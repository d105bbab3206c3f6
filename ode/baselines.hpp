#pragma once

#include <span>

#include "ode/model.hpp"

namespace damocles {

/// `random`, exactly: processor k runs N_k tasks, any of them.
///
/// N_k follows from the speeds alone (RequestOrder::tasks_of). A data item of c tasks is missed
/// with probability C(T - c, N_k) / C(T, N_k); the usual (1 - rs_k)^c and e^(-c rs_k) are its
/// limits. The band is that of tasks that fall to processors independently with shares N_k / T,
/// given the N_k: a third too wide at two tasks a processor, right to a tenth from four.
/// docs/explanation/theory.md, section 9.
///
/// @param speeds  of each processor [tasks/s or any other unit], shape (p), each > 0, constant
[[nodiscard]] Prediction predict_random(const Workload& workload, std::span<const double> speeds);

/// `sorted`, exactly: but for the random order in which the first p tasks are dealt, who computes
/// which task follows from the speeds, and what it lacks is counted.
///
/// O(T log p) time and one bit a (data, processor), as a simulated run; above `sorted_limit` tasks
/// or 2^33 bits it is approximated without a band: data whose tasks are neighbours (a_i; C_ij) are
/// met with probability min(1, c rs_k), the others by independent trials, 1 - (1 - rs_k)^c.
/// docs/explanation/theory.md, section 9.
///
/// @param speeds  of each processor by id [tasks/s], shape (p), each > 0, constant. Ties depend on
///                their last bits: give those that are simulated, not relative ones.
[[nodiscard]] Prediction predict_sorted(const Workload& workload, std::span<const double> speeds);
inline constexpr std::uint64_t sorted_limit = 100'000'000;

}  // namespace damocles
