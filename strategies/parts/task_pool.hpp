#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/big_vector.hpp"
#include "models/host_memory.hpp"
#include "models/ids.hpp"
#include "models/rng.hpp"
#include "models/workload.hpp"
#include "strategies/parts/open_tasks.hpp"

namespace damocles {

/// Tasks drawn one by one, each remaining one equally likely.
///
/// Every task is thrown into one of 2^b buckets at random; a bucket is put in random order
/// (Fisher–Yates) when its turn comes. That is a uniform order (Rao 1961, Sandelius 1962), and
/// unlike drawing from the whole array it stays within the cache. The array is made only when
/// drawing starts.
class TaskPool {
 public:
  /// All tasks of the workload. @throws InvalidInput if they do not fit in memory
  TaskPool(const Workload& workload, Rng& rng);
  /// The tasks of `open`.
  TaskPool(const OpenTasks& open, Rng& rng);

  [[nodiscard]] bool empty() const { return next_ == tasks_.size(); }
  TaskId draw(Rng& rng);
  /// A task that will be drawn soon, so that its inputs can be fetched into the cache. @pre
  /// !empty()
  [[nodiscard]] TaskId soon() const { return TaskId{tasks_[std::min(next_ + 8, ordered_ - 1)]}; }

 private:
  template <typename ForEach>
  void scatter(std::uint64_t count, ForEach&& for_each, Rng& rng);

  MemoryPromise promise_;
  BigVector<std::uint64_t> tasks_;
  std::vector<std::uint64_t> bucket_end_;
  std::size_t bucket_ = 0;
  std::size_t ordered_ = 0;  // tasks before this are in their final order
  std::size_t next_ = 0;
};

}  // namespace damocles
