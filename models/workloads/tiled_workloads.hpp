#pragma once

#include <cstdint>

#include "models/task_graph.hpp"
#include "models/workloads/structure.hpp"

namespace damocles {

/// The tiles of a dense matrix: `tile` x `tile` numbers of `element_bytes` each.
struct Tiling {
  std::uint64_t tile = 960;
  std::uint64_t element_bytes = 4;  ///< single precision

  [[nodiscard]] std::uint64_t tile_bytes() const { return tile * tile * element_bytes; }
  /// tile^3, the unit in which kernels of tiles are counted.
  [[nodiscard]] double cube() const;
};

/// C = A B in m x n x k tiles: task (i, j, l) reads A_il and B_lj, and C_ij as `reads_c` says; l
/// runs fastest. 2 tile^3 flops a task. Data: A, B, then C where it is read.
/// @param updates  of ReadsC::made, how tasks access C_ij that do not make it; where they reduce,
///                 all do: each processor makes a partial sum, and no task waits
[[nodiscard]] TaskGraph::Parts product_3d(std::uint64_t m, std::uint64_t n, std::uint64_t k,
                                          ReadsC reads_c, const Tiling& tiling,
                                          Access updates = Access::read_write);

/// The tasks of the right-looking Cholesky factorisation of n x n tiles, without dependencies, in
/// the order in which the loops submit them: POTRF(k) reads A_kk (tile^3/3 flops); TRSM(i,k) A_kk,
/// A_ik (tile^3); SYRK(i,k) A_ik, A_ii (tile^3); GEMM(i,j,k) A_ik, A_jk, A_ij (2 tile^3).
/// Data: the n(n+1)/2 tiles of the lower triangle, row by row.
/// Source: IPDPS'22, section V-A, after Agullo et al., SAAHPC'10.
[[nodiscard]] TaskGraph::Parts cholesky(std::uint64_t n, const Tiling& tiling);

/// The same tasks as they factorise: POTRF(k) reads and writes A_kk; TRSM(i,k) reads A_kk, reads
/// and writes A_ik; SYRK(i,k) A_ik, A_ii; GEMM(i,j,k) A_ik, A_jk, A_ij; who waits for whom follows.
/// Their kinds are named; results stay where they are written, so tasks have no other outputs.
[[nodiscard]] TaskGraph::Parts cholesky_in_place(std::uint64_t n, const Tiling& tiling,
                                                 Access update);

/// The tasks of the right-looking LU factorisation of n x n tiles without pivoting, without
/// dependencies, in the order in which the loops submit them: GETRF(k) reads A_kk (2/3 tile^3
/// flops); TRSM A_kk and A_kj, then A_kk and A_ik (tile^3 each); GEMM(i,j,k) A_ik, A_kj, A_ij
/// (2 tile^3). Data: the n^2 tiles, row by row.
[[nodiscard]] TaskGraph::Parts lu(std::uint64_t n, const Tiling& tiling);

/// The same tasks as they factorise: each reads the tiles above and writes the last of them, as
/// cholesky_in_place().
[[nodiscard]] TaskGraph::Parts lu_in_place(std::uint64_t n, const Tiling& tiling, Access update);

/// A 2D product of which round(density m n) tasks are kept, each set of that size equally likely:
/// task (i, j) reads row i of A and column j of B. Row by row.
/// Source: IPDPS'22, section V-A ("we remove 98% of the tasks").
[[nodiscard]] TaskGraph::Parts sparse_product_2d(std::uint64_t m, std::uint64_t n, double density,
                                                 std::uint64_t seed, std::uint64_t panel_bytes,
                                                 double task_flops, std::uint64_t output_bytes);

/// The same tasks in another order, each order equally likely (IPDPS'22, figure 9); whatever a task
/// has goes with it, and who waited for whom still does. @pre no task writes: then the order says
/// who waits for whom
[[nodiscard]] TaskGraph::Parts in_random_order(const TaskGraph::Parts& parts, std::uint64_t seed);

}  // namespace damocles
