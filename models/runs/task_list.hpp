#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "models/ids.hpp"

namespace damocles {

/// Tasks in order, up to 64 an entry, so that 10^9 tasks are granted without naming each.
class TaskList {
 public:
  void clear() {
    used_ = 0;
    size_ = 0;
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  void add(TaskId task) { add(task, 1); }
  /// Adds task first + b for every set bit b of `mask`, ascending.
  void add(TaskId first, std::uint64_t mask) {
    reserve(1);
    add_any(first, mask);
  }
  /// Room for `count` calls of add_any.
  void reserve(std::size_t count) {
    if (words_.size() - used_ < count) words_.resize(2 * words_.size() + count);
  }
  /// Adds task first + b * stride for every set bit b of `mask`, ascending; none if it is 0,
  /// without a branch to mispredict. @pre reserve
  void add_any(TaskId first, std::uint64_t mask, std::uint64_t stride = 1) {
    words_[used_] = {raw(first), mask, stride};
    used_ += mask != 0 ? 1 : 0;
    size_ += static_cast<std::uint64_t>(std::popcount(mask));
  }
  /// Adds `count` tasks from `first` on.
  void add_range(TaskId first, std::uint64_t count) {
    for (std::uint64_t done = 0; done < count; done += 64) {
      const std::uint64_t left = count - done;
      add(TaskId{raw(first) + done},
          left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1);
    }
  }

  /// Calls visit(TaskId) for each task in order.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t at = 0; at < used_; ++at) {
      const Word word = words_[at];
      for (std::uint64_t bits = word.mask; bits != 0; bits &= bits - 1) {
        visit(
            TaskId{word.first + word.stride * static_cast<std::uint64_t>(std::countr_zero(bits))});
      }
    }
  }

 private:
  struct Word {
    std::uint64_t first;
    std::uint64_t mask;
    std::uint64_t stride;
  };
  std::vector<Word> words_;
  std::size_t used_ = 0;  // of words_
  std::uint64_t size_ = 0;
};

}  // namespace damocles
