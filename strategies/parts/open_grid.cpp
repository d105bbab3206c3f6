#include "strategies/parts/open_grid.hpp"

#include <fmt/format.h>

#include <new>

#include "models/error.hpp"

namespace damocles {

OpenGrid::OpenGrid(const Workload& workload)
    : OpenTasks(workload.tasks()),
      slabs_(workload.dimensions() == 2 ? 1 : workload.extent(0)),
      rows_(workload.extent(workload.dimensions() - 2)),
      columns_(workload.extent(workload.dimensions() - 1)),
      strips_((columns_ + 63) / 64),
      promise_(static_cast<double>(slabs_ * strips_ * rows_) * 8, MemoryPromise::Others::count) {
  try {
    words_.assign(slabs_ * strips_ * rows_, ~std::uint64_t{0});
  } catch (const std::bad_alloc&) {
    throw InvalidInput(fmt::format(
        "workload '{}': the set of open tasks needs {:.1f} GB and does not fit in memory; predict it, "
        "or simulate a smaller one",
        workload.text(), static_cast<double>(slabs_ * strips_ * rows_) * 8e-9));
  }
  const std::uint64_t used = columns_ % 64;
  if (used == 0) return;
  const std::uint64_t tail = (std::uint64_t{1} << used) - 1;
  for (std::uint64_t slab = 0; slab < slabs_; ++slab) {
    const std::size_t at = strip_at(slab, strips_ - 1);
    for (std::uint64_t row = 0; row < rows_; ++row) words_[at + row] = tail;
  }
}

void OpenGrid::claim_rows(std::uint64_t slab, std::span<const std::uint32_t> rows,
                          std::span<const std::uint64_t> columns, TaskList& claimed) {
  const std::uint64_t before = claimed.size();
  for (std::uint64_t strip = 0; strip < strips_; ++strip) {
    const std::uint64_t wanted = columns[strip];
    if (wanted == 0) continue;
    std::uint64_t* const words = words_.data() + strip_at(slab, strip);
    for (const std::uint32_t row : rows) {
      const std::uint64_t found = words[row] & wanted;
      if (found == 0) continue;
      words[row] ^= found;
      claimed.add(TaskId{first_of(slab, row, strip)}, found);
    }
  }
  close(claimed.size() - before);
}

void OpenGrid::claim_column(std::uint64_t slab, std::span<const std::uint32_t> rows,
                            std::uint32_t column, TaskList& claimed) {
  const unsigned shift = column % 64;
  const std::uint64_t others = ~(std::uint64_t{1} << shift);
  std::uint64_t* const words = words_.data() + strip_at(slab, column / 64);
  const std::uint64_t before = claimed.size();
  claimed.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    const std::uint64_t word = words[row];
    words[row] = word & others;
    claimed.add_any(TaskId{first_of(slab, row, 0) + column}, (word >> shift) & 1U);
  }
  close(claimed.size() - before);
}

void OpenGrid::list(std::uint64_t batch, TaskList& tasks) const {
  const std::uint64_t slab = batch / rows_;
  const std::uint64_t row = batch % rows_;
  tasks.reserve(strips_);
  for (std::uint64_t strip = 0; strip < strips_; ++strip) {
    tasks.add_any(TaskId{first_of(slab, row, strip)}, words_[strip_at(slab, strip) + row]);
  }
}

}  // namespace damocles
