#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "models/precision.hpp"
#include "models/workload.hpp"

namespace damocles {

/// A matrix of n x n tiles that the tasks of `cholesky:deps=true` or `lu:deps=true` factorise where
/// it lies, A = L L^T or A = L U with ones on L's diagonal, without pivoting.
///
/// Its numbers are uniform in [-1, 1) (of Cholesky mirrored at the diagonal), functions of (seed,
/// tile) alone, and on the diagonal N = n tile more, so that it dominates its row and its column:
/// then A is positive definite where it is symmetric, and no pivot is small. Tiles are kept row by
/// row; of Cholesky's tiles on the diagonal the upper half is not written.
class Factorisation {
 public:
  enum class Kind { cholesky, lu };

  /// Nothing where the workload's tasks are not, one by one, those of a factorisation, with ordered
  /// or commuting updates. @param precision  fp32 or fp64
  [[nodiscard]] static std::optional<Factorisation> of(const Workload& workload,
                                                       Precision precision);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::uint64_t tiles() const { return n_; }       ///< a side
  [[nodiscard]] std::size_t tile_side() const { return side_; }  ///< numbers
  [[nodiscard]] Precision precision() const { return precision_; }
  /// The tile of row i and column j; nothing above the diagonal of Cholesky's.
  [[nodiscard]] std::optional<DataId> data(std::uint64_t i, std::uint64_t j) const;
  /// n tile^3 times 1/3 n^2, or 2/3 n^2.
  [[nodiscard]] double flops() const;

  /// A's tile before the factorisation; shape (bytes of a tile).
  void fill(DataId data, std::uint64_t seed, std::span<std::byte> content) const;
  /// Computes a task of the workload that this was made of, on the calling thread. By Eigen.
  /// @param at  its tiles, in the order in which it names them
  void run(const TaskGraph& graph, TaskGraph::Index task, std::span<std::byte* const> at) const;

 private:
  Factorisation(Kind kind, std::uint64_t n, std::size_t side, Precision precision)
      : kind_(kind), n_(n), side_(side), precision_(precision) {}
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> block(DataId data) const;

  Kind kind_;
  std::uint64_t n_;
  std::size_t side_;
  Precision precision_;
};

}  // namespace damocles
