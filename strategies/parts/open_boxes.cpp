#include "strategies/parts/open_boxes.hpp"

#include <algorithm>
#include <bit>

namespace damocles {
namespace {

constexpr std::size_t in_register = 2;  // words of an index set are in multiples of an SSE register
constexpr std::size_t block = 8;        // words kept in registers while holders are subtracted
constexpr std::size_t at_once = 4;      // holders found without a branch

/// Adds the tasks of words at..at+Words-1 of `wanted` that no holder has.
template <std::size_t Words>
void claim_words(std::size_t at, const std::uint64_t* wanted,
                 std::span<const std::uint64_t* const> holders, std::uint64_t first,
                 std::uint64_t stride, TaskList& claimed) {
  std::array<std::uint64_t, Words> open{};
  std::copy_n(wanted + at, Words, open.begin());
  for (const std::uint64_t* const holder : holders) {
    for (std::size_t word = 0; word < Words; ++word) open[word] &= ~holder[at + word];
  }
  for (std::size_t word = 0; word < Words; ++word) {
    claimed.add_any(TaskId{first + (at + word) * 64 * stride}, open[word], stride);
  }
}

/// Adds the tasks first + b * stride for each bit b of `wanted` that no holder has.
void claim_line(std::size_t words, const std::uint64_t* wanted,
                std::span<const std::uint64_t* const> holders, std::uint64_t first,
                std::uint64_t stride, TaskList& claimed) {
  claimed.reserve(words);
  std::size_t at = 0;
  for (; at + block <= words; at += block) {
    claim_words<block>(at, wanted, holders, first, stride, claimed);
  }
  for (; at < words; at += in_register) {
    claim_words<in_register>(at, wanted, holders, first, stride, claimed);
  }
}

}  // namespace

OpenBoxes::OpenBoxes(const Workload& workload, std::size_t processors)
    : OpenTasks(workload.tasks()),
      extent_{workload.extent(0), workload.extent(1), workload.extent(2)},
      known_{Known(processors, extent_[0]), Known(processors, extent_[1]),
             Known(processors, extent_[2])},
      holders_(processors + at_once) {}

// Rows for whole words of processors, so that find_holders may name one that is not there.
OpenBoxes::Known::Known(std::size_t processors, std::uint64_t extent)
    : of_processor((processors + 63) / 64 * 64, extent, in_register),
      of_index(extent, processors) {}

void OpenBoxes::Known::learn(ProcessorId processor, std::uint32_t index) {
  of_processor.set(raw(processor), index);
  of_index.set(index, raw(processor));
}

/// The sets in `sets` of the processors in both `first` and `second`.
std::span<const std::uint64_t* const> OpenBoxes::find_holders(const BitRows& sets,
                                                              const std::uint64_t* first,
                                                              const std::uint64_t* second) const {
  constexpr std::uint64_t last = std::uint64_t{1} << 63U;  // saves the test for no bit at all
  const std::uint64_t words = known_[0].of_index.words_a_row();
  std::size_t found = 0;
  for (std::uint64_t word = 0; word < words; ++word) {
    const std::uint64_t* const here = sets.row(word * 64);
    for (std::uint64_t bits = first[word] & second[word]; bits != 0;) {
      // A branch for each holder would be mispredicted: always four, and those that are not there
      // are overwritten.
      const auto left = static_cast<std::size_t>(std::popcount(bits));
      for (std::size_t next = 0; next < at_once; ++next, bits &= bits - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(bits | last));
        holders_[found + next] = here + bit * sets.words_a_row();
      }
      found += std::min(left, at_once);
    }
  }
  return {holders_.data(), found};
}

/// Adds the open ones among (i, j, l) for each l of `wanted`.
void OpenBoxes::list_line(std::uint64_t i, std::uint64_t j, const std::uint64_t* wanted,
                          TaskList& tasks) const {
  const BitRows& sets = known_[2].of_processor;
  const auto holders = find_holders(sets, known_[0].of_index.row(i), known_[1].of_index.row(j));
  claim_line(sets.words_a_row(), wanted, holders, first_of(i, j), 1, tasks);
}

void OpenBoxes::learn_row(ProcessorId processor, std::uint32_t i,
                          std::span<const std::uint32_t> columns, TaskList& claimed) {
  const std::uint64_t before = claimed.size();
  const std::uint64_t* const wanted = known_[2].of_processor.row(raw(processor));
  for (const std::uint32_t j : columns) list_line(i, j, wanted, claimed);
  known_[0].learn(processor, i);
  close(claimed.size() - before);
}

void OpenBoxes::learn_column(ProcessorId processor, std::uint32_t j,
                             std::span<const std::uint32_t> rows, TaskList& claimed) {
  const std::uint64_t before = claimed.size();
  const std::uint64_t* const wanted = known_[2].of_processor.row(raw(processor));
  for (const std::uint32_t i : rows) list_line(i, j, wanted, claimed);
  known_[1].learn(processor, j);
  close(claimed.size() - before);
}

void OpenBoxes::learn_inner(ProcessorId processor, std::uint32_t l,
                            std::span<const std::uint32_t> rows, TaskList& claimed) {
  const std::uint64_t before = claimed.size();
  const BitRows& sets = known_[1].of_processor;
  const std::uint64_t* const wanted = sets.row(raw(processor));
  for (const std::uint32_t i : rows) {
    const auto holders = find_holders(sets, known_[0].of_index.row(i), known_[2].of_index.row(l));
    claim_line(sets.words_a_row(), wanted, holders, first_of(i, 0) + l, extent_[2], claimed);
  }
  known_[2].learn(processor, l);
  close(claimed.size() - before);
}

void OpenBoxes::list(std::uint64_t batch, TaskList& tasks) const {
  BitRows all(1, extent_[2], in_register);
  for (std::uint64_t l = 0; l < extent_[2]; ++l) all.set(0, l);
  for (std::uint64_t j = 0; j < extent_[1]; ++j) list_line(batch, j, all.row(0), tasks);
}

}  // namespace damocles
