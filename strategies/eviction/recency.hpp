#pragma once

#include <optional>
#include <vector>

#include "strategies/eviction/eviction.hpp"
#include "strategies/parts/resident_list.hpp"

namespace damocles {

/// What eviction policies share that keep each processor's data in the order in which they were
/// touched, the one touched longest ago first: by their load, and by tasks that start with them.
class Recency : public Eviction {
 public:
  void on_loaded(ProcessorId processor, DataId data) final {
    lists_[raw(processor)].push_back(data);
  }
  void on_used(ProcessorId processor, DataId data) final {
    if (tasks_touch_) lists_[raw(processor)].touch(data);
  }
  void on_evicted(ProcessorId processor, DataId data) final { lists_[raw(processor)].remove(data); }

 protected:
  enum class Touched { by_loads, by_loads_and_tasks };

  explicit Recency(const EvictionContext& context, Touched touched = Touched::by_loads_and_tasks)
      : tasks_touch_(touched == Touched::by_loads_and_tasks),
        lists_(context.processors, ResidentList(context.data)) {}

  /// The first evictable data for which cost(DataId) is least; a cost of 0 ends the search.
  template <typename Cost>
  [[nodiscard]] std::optional<DataId> cheapest(ProcessorId processor,
                                               const EvictionCandidates& candidates,
                                               Cost&& cost) const {
    std::optional<DataId> cheapest;
    std::uint64_t least = 0;
    DataId stopped{};
    (void)lists_[raw(processor)].find(
        [&](DataId data) {
          if (!candidates.evictable(data)) return false;
          const std::uint64_t price = cost(data);
          if (!cheapest || price < least) {
            cheapest = data;
            least = price;
          }
          return least == 0;
        },
        stopped);
    return cheapest;
  }

  /// Belady's rule: the evictable data whose next use is furthest, of equal ones the first.
  [[nodiscard]] std::optional<DataId> furthest(ProcessorId processor,
                                               const EvictionCandidates& candidates) const {
    return cheapest(processor, candidates,
                    [&](DataId data) { return Strategy::never - candidates.next_use(data); });
  }

 private:
  bool tasks_touch_;
  std::vector<ResidentList> lists_;
};

}  // namespace damocles
