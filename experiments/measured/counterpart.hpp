#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/measured/measured.hpp"

namespace damocles {

/// How a measured point is simulated, or why it cannot be.
struct Counterpart {
  /// One; or, where the authors drew anew in each iteration, one a run.
  std::vector<std::string> workloads;
  std::string platform;
  /// The same machine as the models of limited memory know it (modelled_platform()).
  std::string model_platform;
  std::string strategy;  ///< at this point: without a threshold not yet in force
  std::string curve;     ///< of all points of that strategy
  bool has_rate = true;  ///< GFlop/s can be compared; else only loads
  std::string absent;    ///< why there is none; empty where there is one
};

/// The counterpart of a point, for `runs` runs of it.
[[nodiscard]] Counterpart counterpart(const Measurement& point, std::uint64_t runs);

/// A row of the table of one part of that mapping: what is theirs, what is ours, what that leaves
/// out. `ours` is empty where there is none yet; then `leaves_out` says why.
struct MappingRow {
  std::string theirs;
  std::string ours;
  std::string leaves_out;
};
[[nodiscard]] std::vector<MappingRow> mapped_applications();
[[nodiscard]] std::vector<MappingRow> mapped_machines();
[[nodiscard]] std::vector<MappingRow> mapped_strategies();

}  // namespace damocles
