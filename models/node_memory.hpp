#pragma once

#include <cstdint>
#include <vector>

#include "models/ids.hpp"

namespace damocles {

/// Which data each processor holds: one bit a (processor, data). Unlimited: nothing is evicted.
class NodeMemory {
 public:
  NodeMemory(std::size_t processors, std::uint64_t data)
      : words_a_processor_((data + 63) / 64), words_(processors * words_a_processor_, 0) {}

  [[nodiscard]] bool resident(ProcessorId processor, DataId data) const {
    return ((words_[word_of(processor, data)] >> (raw(data) % 64)) & 1U) != 0;
  }
  /// Makes `data` resident; false if it was already.
  bool load(ProcessorId processor, DataId data) {
    std::uint64_t& word = words_[word_of(processor, data)];
    const std::uint64_t bit = std::uint64_t{1} << (raw(data) % 64);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }

 private:
  [[nodiscard]] std::size_t word_of(ProcessorId processor, DataId data) const {
    return raw(processor) * words_a_processor_ + raw(data) / 64;
  }

  std::uint64_t words_a_processor_;
  std::vector<std::uint64_t> words_;
};

}  // namespace damocles
