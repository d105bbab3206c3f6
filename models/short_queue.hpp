#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <utility>

namespace damocles {

/// First in, first out, in one piece of memory: a queue of few, of which there are thousands. (An
/// empty std::deque takes 0.6 kB, and four cache lines to look at its first.) The first `Within`
/// are in the object itself; queues that hold half as many never leave it.
template <typename Item, std::size_t Within = 4>
class ShortQueue {
 public:
  [[nodiscard]] bool empty() const { return front_ == items_.size(); }
  [[nodiscard]] std::size_t size() const { return items_.size() - front_; }
  [[nodiscard]] const Item& front() const { return items_[front_]; }
  [[nodiscard]] const Item& operator[](std::size_t at) const { return items_[front_ + at]; }
  [[nodiscard]] auto begin() { return items_.begin() + static_cast<std::ptrdiff_t>(front_); }
  [[nodiscard]] auto end() { return items_.end(); }
  [[nodiscard]] auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(front_); }
  [[nodiscard]] auto end() const { return items_.end(); }

  void push_back(Item item) { items_.push_back(std::move(item)); }
  /// O(1) amortised: what has gone leaves its room when it is half of all. @pre !empty()
  void pop_front() {
    ++front_;
    if (2 * front_ < items_.size()) return;
    items_.erase(items_.begin(), begin());
    front_ = 0;
  }

 private:
  boost::container::small_vector<Item, Within> items_;
  std::size_t front_ = 0;
};

}  // namespace damocles
