#pragma once

#include <array>
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
    none,     ///< Kind::empty, and where tasks write data
    fresh,    ///< the output tile `tile`, written by this task alone
    partial,  ///< added to the processor's own sum of tile `tile`, outside of its data memory
    input,    ///< added in place to the task's third input, the tile `tile` of C
  };
  Where where = Where::none;
  std::uint64_t tile = 0;  ///< index of the output tile
};

/// The block product behind a workload of matrices: C_ij = sum over l < inner of A_il B_lj.
///
/// `inner` = 1 where a task reads a whole row of A and a whole column of B. Data: A row by row,
/// then B row by row, then C, where tasks read it.
struct BlockProduct {
  std::uint64_t rows = 0;     ///< i < rows
  std::uint64_t columns = 0;  ///< j < columns
  std::uint64_t inner = 0;    ///< l < inner
  /// Whether the workload has tasks of every (i, j, l), each of which adds one A_il B_lj to C_ij;
  /// else task (i, j) writes all of C_ij.
  bool adds = false;

  [[nodiscard]] DataId a(std::uint64_t i, std::uint64_t l) const { return DataId{i * inner + l}; }
  [[nodiscard]] DataId b(std::uint64_t l, std::uint64_t j) const {
    return DataId{rows * inner + l * columns + j};
  }
  [[nodiscard]] std::uint64_t a_and_b() const { return (rows + columns) * inner; }
};

/// The numbers behind a workload: what its data hold, what its tasks compute.
///
/// Matrices are kept tile by tile, each tile row by row in one piece. A and B hold numbers uniform
/// in [-1, 1), functions of (seed, data) alone; a tile of C that tasks read starts as zeros, and
/// every processor's sums are added up at the end. Inputs of other kernels are random bits.
class Arithmetic {
 public:
  /// outer: C_ij (tile x tile) = a_i (tile x rank) b_j (rank x tile); gemm2d, sparse2d: as their
  /// tile=, k= and precision= say; matrix, gemm3d: C_ij += A_il B_lj in tiles. In any order=.
  /// Files, cholesky, stencil and layered: checksum, also into the data that tasks write.
  /// @throws InvalidInput where the kernel asked for is not defined on the workload, or if a size
  ///         in the options is not in [1, 10^6]
  static Arithmetic of(const Workload& workload, const ArithmeticOptions& options,
                       std::uint64_t seed);

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  /// What Kind::product multiplies. @pre kernel().kind is product
  [[nodiscard]] const BlockProduct& product() const { return *product_; }
  /// Size of each data item [B]; of a workload without sizes, that of its blocks.
  [[nodiscard]] std::size_t data_bytes(DataId data) const;
  /// The size of every data item [B] where all have one.
  [[nodiscard]] std::optional<std::size_t> uniform_bytes() const { return uniform_bytes_; }
  /// Number of output tiles. Where each is written by one task (`fresh`), it has that task's
  /// number, so that nothing is kept for the tiles a sparse product does not have; others are
  /// counted row by row.
  [[nodiscard]] std::uint64_t outputs() const { return outputs_; }
  [[nodiscard]] std::size_t output_bytes() const { return output_bytes_; }
  /// Whether each task's result leaves for host memory when it ends, as nothing is added to it.
  [[nodiscard]] bool sends_results() const {
    return output(TaskId{0}).where == TaskOutput::Where::fresh;
  }
  [[nodiscard]] TaskOutput output(TaskId task) const;
  /// Whether tasks write data, which are then the results.
  [[nodiscard]] bool writes_data() const { return writes_data_; }
  /// Calls visit(DataId) for each data item that the task reads as it is, not to add to it alone.
  template <typename Visit>
  void for_each_read(TaskId task, Visit&& visit) const {
    if (!writes_data_) return workload_.for_each_input(task, visit);
    workload_.graph().for_each_access(static_cast<TaskGraph::Index>(raw(task)),
                                      [&](TaskGraph::Index data, Access access) {
                                        if (reads(access) && !commutes(access)) visit(DataId{data});
                                      });
  }
  /// Calls visit(DataId, position, access) for each data item that the task writes: its place among
  /// those that the task accesses.
  /// @pre writes_data()
  template <typename Visit>
  void for_each_written(TaskId task, Visit&& visit) const {
    std::uint64_t position = 0;
    workload_.graph().for_each_access(static_cast<TaskGraph::Index>(raw(task)),
                                      [&](TaskGraph::Index data, Access access) {
                                        if (writes(access)) {
                                          visit(DataId{data}, position, access);
                                        }
                                        ++position;
                                      });
  }
  /// The output tile that a data item is (a tile of C that tasks add to), or nothing.
  [[nodiscard]] std::optional<std::uint64_t> tile_of(DataId data) const;
  /// i and j of an output tile. @pre kernel().kind is product
  [[nodiscard]] std::array<std::uint64_t, 2> block(std::uint64_t tile) const;
  /// How messages call an output tile: "tile (3, 5)", or "the output of task POTRF(2)".
  [[nodiscard]] std::string tile_name(std::uint64_t tile) const;
  [[nodiscard]] std::string data_name(DataId data) const { return workload_.data_name(data); }
  [[nodiscard]] double flops(TaskId task) const;  ///< really computed: 2 m n k, or 0
  [[nodiscard]] std::uint64_t tasks() const { return workload_.tasks(); }
  [[nodiscard]] std::uint64_t data() const { return workload_.data(); }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  /// Writes the content of a data item; shape (data_bytes(data)).
  void fill(DataId data, std::span<std::byte> content) const;

 private:
  Arithmetic(Workload workload, std::uint64_t seed) : workload_(std::move(workload)), seed_(seed) {}

  [[nodiscard]] std::array<std::uint64_t, 2> block_of_inputs(TaskId task) const;

  Workload workload_;
  std::uint64_t seed_;
  Kernel kernel_;
  std::optional<BlockProduct> product_;
  std::optional<std::size_t> uniform_bytes_;
  bool writes_data_ = false;
  std::uint64_t outputs_ = 0;
  std::size_t output_bytes_ = 0;
};

}  // namespace damocles
