#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/figures/judging.hpp"

namespace damocles {

/// A number the paper prints, and how far its rounding lets the true one be from it.
struct Printed {
  double value;
  double rounding;
};

/// The thresholds that HPDC'14 prints for one size: for equal speeds, and for a draw of U[10, 100]
/// that it does not give, whose share of tasks in phase 1 it prints too.
struct BetaClaim {
  std::string id;
  std::string workload;
  std::uint64_t processors;
  Printed homogeneous;
  Printed drawn;
  Printed phase1_percent;
  std::string homogeneous_place;  ///< sections of the three numbers
  std::string drawn_place;
  std::string phase1_place;
  std::vector<std::string> others;  ///< models to compare the paper's with
};

[[nodiscard]] Claim beta_claim(const BetaClaim& claim);

}  // namespace damocles
