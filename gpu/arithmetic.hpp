#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/kernel.hpp"
#include "models/workload.hpp"

namespace damocles {

/// How a user wants tasks computed, where the workload leaves it open.
struct ArithmeticOptions {
  /// automatic: product where the workload is one of matrices, else checksum.
  enum class Compute { automatic, product, checksum, empty };
  Compute compute = Compute::automatic;
  Precision precision = Precision::fp32;  ///< of workloads that do not say (outer, matrix)
  std::size_t tile = 32;                  ///< rows and columns of a tile of C, of those
  std::size_t rank = 8;                   ///< inner extent of a block of `outer`
};

/// Where the result of a task goes.
struct TaskOutput {
  enum class Where {
    none,     ///< Kind::empty
    fresh,    ///< the output tile `tile`, written by this task alone
    partial,  ///< added to the processor's own sum of tile `tile`, outside of its data memory
    input,    ///< added in place to the task's third input, the tile `tile` of C
  };
  Where where = Where::none;
  std::uint64_t tile = 0;  ///< index of the output tile
};

/// The numbers behind a workload: what its data hold, what its tasks compute.
///
/// Matrices are kept tile by tile, each tile row by row in one piece. A and B hold numbers uniform
/// in [-1, 1), functions of (seed, data) alone; a tile of C that tasks read starts as zeros, and
/// every processor's sums are added up at the end.
class Arithmetic {
 public:
  /// outer: C_ij (tile x tile) = a_i (tile x rank) b_j (rank x tile); gemm2d, sparse2d: as their
  /// tile=, k= and precision= say; matrix, gemm3d: C_ij += A_il B_lj in tiles. In any order=.
  /// Files, and cholesky without dependencies: checksum.
  /// @throws InvalidInput where the kernel asked for is not defined on the workload
  static Arithmetic of(const Workload& workload, const ArithmeticOptions& options,
                       std::uint64_t seed);

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  /// Size of each data [B]; of a workload without sizes, that of its blocks.
  [[nodiscard]] std::size_t data_bytes(DataId data) const;
  /// The size of every data [B] where all have one.
  [[nodiscard]] std::optional<std::size_t> uniform_bytes() const;
  [[nodiscard]] std::uint64_t outputs() const { return outputs_; }
  [[nodiscard]] std::size_t output_bytes() const { return output_bytes_; }
  [[nodiscard]] TaskOutput output(TaskId task) const;
  /// The output tile that a data is (a tile of C that tasks add to), or nothing.
  [[nodiscard]] std::optional<std::uint64_t> tile_of(DataId data) const;
  [[nodiscard]] double flops(TaskId task) const;  ///< really computed
  [[nodiscard]] std::uint64_t tasks() const;
  [[nodiscard]] std::uint64_t data() const;

  /// Writes the content of a data; shape (data_bytes(data)).
  void fill(DataId data, std::span<std::byte> content) const;

 private:
  Arithmetic() = default;

  Kernel kernel_;
  std::uint64_t outputs_ = 0;
  std::size_t output_bytes_ = 0;
};

}  // namespace damocles
