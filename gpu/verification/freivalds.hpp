#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "gpu/arithmetic/arithmetic.hpp"
#include "gpu/memory/store.hpp"
#include "gpu/verification/tile_finding.hpp"

namespace damocles {

/// Random vectors that every tile is multiplied by.
inline constexpr std::size_t freivalds_rounds = 20;
/// Of one wrong number, see freivalds_tolerance().
inline constexpr double freivalds_miss_probability = 0x1p-20;

/// Checks output tiles by Freivalds' method, in double precision, for 20 random signs R a column of
/// C: where all tiles of a row i are given, the sum over j of C_ij R_j against the sum over l of
/// A_il (sum over j of B_lj R_j), whose inner sums are made once for all rows. That is 20 times the
/// size of A, B and C together, by plain loops. Tiles of a row that fails, and of rows that lack
/// some, are then taken one by one, C_ij R_j against the sum over l of A_il (B_lj R_j): as many
/// times more as there are columns of tiles, 16 ms of a core for a tile of n = 960, K = 3840.
/// What a tile alone is found to be is said of it.
/// Calls found(tile, finding) once for each tile, from many threads. Tolerance: below.
void check_by_freivalds(const Arithmetic& arithmetic, const Store& store,
                        std::span<const std::uint64_t> tiles,
                        const std::function<void(std::uint64_t, TileFinding&&)>& found);

/// The tolerance of a row r of (C - A B) R over |A_r|_2 |B|_F, the norms of row r of A and of the n
/// columns of B that take part, one tile's or all; K terms are summed in each of them.
///
/// What a right result leaves. To first order the error of C_rc is a sum of e_o x_o over the
/// roundings o of its tree of K terms (gpu/verification/full_check.hpp): |e_o| <= u, and x_o is
/// what is rounded. The x_o of the K products are the terms, those of the K - 1 additions at most
/// s_c = sum over l of |A_rl B_lc|, so the sum of their squares is at most K s_c^2. Take the e_o as
/// independent and of mean zero (Higham & Mary, SIAM J. Sci. Comput. 41(5), 2019, whose model
/// describes random data as ours well). Then so are the e_o times a sign of R, and by Hoeffding's
/// inequality the sum over all columns exceeds
///   lambda u sqrt(K) sqrt(sum over c of s_c^2) <= lambda u sqrt(K) |A_r|_2 |B|_F
/// with probability at most 2 exp(-lambda^2 / 2): 5e-18 for lambda = 9, or 5e-9 in 10^9 rows. (The
/// last step is Cauchy and Schwarz's.) No model is needed for K u sqrt(n) in the place of
/// lambda u sqrt(K), so the smaller is taken.
/// Of mixed precisions (gpu/arithmetic/roundoff.hpp) no model is made: |error of C_rc| <= f s_c,
/// with f as in gpu/verification/full_check.hpp, and by the same inequality over the signs alone,
/// which the errors do not know, the sum over the columns exceeds lambda f |A_r|_2 |B|_F as seldom;
/// and where a task's result is rounded to what is kept, lambda q |C_r|_2 comes on top. The check
/// itself, v = 2^-53: C R, B R and A (B R) err by at most (K + 2 n + 4) v times the sum of s_c,
/// which is at most sqrt(n) |A_r|_2 |B|_F. The tolerance t is both together, and 1 % for the
/// rounding of the norms.
///
/// What a wrong result leaves. Let one number be off by e, |e| > 2 t, in column c. For each of the
/// 20 vectors the row's exact residual is e R_c + s, where s is made of the other columns and does
/// not depend on R_c. The computed one differs from it by less than t, so the row passes only if
/// |e R_c + s| < 2 t < |e|: an open interval of length below 2 |e|, which cannot hold both s + e
/// and s - e. So it passes with probability at most 1/2, whatever s is, and all 20 with at most
/// 2^-20.
[[nodiscard]] double freivalds_tolerance(Precision precision, double terms, double columns,
                                         double tasks = 1);

/// The factor of |C_r|_2 that comes on top.
[[nodiscard]] double freivalds_result_tolerance(Precision precision, double columns,
                                                double tasks = 1);

}  // namespace damocles
