// What LimitedDispatch does where tasks write: Coherence carried out on the processors' memories.

#include "strategies/dispatch/limited_dispatch.hpp"

namespace damocles {

/// Whether nothing that the task writes is being copied, home or to another processor; else its
/// processor is asked again when that has ended.
bool LimitedDispatch::may_write(GpuNode& node, Index task) {
  bool may = true;
  graph_.for_each_access(task, [&](Index data, Access access) {
    may = may && !(writes(access) && (coherence_->returns(data) || lent(data)));
  });
  if (!may) held_up_.push_back(node.id());
  return may;
}

/// Whether some processor is on the way of getting it from another.
bool LimitedDispatch::lent(Index data) const {
  const auto first = lenders_.lower_bound({data, ProcessorId{0}});
  return first != lenders_.end() && first->first.first == data;
}

/// Room for what the task writes without reading, and that is not there yet.
std::uint64_t LimitedDispatch::created_bytes(const GpuNode& node, Index task) const {
  std::uint64_t bytes = 0;
  graph_.for_each_access(task, [&](Index data, Access) {
    if (node.absent(data)) bytes += graph_.bytes(data);
  });
  return bytes;
}

void LimitedDispatch::create(GpuNode& node, Index task) {
  graph_.for_each_access(task, [&](Index data, Access) {
    if (!node.absent(data)) return;
    take_in(node, data);
    node.end_load(data);
    machine_.create(node.id(), DataId{data});
    strategy_->on_arrived(node.id(), DataId{data});
  });
}

/// All other copies of what the task writes are of no use from now on.
void LimitedDispatch::begin_writing(GpuNode& node, Index task) {
  graph_.for_each_access(task, [&](Index data, Access access) {
    if (!writes(access)) return;
    coherence_->write_begins(node.id(), data);
    std::vector<ProcessorId> others;
    memory_.for_each_holder(DataId{data}, [&](ProcessorId other) {
      if (other != node.id()) others.push_back(other);
    });
    for (const ProcessorId other : others) invalidate(nodes_[raw(other)], data);
  });
}

void LimitedDispatch::invalidate(GpuNode& node, Index data) {
  if (!node.resident(data)) return node.make_stale(data);
  machine_.invalidate(node.id(), DataId{data});
  forget(node, data);
  woken_.push_back(node.id());
}

void LimitedDispatch::end_writing(Index task) {
  graph_.for_each_access(task, [&](Index data, Access access) {
    if (writes(access)) coherence_->write_ended(data);
  });
}

/// `data`, which the processor alone holds, is to be at home too.
void LimitedDispatch::send_home(GpuNode& node, Index data) {
  coherence_->return_begins(data);
  if (!node.leaving(data)) node.pin(data);
  machine_.start_return(node.id(), DataId{data});
}

void LimitedDispatch::return_ended(ProcessorId processor, DataId data) {
  GpuNode& node = nodes_[raw(processor)];
  const auto home = static_cast<Index>(raw(data));
  const auto waiting = coherence_->return_ended(home);
  if (node.leaving(home)) {
    coherence_->dropped(processor, home);
    node.evict(home);
    machine_.evict(processor, data);
  } else {
    node.unpin(home);
  }
  for (const auto& load : waiting) send(nodes_[raw(load.processor)], home, load.on_demand);
  woken_.insert(woken_.end(), held_up_.begin(), held_up_.end());
  held_up_.clear();
  serve_all(node);
}

/// All tasks have ended: what is modified travels home.
void LimitedDispatch::return_all() {
  for (std::size_t d = 0; d < graph_.data(); ++d) {
    const auto data = static_cast<Index>(d);
    if (coherence_->at_home(data) || coherence_->returns(data)) continue;
    send_home(nodes_[raw(coherence_->holder(data))], data);
  }
}

}  // namespace damocles
