#pragma once

#include <cstdint>

#include "gpu/arithmetic/arithmetic.hpp"
#include "gpu/memory/store.hpp"
#include "gpu/verification/tile_finding.hpp"

namespace damocles {

/// Compares every number of an output tile with a product in double precision.
///
/// Let c = sum of a_l b_l over K terms. A sum in whatever order is a tree: each term passes one
/// rounded product and at most K - 1 rounded additions, also where several processors have summed
/// parts of it, as a part is a subtree and adding to zero rounds nothing. So with unit roundoff u
///   |computed - c| <= gamma_K(u) sum |a_l| |b_l|,  gamma_K(u) = K u / (1 - K u)
/// (Higham, Accuracy and Stability of Numerical Algorithms, sections 3.1 and 4.2); nothing
/// underflows, see gpu/arithmetic/values.hpp, and a fused multiply-add only saves a rounding. The
/// reference in double precision (v = 2^-53) is itself wrong by gamma_K(v) of the same sum, and the
/// sum, computed in double precision, may be too small by that share: K + 2 instead of K makes up
/// for it while K^2 v < 1. Hence the tolerance
///   (gamma_{K+2}(u) + gamma_{K+2}(v)) sum |a_l| |b_l|,
/// twice the bound where the product is in double precision too.
/// Mixed precisions (models/precision.hpp, gpu/arithmetic/roundoff.hpp): with factors that err by r
/// each, a term errs by 2 r + r^2 of itself, and u is that of sums. A result that one task leaves
/// is rounded once to what is kept, by q |computed|, which is known. Where several tasks add to it,
/// each rounds, and so does each addition of what the processors have, no more often than there are
/// tasks: gamma_{2 tasks}(q) sum |a_l| |b_l|. A right result is never called wrong; an error below
/// the tolerance cannot be told from rounding.
[[nodiscard]] TileFinding check_in_full(const Arithmetic& arithmetic, const Store& store,
                                        std::uint64_t tile);

/// The factor of sum |a_l| |b_l| in that tolerance; K numbers are summed, by so many tasks.
[[nodiscard]] double full_tolerance(Precision precision, double terms, double tasks = 1);

/// The factor of |computed| in it.
[[nodiscard]] double result_tolerance(Precision precision, double tasks = 1);

/// How many tasks add to a tile of a product.
[[nodiscard]] double tasks_of_a_tile(const BlockProduct& product);

}  // namespace damocles
