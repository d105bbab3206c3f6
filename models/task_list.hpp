#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "models/ids.hpp"

namespace damocles {

/// Tasks in order, up to 64 neighbours an entry, so that 10^9 tasks are granted without naming each.
class TaskList {
 public:
  void clear() {
    words_.clear();
    size_ = 0;
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  void add(TaskId task) {
    words_.push_back({raw(task), 1});
    ++size_;
  }
  /// Adds task first + b for every set bit b of `mask`, ascending. @pre mask != 0
  void add(TaskId first, std::uint64_t mask) {
    words_.push_back({raw(first), mask});
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
    for (const auto& word : words_) {
      for (std::uint64_t bits = word.mask; bits != 0; bits &= bits - 1) {
        visit(TaskId{word.first + static_cast<std::uint64_t>(std::countr_zero(bits))});
      }
    }
  }

 private:
  struct Word {
    std::uint64_t first;
    std::uint64_t mask;
  };
  std::vector<Word> words_;
  std::uint64_t size_ = 0;
};

}  // namespace damocles
