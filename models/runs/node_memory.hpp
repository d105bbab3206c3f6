#pragma once

#include <array>
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
    if (is_new) note(processor, data, true);
    return is_new;
  }
  void evict(ProcessorId processor, DataId data) {
    if (resident(processor, data)) note(processor, data, false);
    words_[word_of(processor, data)] &= ~(std::uint64_t{1} << (raw(processor) % 64));
    ++evictions_[raw(processor)];
  }
  /// So often a data item has left the processor's memory: what it held at once, it still holds
  /// while this number stays.
  [[nodiscard]] std::uint64_t evictions(ProcessorId processor) const {
    return evictions_[raw(processor)] + dropped_by_all_;
  }
  /// From now on it is known what came and went last. No other answer changes.
  void remember_changes() const { changes_.resize(evictions_.size()); }
  /// So often something has come or gone since then.
  [[nodiscard]] std::uint64_t changes(ProcessorId processor) const {
    return changes_[raw(processor)].count;
  }
  /// Calls visit(data, whether it came) for what has come or gone since there were `before`
  /// changes, in that order. @return whether that is known: of more than a few changes it is not,
  /// and nothing is visited
  template <typename Visit>
  [[nodiscard]] bool for_each_change(ProcessorId processor, std::uint64_t before,
                                     Visit&& visit) const {
    const Changes& its = changes_[raw(processor)];
    if (its.count - before > its.last.size()) return false;
    for (; before < its.count; ++before) {
      const std::uint64_t change = its.last[before % its.last.size()];
      visit(DataId{change / 2}, change % 2 != 0);
    }
    return true;
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
    if (!changes_.empty()) for_each_holder(data, [&](ProcessorId p) { note(p, data, false); });
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
  struct Changes {
    std::uint64_t count = 0;
    std::array<std::uint64_t, 31>
        last{};  // by count, round and round: twice the data, 1 if it came
  };

  void note(ProcessorId processor, DataId data, bool came) {
    if (changes_.empty()) return;
    Changes& its = changes_[raw(processor)];
    its.last[its.count++ % its.last.size()] = 2 * raw(data) + (came ? 1 : 0);
  }
  [[nodiscard]] std::size_t word_of(ProcessorId processor, DataId data) const {
    return raw(data) * words_a_data_ + raw(processor) / 64;
  }

  std::uint64_t words_a_data_;
  BigVector<std::uint64_t> words_;
  std::vector<std::uint64_t> evictions_;  // by processor
  std::uint64_t dropped_by_all_ = 0;
  mutable std::vector<Changes> changes_;  // by processor; empty where nobody asks for them
};

}  // namespace damocles
