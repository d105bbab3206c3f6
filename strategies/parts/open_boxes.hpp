#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/ids.hpp"
#include "models/workload.hpp"
#include "strategies/parts/bit_rows.hpp"
#include "strategies/parts/open_tasks.hpp"

namespace damocles {

/// The open tasks of a matrix product, of which processors claim boxes I x J x K.
///
/// No task is stored. A task (i, j, l) is open if no processor knows i, j and l; so along a line
/// such as (i, j, .) the open ones are those outside the K of each processor that knows i and j.
/// They are few (beta^(2/3) p^(1/3) of p in the first phase), and the index sets stay in the cache,
/// where a bit for each task would be read from memory, a cache line for two or three of them.
class OpenBoxes final : public OpenTasks {
 public:
  /// Whether this is faster than OpenGrid. Measured: n from 160 to 500, 20 to 10 000 processors.
  static bool suits(const Workload& workload, std::size_t processors) {
    return workload.dimensions() == 3 && workload.tasks() >> 15U > processors;
  }

  OpenBoxes(const Workload& workload, std::size_t processors);

  /// The processor learns i: claims the open ones among {i} x J x K. J is `columns`, in any order.
  void learn_row(ProcessorId processor, std::uint32_t i, std::span<const std::uint32_t> columns,
                 TaskList& claimed);
  /// The processor learns j: claims the open ones among I x {j} x K. I is `rows`, in any order.
  void learn_column(ProcessorId processor, std::uint32_t j, std::span<const std::uint32_t> rows,
                    TaskList& claimed);
  /// The processor learns l: claims the open ones among I x J x {l}. I is `rows`, in any order.
  void learn_inner(ProcessorId processor, std::uint32_t l, std::span<const std::uint32_t> rows,
                   TaskList& claimed);

  [[nodiscard]] std::uint64_t batches() const override { return extent_[0]; }
  void list(std::uint64_t batch, TaskList& tasks) const override;

 private:
  /// The index sets of one dimension, seen from both sides.
  struct Known {
    Known(std::size_t processors, std::uint64_t extent);
    void learn(ProcessorId processor, std::uint32_t index);

    BitRows of_processor;  // the indices a processor knows
    BitRows of_index;      // the processors that know an index
  };

  [[nodiscard]] std::span<const std::uint64_t* const> find_holders(
      const BitRows& sets, const std::uint64_t* first, const std::uint64_t* second) const;
  void list_line(std::uint64_t i, std::uint64_t j, const std::uint64_t* wanted,
                 TaskList& tasks) const;
  [[nodiscard]] std::uint64_t first_of(std::uint64_t i, std::uint64_t j) const {
    return (i * extent_[1] + j) * extent_[2];
  }

  std::array<std::uint64_t, 3> extent_;
  std::array<Known, 3> known_;
  mutable std::vector<const std::uint64_t*> holders_;  // scratch of find_holders
};

}  // namespace damocles
