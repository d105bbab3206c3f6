#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace damocles {

/// Who waits for whom: a relation between tasks without circles, in compressed rows.
class Dependencies {
 public:
  using Index = std::uint32_t;
  /// (task, a task that has to end before it starts)
  using Wait = std::pair<Index, Index>;

  Dependencies() = default;
  /// A wait given twice counts once. @pre all tasks are below `tasks`, and circle() is empty
  Dependencies(std::size_t tasks, std::span<const Wait> waits);

  [[nodiscard]] bool empty() const { return after_.empty(); }
  [[nodiscard]] std::size_t size() const { return after_.size(); }
  /// How many tasks have to end before this one starts.
  [[nodiscard]] std::uint32_t waits_for(Index task) const {
    return waits_for_.empty() ? 0 : waits_for_[task];
  }
  /// The tasks that wait for this one, ascending.
  [[nodiscard]] std::span<const Index> after(Index task) const {
    if (after_.empty()) return {};
    return {after_.data() + after_begin_[task], after_.data() + after_begin_[task + 1]};
  }

  /// All tasks, each after those that it waits for; of those that could come next the lowest.
  [[nodiscard]] std::vector<Index> order(std::size_t tasks) const;

 private:
  std::vector<std::uint32_t> waits_for_;
  std::vector<std::uint64_t> after_begin_;
  std::vector<Index> after_;
};

/// Tasks that can never start, each waiting for the next and the last for the first; empty where
/// there are none.
[[nodiscard]] std::vector<Dependencies::Index> circle(std::size_t tasks,
                                                      std::span<const Dependencies::Wait> waits);

}  // namespace damocles
