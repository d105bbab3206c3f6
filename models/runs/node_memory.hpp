#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/big_vector.hpp"
#include "models/ids.hpp"

namespace damocles {

/// Which data each processor holds, or is being sent: one bit a (data, processor). How much room
/// there is, and who has to go, is the driver's to know.
///
/// The processors of one data item lie together: who will ask next is not known in advance, but
/// which task is drawn next is, so its data can be fetched into the cache ahead of the question.
class NodeMemory {
 public:
  NodeMemory(std::size_t processors, std::uint64_t data)
      : words_a_data_((processors + 63) / 64),
        words_(data * words_a_data_, 0),
        evictions_(processors, 0) {}

  [[nodiscard]] bool resident(ProcessorId processor, DataId data) const {
    return ((words_[word_of(processor, data)] >> (raw(processor) % 64)) & 1U) != 0;
  }
  /// Makes `data` resident; false if it was already.
  bool load(ProcessorId processor, DataId data) {
    std::uint64_t& word = words_[word_of(processor, data)];
    const std::uint64_t bit = std::uint64_t{1} << (raw(processor) % 64);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  void evict(ProcessorId processor, DataId data) {
    words_[word_of(processor, data)] &= ~(std::uint64_t{1} << (raw(processor) % 64));
    ++evictions_[raw(processor)];
  }
  /// So often a data item has left the processor's memory: what it held at once, it still holds
  /// while this number stays.
  [[nodiscard]] std::uint64_t evictions(ProcessorId processor) const {
    return evictions_[raw(processor)] + dropped_by_all_;
  }
  /// The lowest processor that holds `data`, if any does.
  [[nodiscard]] std::optional<ProcessorId> first_holder(DataId data) const {
    for (std::size_t w = 0; w < words_a_data_; ++w) {
      const std::uint64_t word = words_[raw(data) * words_a_data_ + w];
      if (word == 0) continue;
      return ProcessorId{static_cast<std::uint32_t>(w * 64) +
                         static_cast<std::uint32_t>(std::countr_zero(word))};
    }
    return std::nullopt;
  }
  /// Calls visit(processor) for each that holds `data`, ascending.
  template <typename Visit>
  void for_each_holder(DataId data, Visit&& visit) const {
    for (std::size_t w = 0; w < words_a_data_; ++w) {
      for (std::uint64_t left = words_[raw(data) * words_a_data_ + w]; left != 0;
           left &= left - 1) {
        visit(ProcessorId{static_cast<std::uint32_t>(w * 64) +
                          static_cast<std::uint32_t>(std::countr_zero(left))});
      }
    }
  }
  [[nodiscard]] bool held_by_one(DataId data) const {
    int holders = 0;
    for (std::size_t w = 0; w < words_a_data_; ++w) {
      holders += std::popcount(words_[raw(data) * words_a_data_ + w]);
    }
    return holders == 1;
  }
  /// Nobody holds `data`.
  void keep_none(DataId data) {
    ++dropped_by_all_;
    for (std::size_t w = 0; w < words_a_data_; ++w) words_[raw(data) * words_a_data_ + w] = 0;
  }
  /// The processor alone holds `data`.
  void keep_only(ProcessorId processor, DataId data) {
    keep_none(data);
    load(processor, data);
  }
  /// Brings what resident() will read into the cache.
  void prefetch(DataId data) const {
    const std::uint64_t* const word = &words_[raw(data) * words_a_data_];
    __builtin_prefetch(word, 1);
    // Without a side effect GCC takes the callers for empty and drops the prefetch with them.
    __asm__ volatile("" : : "r"(word));
  }

 private:
  [[nodiscard]] std::size_t word_of(ProcessorId processor, DataId data) const {
    return raw(data) * words_a_data_ + raw(processor) / 64;
  }

  std::uint64_t words_a_data_;
  BigVector<std::uint64_t> words_;
  std::vector<std::uint64_t> evictions_;  // by processor
  std::uint64_t dropped_by_all_ = 0;
};

}  // namespace damocles
