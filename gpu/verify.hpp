#pragma once

#include <string>

#include "gpu/arithmetic.hpp"
#include "gpu/store.hpp"

namespace damocles {

enum class Check {
  automatic,  ///< full where that takes at most 2 Gflop, else freivalds
  full,       ///< every number against a product in double precision, summed in another way
  freivalds,  ///< every tile against 20 random vectors of +-1
  none,
};

/// @throws InvalidInput on another word than auto, full, freivalds, none
[[nodiscard]] Check check_named(const std::string& name);

struct Verification {
  Check check = Check::none;  ///< what was done, never automatic
  bool right = true;
  /// "right: ..." with the tolerance and, of freivalds, the probability of a miss; or what is wrong
  /// and in which tiles.
  std::string text;
  double worst = 0;             ///< largest error over its tolerance [1]; infinite for a NaN
  double miss_probability = 0;  ///< of freivalds: that one number off by more than twice its
                                ///< tolerance goes unseen
};

/// Checks every output tile that some task computes: it arrived (once, where one task writes it),
/// and its numbers are right. Checksums are made again and compared; of empty tasks nothing is
/// checked. On all cores.
///
/// Tolerances: gpu/full_check.hpp, gpu/freivalds.hpp.
[[nodiscard]] Verification verify(const Arithmetic& arithmetic, const Workload& workload,
                                  const Store& store, Check check);

}  // namespace damocles
