#pragma once

#include <vector>

#include "ode/problem.hpp"

namespace damocles {

/// Which steps of docs/explanation/theory.md a refined prediction takes: all of them, but where a
/// test asks what each step buys.
struct Corrections {
  bool open_variance = true;  ///< section 5, step 2
  bool finite_size = true;    ///< section 5, step 3, and section 6
  bool correlation = true;    ///< section 7
};

/// Where phase 1 leaves the processors, with the corrections of docs/explanation/theory.md,
/// sections 6 to 8. Where nothing is left open only the loads and their variance are told.
struct Phase1 {
  double open;            ///< share of the tasks left at the switch, overshoot included; 0: none
  std::vector<double> L;  ///< E[-ln(1 - A_g)], shape (groups)
  std::vector<double> var_L;  ///< its variance between processors of a group, shape (groups)
  std::vector<double>
      draws;       ///< share of the open tasks each processor draws, shape (groups), sums to 1
  double var_tau;  ///< variance of what all share: -ln(open) at equal index sets
  double loads;    ///< expected data loaded in phase 1
  /// Variance of the data that searches for the last tasks load; of all data where open is 0.
  double var_searches = 0;
  std::vector<double> var_own{};  ///< of var_L, what others do not share, shape (groups)
};

/// @param beta  > 0; infinity: phase 1 runs to the last task
[[nodiscard]] Phase1 solve_phase1(const Problem& problem, double beta,
                                  const Corrections& corrections = {});

}  // namespace damocles
