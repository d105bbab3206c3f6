#pragma once

#include <cstdint>
#include <vector>

#include "strategies/eviction/eviction.hpp"
#include "strategies/strategy.hpp"
#include "tests/sim/naive/state.hpp"

namespace damocles::naive {

/// For whom room is sought. The next task may take all that is not pinned; a later one of the
/// buffer, what no buffered task reads; a prefetch hint, what moreover no planned task reads.
enum class FetchReason { next_task, later_task, prefetch_hint };

inline ProcessorId id_of(const Processor& processor) {
  return ProcessorId{static_cast<std::uint32_t>(processor.id)};
}

/// What a policy of eviction is told of a processor that seeks room.
class Asked final : public EvictionCandidates {
 public:
  Asked(const State& state, const Processor& processor, Strategy& strategy, FetchReason reason,
        std::uint64_t bytes, const std::vector<Index>& expected)
      : state_(state),
        processor_(processor),
        strategy_(strategy),
        reason_(reason),
        bytes_(bytes),
        expected_(expected) {}

  [[nodiscard]] bool evictable(DataId data) const override {
    const auto index = static_cast<Index>(raw(data));
    const Presence presence = state_.presence_of(processor_, index);
    if (presence != Presence::here && presence != Presence::allocated) return false;
    if (state_.pinned(processor_, index)) return false;
    if (reason_ == FetchReason::next_task) return true;
    if (buffered_uses(data) > 0) return false;
    return reason_ == FetchReason::later_task ||
           strategy_.reserved_uses(id_of(processor_), data) == 0;
  }
  [[nodiscard]] bool reusable(DataId data) const override {
    const auto index = static_cast<Index>(raw(data));
    const std::size_t memory = *processor_.memory;
    return state_.graph.writes() && state_.graph.bytes(index) == bytes_ &&
           !state_.memories[memory].sums[index] && !state_.modified(memory, index);
  }
  [[nodiscard]] std::uint32_t buffered_uses(DataId data) const override {
    return state_.buffered_uses(processor_, static_cast<Index>(raw(data)));
  }
  [[nodiscard]] std::uint64_t next_use(DataId data) const override {
    std::vector<Index> tasks = processor_.buffer;
    tasks.insert(tasks.end(), processor_.granted.begin(), processor_.granted.end());
    for (std::size_t at = 0; at < tasks.size(); ++at) {
      if (state_.accesses(tasks[at], static_cast<Index>(raw(data)))) return at;
    }
    const std::uint64_t later = strategy_.next_use(id_of(processor_), data);
    if (later != Strategy::never) return later + tasks.size();
    // What nobody was granted yet, in the order in which one processor would run it.
    std::uint64_t granted = 0;
    for (const Index task : expected_) granted += state_.granted[task] ? 1 : 0;
    for (std::uint64_t at = 0; at < expected_.size(); ++at) {
      if (state_.granted[expected_[at]]) continue;
      if (!state_.accesses(expected_[at], static_cast<Index>(raw(data)))) continue;
      return (at > granted ? at - granted : 0) + state_.graph.tasks() + tasks.size();
    }
    return Strategy::never;
  }

 private:
  const State& state_;
  const Processor& processor_;
  Strategy& strategy_;
  FetchReason reason_;
  std::uint64_t bytes_;                 ///< for which room is sought
  const std::vector<Index>& expected_;  ///< guessed order of all tasks; empty: no guess
};

}  // namespace damocles::naive
