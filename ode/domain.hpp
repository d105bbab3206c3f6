#pragma once

#include <string>
#include <vector>

#include "ode/problem.hpp"

namespace damocles {

/// What a prediction depends on, as a study varied it (docs/explanation/theory.md, section 12).
enum class DomainQuantity {
  tasks_a_processor,
  speed_ratio,       ///< of the fastest processor to the slowest
  side_ratio,        ///< of the longest extent of the grid to the shortest
  shortest_side,     ///< of the grid, in blocks
  left_a_processor,  ///< open tasks at the threshold, over processors
  drawn_on_a_line,   ///< tasks of phase 2 that a processor computes on the longest line of the grid
  growth,            ///< beta times the largest relative speed
  tasks
};

/// A quantity up to which, or from which, a model was compared with simulation.
struct DomainLimit {
  DomainQuantity quantity;
  double bound;
};

/// Where a model has been compared with simulation, and how far it was off there.
struct ValidatedDomain {
  /// Nine of ten predictions of the study were nearer to the mean of simulated runs, relative.
  double expected_error = 0;
  std::vector<DomainLimit> limits;
  bool drift = false;  ///< also where speeds drift
};

/// Which limit a run breaks, in words, as "9.3 tasks a processor, validated from 25"; "" inside.
[[nodiscard]] std::string why_outside(const ValidatedDomain& domain, const Problem& problem,
                                      double beta);

/// All limits in words, as "25 or more tasks a processor, speeds up to 1:30".
[[nodiscard]] std::string in_words(const ValidatedDomain& domain);

}  // namespace damocles
