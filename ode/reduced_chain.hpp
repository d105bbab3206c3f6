#pragma once

#include <vector>

#include "ode/problem.hpp"

namespace damocles {

/// Phase 1 as the reduced chain has it, averaged over the sampled runs (docs/theory.md, section 8).
struct ChainEnd {
  double runs = 0;
  double loads = 0;       ///< mean data loaded in phase 1
  double var_loads = 0;   ///< between runs
  double open = 0;        ///< mean number of tasks open when phase 2 starts
  double var_open = 0;    ///< between runs
  double covariance = 0;  ///< of loads and open
  std::vector<double> L;      ///< mean of -ln(1 - A), shape (groups)
  std::vector<double> var_L;  ///< its variance over runs and processors, shape (groups)
  std::vector<double> draws;  ///< share of the open tasks that one processor draws, shape (groups)
};

/// Runs of phase 1 on a state without tasks: how many indices each processor knows, how many tasks
/// are open, when each asks next. Who asks when, which step is whose and what it adds are those of
/// the strategy; how many tasks a step finds is drawn from a law that the state gives.
///
/// The numbers are the same at every call (a fixed seed). As many runs as make the standard error
/// of the mean a thousandth of it, or less where one tenth of a second allows it.
///
/// @param threshold  open tasks at which phase 2 starts, >= 0  @pre more than one processor
[[nodiscard]] ChainEnd sample_phase1(const Problem& problem, double threshold);

}  // namespace damocles
