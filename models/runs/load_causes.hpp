// Why data items are loaded: for the first time, or again, and after what.

#pragma once

#include <cstdint>
#include <vector>

#include "models/ids.hpp"
#include "models/runs/node_memory.hpp"
#include "models/runs/trace.hpp"

namespace damocles {

/// Counts the loads of a run by their causes, and what ends copies: evictions and invalidations.
///
/// A load is of the first kind where no copy of the data item has left the processor's memory
/// before. Else the last copy that left tells the cause: it was evicted, or it was invalidated.
/// Machines report what moves; the counts go into their Trace.
class LoadCauses {
 public:
  /// @param writes  whether tasks write data items, so that copies may be invalidated
  LoadCauses(std::size_t processors, std::uint64_t data, bool writes, Trace& trace)
      : evicted_(processors, data), invalidated_(processors, writes ? data : 0), writes_(writes) {
    for (auto* const counts : {&trace.evictions, &trace.invalidations, &trace.loads_first,
                               &trace.loads_after_eviction, &trace.loads_after_invalidation}) {
      counts->assign(processors, 0);
    }
  }

  /// A load starts.
  void load(ProcessorId processor, DataId data, Trace& trace) const {
    const std::size_t p = raw(processor);
    if (evicted_.resident(processor, data)) {
      ++trace.loads_after_eviction[p];
    } else if (writes_ && invalidated_.resident(processor, data)) {
      ++trace.loads_after_invalidation[p];
    } else {
      ++trace.loads_first[p];
    }
  }
  void evict(ProcessorId processor, DataId data, Trace& trace) {
    ++trace.evictions[raw(processor)];
    evicted_.load(processor, data);
    if (writes_) invalidated_.evict(processor, data);
  }
  /// @pre tasks write data items
  void invalidate(ProcessorId processor, DataId data, Trace& trace) {
    ++trace.invalidations[raw(processor)];
    invalidated_.load(processor, data);
    evicted_.evict(processor, data);
  }

 private:
  NodeMemory evicted_;      // set: the last copy that left the processor was evicted
  NodeMemory invalidated_;  // set: it was invalidated; empty where no task writes
  bool writes_;
};

}  // namespace damocles
