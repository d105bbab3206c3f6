#pragma once

#include "ode/problem.hpp"

namespace damocles {

/// Data that `dynamic` loads, over the sampled runs of the reduced chain.
struct ChainLoads {
  double mean;
  double variance;  ///< between runs
  double runs;
};

/// Runs of `dynamic` on a state without tasks (docs/theory.md, section 8): how many indices each
/// processor knows, how many tasks are open, when each asks next. Who asks when, whose step it is
/// and what it adds are as in the strategy; how many tasks a step finds is drawn from a law that
/// the state gives.
///
/// The random numbers are the same at every call. 64 runs or more, until the standard error of the
/// mean is a thousandth of it, 1000 at most.
///
/// @pre more than one processor
[[nodiscard]] ChainLoads sample_dynamic(const Problem& problem);

}  // namespace damocles
