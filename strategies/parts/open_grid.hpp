#pragma once

#include <cstdint>
#include <span>

#include "models/big_vector.hpp"
#include "models/host_memory.hpp"
#include "models/workload.hpp"
#include "strategies/parts/open_tasks.hpp"

namespace damocles {

/// The open tasks as one bit each.
///
/// The grid is seen as slabs x rows x columns with the columns along the bits of a word: (1, m, n)
/// for the outer product, (m, n, k) for the matrix product. Within a slab the words of one
/// 64-column strip lie together, row after row, so that both a row (many columns at once) and a
/// column (one bit of many neighbouring words) are read without missing the cache.
class OpenGrid final : public OpenTasks {
 public:
  /// All tasks open. @throws InvalidInput if the bits would not fit in memory
  explicit OpenGrid(const Workload& workload);

  /// Claims the open ones among (slab, row, column) for each of `rows` and each column of the mask.
  void claim_rows(std::uint64_t slab, std::span<const std::uint32_t> rows,
                  std::span<const std::uint64_t> columns, TaskList& claimed);
  /// Claims the open ones among (slab, row, column) for each of `rows`.
  void claim_column(std::uint64_t slab, std::span<const std::uint32_t> rows, std::uint32_t column,
                    TaskList& claimed);

  [[nodiscard]] std::uint64_t batches() const override { return slabs_ * rows_; }
  void list(std::uint64_t batch, TaskList& tasks) const override;

 private:
  [[nodiscard]] std::size_t strip_at(std::uint64_t slab, std::uint64_t strip) const {
    return (slab * strips_ + strip) * rows_;
  }
  [[nodiscard]] std::uint64_t first_of(std::uint64_t slab, std::uint64_t row,
                                       std::uint64_t strip) const {
    return (slab * rows_ + row) * columns_ + strip * 64;
  }

  std::uint64_t slabs_;
  std::uint64_t rows_;
  std::uint64_t columns_;
  std::uint64_t strips_;  // words a row
  MemoryPromise promise_;
  BigVector<std::uint64_t> words_;
};

}  // namespace damocles
