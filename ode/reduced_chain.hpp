#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "ode/problem.hpp"

namespace damocles {

/// Data that sampled runs of the reduced chain load.
struct ChainLoads {
  double mean;
  double variance;  ///< between runs
  double runs;
};

/// Runs of `dynamic` on a state without tasks (docs/explanation/theory.md, section 8): how many
/// indices each processor knows, how many tasks are open, when each asks next. Who asks when, whose
/// step it is and what it adds are as in the strategy; how many tasks a step finds is drawn from a
/// law that the state gives.
///
/// The random numbers are the same at every call. 64 runs or more, until the standard error of the
/// mean is a thousandth of it, 1000 at most; where 64 have more than 1e7 steps, as many as have
/// those, but 4, so that large problems, whose runs differ less, take some 10 s at most.
///
/// @pre more than one processor, at most longest_chain steps
[[nodiscard]] ChainLoads sample_dynamic(const Problem& problem);

/// Where a sampled run of the chain stands when phase 2 starts.
struct ChainState {
  double open;   ///< tasks; the turn that crosses the threshold is taken whole
  double loads;  ///< data loaded so far
  /// Processors of one speed that know as many indices.
  struct Class {
    double count = 0;
    std::array<double, 3> known{};  ///< indices in each dimension
    double draws = 0;               ///< open tasks that each of them computes in phase 2, mean
  };
  std::vector<Class> classes;
};

/// Expected data that one run loads, and their variance.
struct RunLoads {
  double mean = 0;
  double variance = 0;
};

/// The same runs to the turn that leaves at most `tasks_left` tasks open, then phase 2 as `phase2`
/// says. 16 runs or more, until the standard error of the mean is two thousandths of it.
///
/// @param phase2  the loads of phase 2 from a state
/// @pre as sample_dynamic()
[[nodiscard]] ChainLoads sample_two_phases(
    const Problem& problem, double tasks_left,
    const std::function<RunLoads(const ChainState&)>& phase2);

/// Steps of one run, to a factor of two or so: until each processor knows what it does in the mean
/// field's course when one task is left.
[[nodiscard]] double chain_steps(const Problem& problem);
/// Whether phase 1 goes on to the last task, so that the chain is asked.
[[nodiscard]] inline bool needs_chain(const Problem& problem, double beta) {
  return std::exp(-beta) * problem.tasks() < 1;
}
inline constexpr double longest_chain = 2.5e6;

}  // namespace damocles
