#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/task_list.hpp"
#include "models/workload.hpp"

namespace damocles {

/// The tasks of a grid that nobody has been given yet: one bit each.
///
/// The grid is seen as slabs x rows x columns with the columns along the bits of a word: (1, m, n)
/// for the outer product, (m, n, k) for the matrix product. Within a slab the words of one
/// 64-column strip lie together, row after row, so that both a row (many columns at once) and a
/// column (one bit of many neighbouring words) are read without missing the cache.
class OpenTasks {
 public:
  /// All tasks open. @throws InvalidInput if the bits would not fit in memory
  explicit OpenTasks(const Workload& workload);

  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// Claims the open ones among (slab, row, column) for each of `rows` and each column of the mask.
  void claim_rows(std::uint64_t slab, std::span<const std::uint32_t> rows,
                  std::span<const std::uint64_t> columns, TaskList& claimed);
  /// Claims the open ones among (slab, row, column) for each of `rows`.
  void claim_column(std::uint64_t slab, std::span<const std::uint32_t> rows, std::uint32_t column,
                    TaskList& claimed);

  /// Calls visit(TaskId) for each open task.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    std::size_t at = 0;
    for (std::uint64_t slab = 0; slab < slabs_; ++slab) {
      for (std::uint64_t strip = 0; strip < strips_; ++strip) {
        for (std::uint64_t row = 0; row < rows_; ++row) {
          for (std::uint64_t bits = words_[at++]; bits != 0; bits &= bits - 1) {
            visit(TaskId{first_of(slab, row, strip) +
                         static_cast<std::uint64_t>(std::countr_zero(bits))});
          }
        }
      }
    }
  }

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
  std::uint64_t count_;
  std::vector<std::uint64_t> words_;
};

}  // namespace damocles
