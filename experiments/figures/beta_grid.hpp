#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/figures/judging.hpp"
#include "ode/best_beta.hpp"

namespace damocles {

/// A size of the outer product of section 3.6 of HPDC'14.
struct GridCell {
  std::uint64_t processors;
  std::uint64_t n;

  [[nodiscard]] std::string text() const;
};

/// p in [10, 1000] and n in [max(10, sqrt p), 1000], `steps` values of each, evenly on a log scale.
[[nodiscard]] std::vector<GridCell> beta_grid(int steps);

/// What the paper's formula calls best for some draws of speeds U[10, 100] at one size.
struct DrawnBetas {
  std::vector<BestBeta> found;
  std::size_t without = 0;  ///< draws for which it has no interior minimum
};
[[nodiscard]] DrawnBetas draw_betas(const Workload& workload, std::uint64_t processors,
                                    const std::string& model, std::size_t draws,
                                    std::uint64_t seed);

}  // namespace damocles
