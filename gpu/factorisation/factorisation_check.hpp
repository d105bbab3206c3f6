#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "gpu/factorisation/factorisation.hpp"
#include "gpu/verification/verify.hpp"

namespace damocles {

/// Whether a factorisation is right: of every row r of A and `rounds` random vectors x of +-1,
///
///     |A x - L (R x)|_r <= tolerance_r,    R = L^T or U
///
///     tolerance_r = (gamma_{N+1} + gamma'_{2N}) (|L| |R| e)_r + gamma'_N (|A| e)_r
///
/// with gamma_k = k u / (1 - k u), u the roundoff of the matrix's numbers, gamma' the same of the
/// doubles in which this is computed, and e all ones. The first term bounds |A - L R| of the
/// computed factors in whatever order sums were made (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd edition, theorems 9.3 and 10.3; products and triangular solves that use the
/// inverse of nothing); the others what the two products err by. A number that is off shows in a
/// vector with probability 1/2 at least, where it exceeds what is allowed.
/// @param at  where each tile is
/// @return worst: the largest error over its tolerance; text: "right: ..." or which rows are wrong
[[nodiscard]] Verification check_factorisation(const Factorisation& factorisation,
                                               std::uint64_t seed,
                                               const std::function<const std::byte*(DataId)>& at);

}  // namespace damocles
