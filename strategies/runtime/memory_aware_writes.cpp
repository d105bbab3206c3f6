// What MemoryAwareRuntime does where tasks write: Coherence carried out on the processors'
// memories.

#include "strategies/runtime/memory_aware_runtime.hpp"

namespace damocles {

/// Whether nothing that the task writes is being copied, to host memory or to another processor,
/// nor, where it writes in host memory, from there; and whether host memory holds what it begins to
/// reduce into, which is sent there for that. Else its processor is asked again when that has
/// ended.
bool MemoryAwareRuntime::may_write(WorkerState& worker, Index task) {
  bool may = true;
  graph_.for_each_access(task, [&](Index data, Access access) {
    if (!writes(access)) return;
    if (worker.in_host_memory() && on_its_way(data)) may = false;
    if (reduces(access) && coherence_->reducing(data)) return;
    const bool returns = coherence_->returns(data);
    if (returns || lent(data)) may = false;
    if (!reduces(access) || coherence_->in_host_memory(data)) return;
    may = false;
    if (!returns) send_home(workers_[raw(coherence_->holder(data))], data);
  });
  if (!may) held_up_.push_back(worker.id());
  return may;
}

/// Whether some processor is on the way of getting it from another.
bool MemoryAwareRuntime::lent(Index data) const {
  const auto first = lenders_.lower_bound({data, ProcessorId{0}});
  return first != lenders_.end() && first->first.first == data;
}

/// Whether some processor is on the way of getting it.
bool MemoryAwareRuntime::on_its_way(Index data) {
  bool any = false;
  memory_.for_each_holder(DataId{data}, [&](ProcessorId to) {
    const WorkerState& worker = workers_[raw(to)];
    any = any || !(worker.resident(data) || worker.allocated(data));
  });
  return any;
}

/// Room for what the task writes without reading, and that is not there yet.
std::uint64_t MemoryAwareRuntime::created_bytes(const WorkerState& worker, Index task) const {
  std::uint64_t bytes = 0;
  graph_.for_each_access(task, [&](Index data, Access) {
    if (worker.absent(data)) bytes += graph_.bytes(data);
  });
  return bytes;
}

void MemoryAwareRuntime::create(WorkerState& worker, Index task) {
  graph_.for_each_access(task, [&](Index data, Access) {
    if (worker.absent(data)) {
      if (worker.in_host_memory()) return come_home(data);
      allocate(worker, data);
    }
    if (!worker.allocated(data)) return;
    worker.end_load(data);
    backend_.create(worker.id(), DataId{data});
    strategy_->on_arrived(worker.id(), DataId{data});
  });
}

/// All other copies of what the task writes are of no use from now on.
void MemoryAwareRuntime::begin_writing(WorkerState& worker, Index task) {
  graph_.for_each_access(task, [&](Index data, Access access) {
    if (!writes(access)) return;
    if (reduces(access)) return begin_adding(worker, data);
    if (worker.in_host_memory()) {
      coherence_->write_begins_in_host_memory(data);
    } else {
      coherence_->write_begins(worker.id(), data);
    }
    take_from_others(worker, data);
  });
}

/// The first to add ends all copies; every processor but those in host memory adds to a sum of its
/// own.
void MemoryAwareRuntime::begin_adding(WorkerState& worker, Index data) {
  if (!coherence_->reducing(data)) {
    coherence_->reduction_begins(data);
    take_from_others(worker, data);
  }
  if (worker.in_host_memory() || coherence_->has_sum(worker.id(), data)) return;
  coherence_->sum_begins(worker.id(), data);
  backend_.begin_sum(worker.id(), DataId{data});
}

void MemoryAwareRuntime::take_from_others(const WorkerState& worker, Index data) {
  std::vector<ProcessorId> others;
  memory_.for_each_holder(DataId{data}, [&](ProcessorId other) {
    const bool same = worker.in_host_memory() && workers_[raw(other)].in_host_memory();
    if (other != worker.id() && !same) others.push_back(other);
  });
  for (const ProcessorId other : others) invalidate(workers_[raw(other)], data);
}

/// The task may run: all have ended that reduced into what it accesses otherwise.
void MemoryAwareRuntime::end_reductions(Index task) {
  graph_.for_each_access(task, [&](Index data, Access access) {
    if (!reduces(access) && coherence_->reducing(data)) end_reduction(data);
  });
}

/// All sums go to host memory. Who computes there has the data when they have come.
void MemoryAwareRuntime::end_reduction(Index data) {
  for (const ProcessorId holder : coherence_->reduction_ends(data)) {
    WorkerState& worker = workers_[raw(holder)];
    if (worker.leaving(data)) continue;
    worker.begin_leaving(data);
    tell_gone(worker, data);
    send_home(worker, data);
  }
  if (!any_in_host_memory_) return;
  if (coherence_->in_host_memory(data)) return come_home(data);
  for (WorkerState& worker : workers_) {
    if (worker.in_host_memory() && worker.resident(data)) forget(worker, data);
  }
}

void MemoryAwareRuntime::invalidate(WorkerState& worker, Index data) {
  if (worker.allocated(data)) return;  // nothing is there yet
  if (!worker.resident(data)) return worker.make_stale(data);
  if (worker.in_host_memory()) return forget(worker, data);
  backend_.invalidate(worker.id(), DataId{data});
  forget(worker, data);
  woken_.push_back(worker.id());
}

void MemoryAwareRuntime::end_accesses(WorkerState& worker, Index task) {
  graph_.for_each_access(task, [&](Index data, Access access) {
    const bool written = writes(access) && coherence_->write_ended(data);
    if (written && graph_.early_home(data)) worker.early_home.push_back(data);
    if (!graph_.temporary(data)) return;
    coherence_->access_ended(data);
    drop_if_over(data);
  });
}

/// What goes home early leaves one after the other, when nothing else leaves: StarPU's idle
/// requests. What has gone home meanwhile, or is gone, or is still to be added up, is left out.
void MemoryAwareRuntime::send_early(WorkerState& worker) {
  while (!worker.early_home.empty() && worker.returning + worker.in_flight_out == 0) {
    const Index data = worker.early_home.front();
    worker.early_home.pop_front();
    if (worker.in_host_memory() || !worker.resident(data) || coherence_->in_host_memory(data) ||
        coherence_->returns(data) || coherence_->reducing(data)) {
      continue;
    }
    send_home(worker, data);
  }
}

/// Nobody needs temporary data after their last access: all copies go, but not while something is
/// copied from one, nor sums that nobody has asked for.
void MemoryAwareRuntime::drop_if_over(Index data) {
  if (!coherence_->over(data) || coherence_->reducing(data) || coherence_->returns(data) ||
      lent(data)) {
    return;
  }
  coherence_->drop(data);
  std::vector<ProcessorId> holders;
  memory_.for_each_holder(DataId{data}, [&](ProcessorId one) { holders.push_back(one); });
  for (const ProcessorId one : holders) invalidate(workers_[raw(one)], data);
}

/// `data`, which the processor alone holds, is to be in host memory too; or its sum to be added
/// there.
void MemoryAwareRuntime::send_home(WorkerState& worker, Index data) {
  coherence_->return_begins(data);
  ++worker.returning;
  if (!worker.leaving(data)) worker.pin(data);
  backend_.start_return(worker.id(), DataId{data});
}

void MemoryAwareRuntime::return_ended(ProcessorId processor, DataId data) {
  WorkerState& worker = workers_[raw(processor)];
  const auto home = static_cast<Index>(raw(data));
  --worker.returning;
  const auto waiting = coherence_->return_ended(home);
  if (worker.leaving(home)) {
    coherence_->dropped(processor, home);
    worker.evict(home);
    backend_.evict(processor, data);
  } else {
    worker.unpin(home);
  }
  if (any_in_host_memory_ && coherence_->in_host_memory(home)) come_home(home);
  for (const auto& load : waiting) {
    WorkerState& to = workers_[raw(load.processor)];
    if (!to.in_host_memory()) send(to, home, load.on_demand);
  }
  drop_if_over(home);
  wake_held_up();
  serve_all(worker);
}

/// What all data are to processors that compute in host memory, at first: there.
void MemoryAwareRuntime::show_home() {
  for (WorkerState& worker : workers_) {
    if (!worker.in_host_memory()) continue;
    for (std::size_t d = 0; d < graph_.data(); ++d) {
      if (graph_.temporary(static_cast<Index>(d))) continue;
      memory_.load(worker.id(), DataId{d});
      strategy_->on_loaded(worker.id(), DataId{d});
      strategy_->on_arrived(worker.id(), DataId{d});
    }
  }
}

/// The data is there for all processors that compute in host memory.
void MemoryAwareRuntime::come_home(Index data) {
  for (WorkerState& worker : workers_) {
    if (!worker.in_host_memory() || worker.resident(data)) continue;
    if (worker.absent(data)) {
      take_in(worker, data);
    } else {
      --worker.in_flight;  // it has asked for it
    }
    worker.end_load(data);
    strategy_->on_arrived(worker.id(), DataId{data});
    woken_.push_back(worker.id());
  }
}

/// All tasks have ended: what is modified travels to host memory, but for temporary data.
void MemoryAwareRuntime::return_all() {
  for (std::size_t d = 0; d < graph_.data(); ++d) {
    const auto data = static_cast<Index>(d);
    if (graph_.temporary(data)) continue;
    if (coherence_->reducing(data)) end_reduction(data);
    if (coherence_->in_host_memory(data) || coherence_->returns(data)) continue;
    send_home(workers_[raw(coherence_->holder(data))], data);
  }
}

}  // namespace damocles
