// Data items that come from another processor, over a link.

#include <utility>

#include "strategies/runtime/memory_aware_runtime.hpp"

namespace damocles {

/// The processor from which the data would come soonest, nothing where that is in host memory.
WorkerState* MemoryAwareRuntime::nearest_peer(const WorkerState& worker, Index data) {
  const std::size_t to = raw(worker.id());
  const bool home = !coherence_ || coherence_->in_host_memory(data);
  double fastest = home ? machine_.home_rate(to) : 0;
  WorkerState* nearest = nullptr;
  memory_.for_each_holder(DataId{data}, [&](ProcessorId other) {
    const double rate = peer_rates_[raw(other) * workers_.size() + to];
    if (!(rate > fastest) || !workers_[raw(other)].resident(data)) return;
    fastest = rate;
    nearest = &workers_[raw(other)];
  });
  return nearest;
}

/// Who lent the data that came to the processor may let it go, and write it.
void MemoryAwareRuntime::end_lending(const WorkerState& worker, Index data) {
  const auto lender = lenders_.find({data, worker.id()});
  if (lender == lenders_.end()) return;
  workers_[raw(lender->second)].unpin(data);
  woken_.push_back(lender->second);
  wake_held_up();
  lenders_.erase(lender);
}

}  // namespace damocles
