#pragma once

#include <cstdint>

#include "models/big_vector.hpp"
#include "models/ids.hpp"

namespace damocles {

/// Which data each processor holds, or is being sent: one bit a (data, processor). How much room
/// there is, and who has to go, is the driver's to know.
///
/// The processors of one data lie together: who will ask next is not known in advance, but which
/// task is drawn next is, so its data can be fetched into the cache ahead of the question.
class NodeMemory {
 public:
  NodeMemory(std::size_t processors, std::uint64_t data)
      : words_a_data_((processors + 63) / 64), words_(data * words_a_data_, 0) {}

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
};

}  // namespace damocles
