#pragma once

#include <algorithm>
#include <ctime>
#include <memory>
#include <vector>

#include "models/runs/node_memory.hpp"
#include "strategies/eviction/eviction.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// Processors that take turns: each asks, loads what its task lacks into a memory of `capacity`
/// data of one size, evicting as its policy says, and runs the task in no time. What is measured is
/// then the strategy and its policy, and next to nothing else.
class Turns final : public EvictionCandidates {
 public:
  using Index = TaskGraph::Index;

  Turns(const Workload& workload, const Platform& platform, const StrategyChoice& choice,
        std::size_t capacity, std::uint64_t seed)
      : graph_(workload.graph()),
        memory_(platform.processors(), workload.data()),
        begun_(std::clock()),
        strategy_(
            choice.make({workload, platform, memory_, choice.spec, Rng(seed, Draw::strategy, 0),
                         std::vector<std::uint64_t>(platform.processors(),
                                                    capacity * workload.graph().bytes(0))})),
        eviction_(Table<EvictionEntry>::named(choice.eviction())
                      .make({platform.processors(), workload.data(), *strategy_,
                             Rng(seed, Draw::eviction, 0)})),
        made_(std::clock()),
        held_(platform.processors(), 0),
        capacity_(capacity) {}

  /// Loads of all tasks.
  std::uint64_t run() {
    std::size_t left = graph_.tasks();
    Grant grant;
    while (left > 0) {
      for (std::uint32_t p = 0; p < held_.size() && left > 0; ++p) {
        processor_ = ProcessorId{p};
        grant.clear();
        strategy_->request(processor_, grant);
        grant.tasks.for_each([&](TaskId task) {
          run_task(static_cast<Index>(raw(task)));
          --left;
        });
      }
    }
    return loads_;
  }

  /// CPU time that making the strategy took [s].
  [[nodiscard]] double making_s() const {
    return static_cast<double>(made_ - begun_) / CLOCKS_PER_SEC;
  }

  [[nodiscard]] bool evictable(DataId data) const override {
    const auto inputs = graph_.inputs(task_);
    return memory_.resident(processor_, data) &&
           std::find(inputs.begin(), inputs.end(), raw(data)) == inputs.end();
  }
  [[nodiscard]] std::uint32_t buffered_uses(DataId) const override { return 0; }
  [[nodiscard]] std::uint64_t next_use(DataId data) const override {
    return strategy_->next_use(processor_, data);
  }
  [[nodiscard]] std::optional<DataId> farthest_use() const override {
    return strategy_->farthest_use(processor_, [&](DataId data) { return evictable(data); });
  }

 private:
  void run_task(Index task) {
    task_ = task;
    for (const Index input : graph_.inputs(task)) {
      const DataId data{input};
      if (memory_.resident(processor_, data)) continue;
      if (held_[raw(processor_)] == capacity_) evict();
      ++held_[raw(processor_)];
      ++loads_;
      memory_.load(processor_, data);
      eviction_->on_loaded(processor_, data);
      strategy_->on_loaded(processor_, data);
      strategy_->on_arrived(processor_, data);
    }
    for (const Index input : graph_.inputs(task)) eviction_->on_used(processor_, DataId{input});
    strategy_->on_started(processor_, TaskId{task});
  }

  void evict() {
    const auto victim = eviction_->victim(processor_, *this);
    --held_[raw(processor_)];
    memory_.evict(processor_, *victim);
    eviction_->on_evicted(processor_, *victim);
    strategy_->on_evicted(processor_, *victim);
  }

  const TaskGraph& graph_;
  NodeMemory memory_;
  std::clock_t begun_;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Eviction> eviction_;
  std::clock_t made_;
  std::vector<std::size_t> held_;
  std::size_t capacity_;
  ProcessorId processor_{0};
  Index task_ = 0;
  std::uint64_t loads_ = 0;
};

}  // namespace damocles
