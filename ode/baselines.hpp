#pragma once

#include "ode/model.hpp"

namespace damocles {

/// `random`: processor k runs rs_k T tasks, any of them, so it misses a data of c tasks with
/// probability (1 - rs_k)^c. For the outer product V = n sum of 2 (1 - (1 - rs_k)^n), which the
/// usual 1 - e^(-n rs_k) approximates. With a band: the variance of an occupancy.
[[nodiscard]] Prediction predict_random(const Problem& problem);

/// `sorted`: the tasks of processor k lie evenly along the lexicographic order, one in 1/rs_k.
///
/// Data whose tasks are neighbours (a_i; C_ij) are met with probability min(1, c rs_k); the others
/// by independent trials, 1 - (1 - rs_k)^c, unless all speeds are equal: then position t goes to
/// processor t mod p for ever, and counting is arithmetic. No band. docs/theory.md, section 9.
[[nodiscard]] Prediction predict_sorted(const Problem& problem);

}  // namespace damocles
