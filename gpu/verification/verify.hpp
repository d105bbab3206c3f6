#pragma once

#include <string>

#include "gpu/arithmetic/arithmetic.hpp"
#include "gpu/memory/store.hpp"

namespace damocles {

enum class Check {
  automatic,  ///< full where that takes at most 0.2 Gflop, else freivalds
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
  double worst = 0;  ///< largest error over its tolerance [1]; infinite for a NaN
};

/// Checks every output tile that some task computes: it arrived (once, where one task writes it),
/// and its numbers are right. Checksums are made again and compared; where tasks write data, these
/// are (gpu/verification/written_check.hpp); of empty tasks nothing is checked. On all cores.
///
/// Tolerances: gpu/verification/full_check.hpp, gpu/verification/freivalds.hpp. They are for what
/// cannot be; what is usual is far below, see usual_error(), and a product above that was made in
/// another precision.
[[nodiscard]] Verification verify_results(const Arithmetic& arithmetic, const Workload& workload,
                                          const Store& store, Check check);

/// Data that a run has written into, which no product would show, since it is held to the same
/// data: "wrong: data A(3) is not what it was before the run", or "".
[[nodiscard]] std::string changed_inputs(const Arithmetic& arithmetic, const Store& store);

/// Both: results, and that inputs are what they were.
[[nodiscard]] Verification verify(const Arithmetic& arithmetic, const Workload& workload,
                                  const Store& store, Check check);

/// What the largest error over its tolerance stays below where a product of `terms` terms was made
/// in the precision that was asked for, fp32 or fp64: 1 / sqrt(terms), from 64 terms on, else 1.
/// (Of mixed precisions it is not asked: what their factors err by does not add up at random where
/// they are cut off.)
///
/// A and B are uniform in [-1, 1). The K products A_rl B_lc have the variance 1/9, partial sums of
/// l of them l/9; each is rounded once, with an error of mean square (u x)^2 / 3 at most. So C_rc
/// errs by u K / (3 sqrt(6)) = 0.14 u K, and n of them times signs by 0.14 u K sqrt(n), where
/// freivalds_tolerance() is 9 u sqrt(K) |A_r| |B| = 3 u K^1.5 sqrt(n): of that 0.045 / sqrt(K). The
/// largest of 10^9 is 6.5 standard deviations, 0.3 / sqrt(K), and below 64 terms the smaller of the
/// two tolerances may hold. full_tolerance() is larger still. Inputs rounded to TF32, 2^-11, err by
/// 2^-11 sqrt(2/3) sqrt(K) / 3 a number, 740 / K of the tolerance: 3.7 times 1 / sqrt(K) in one
/// standard deviation at K = 40 000, and more below.
[[nodiscard]] double usual_error(double terms);

}  // namespace damocles
