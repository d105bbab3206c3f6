#include "strategies/runtime/replay_runtime.hpp"

namespace damocles {
namespace {

using Kind = RunEvent::Kind;

/// Takes one out, if there is any.
bool take(std::multiset<std::uint64_t>& ended, std::uint64_t id) {
  const auto at = ended.find(id);
  if (at == ended.end()) return false;
  ended.erase(at);
  return true;
}

}  // namespace

ReplayRuntime::ReplayRuntime(const Decisions& decisions, const Workload& workload,
                             const Platform& platform, ExecutionBackend& backend)
    : decisions_(decisions),
      workload_(workload),
      platform_(platform),
      order_(decisions, workload, platform),
      backend_(backend),
      nodes_(decisions.processors) {
  for (Event event = 0; event < decisions.events.size(); ++event) {
    nodes_[raw(decisions.events[event].processor)].script.push_back(event);
  }
}

void ReplayRuntime::start() {
  for (std::size_t p = 0; p < nodes_.size(); ++p) queue(p);
  advance();
}

void ReplayRuntime::load_ended(ProcessorId processor, DataId data) {
  nodes_[raw(processor)].loads_ended.insert(raw(data));
  something_ended(processor);
}

void ReplayRuntime::task_ended(ProcessorId processor, TaskId) {
  ++nodes_[raw(processor)].tasks_ended;
  something_ended(processor);
}

void ReplayRuntime::return_ended(ProcessorId processor, DataId data) {
  nodes_[raw(processor)].returns_ended.insert(raw(data));
  nodes_[raw(processor)].sums.erase(raw(data));
  something_ended(processor);
}

void ReplayRuntime::something_ended(ProcessorId processor) {
  Node& node = nodes_[raw(processor)];
  if (!node.awaits_end) return;
  node.awaits_end = false;
  queue(raw(processor));
  advance();
}

/// The next of the processor is to be tried.
void ReplayRuntime::queue(std::size_t processor) {
  const Node& node = nodes_[processor];
  if (node.at < node.script.size()) turns_.emplace(node.script[node.at], processor);
}

/// All that can be done until something more ends.
void ReplayRuntime::advance() {
  while (!turns_.empty()) {
    const std::size_t processor = turns_.top().second;
    turns_.pop();
    step(processor);
  }
}

void ReplayRuntime::step(std::size_t processor) {
  Node& node = nodes_[processor];
  const Event event = node.script[node.at];
  const RunEvent& what = decisions_.events[event];
  if (what.kind == Kind::load_ended || what.kind == Kind::task_ended ||
      what.kind == Kind::return_ended) {
    node.awaits_end = !has_ended(node, what);
    if (node.awaits_end) return;
  } else if (const auto awaited = order_.awaited(event)) {
    waiting_.emplace(*awaited, processor);
    return;
  } else {
    carry_out(node, what);
  }
  ++node.at;
  order_.happened(event, [&](RecordedOrder::Key key) {
    const auto [first, last] = waiting_.equal_range(key);
    for (auto woken = first; woken != last; ++woken) queue(woken->second);
    waiting_.erase(first, last);
  });
  queue(processor);
}

bool ReplayRuntime::has_ended(Node& node, const RunEvent& event) {
  if (event.kind == Kind::load_ended) return take(node.loads_ended, event.id);
  if (event.kind == Kind::return_ended) return take(node.returns_ended, event.id);
  if (node.tasks_ended == 0) return false;
  --node.tasks_ended;
  return true;
}

void ReplayRuntime::carry_out(Node& node, const RunEvent& event) {
  const DataId data{event.id};
  switch (event.kind) {
    case Kind::granted:
      return backend_.granted(event.processor, TaskId{event.id});
    case Kind::load_started:
      return start_load(event);
    case Kind::evicted:
      return event.overwritten ? backend_.invalidate(event.processor, data)
                               : backend_.evict(event.processor, data);
    case Kind::created:
      return backend_.create(event.processor, data);
    case Kind::return_started:
      return backend_.start_return(event.processor, data);
    case Kind::task_started:
      return start_task(node, event);
    case Kind::joined:
      joined_[event.id].push_back(event.processor);
      return;
    case Kind::left:
    case Kind::load_ended:
    case Kind::task_ended:
    case Kind::return_ended:
      return;  // they are waited for, or come with what is
  }
}

void ReplayRuntime::start_load(const RunEvent& event) {
  if (event.lender) {
    backend_.start_peer_load(*event.lender, event.processor, DataId{event.id});
  } else {
    backend_.start_load(event.processor, DataId{event.id});
  }
}

/// Sums begin where the first task that adds to them does.
void ReplayRuntime::start_task(Node& node, const RunEvent& event) {
  const bool in_host_memory =
      platform_.machine && platform_.machine->processors[raw(event.processor)].in_host_memory;
  if (workload_.writes() && workload_.graph().reduces() && !in_host_memory) {
    workload_.graph().for_each_access(static_cast<TaskGraph::Index>(event.id),
                                      [&](TaskGraph::Index data, Access access) {
                                        if (!reduces(access) || !node.sums.insert(data).second)
                                          return;
                                        backend_.begin_sum(event.processor, DataId{data});
                                      });
  }
  if (const auto joined = joined_.find(event.id); joined != joined_.end()) {
    for (const ProcessorId helper : joined->second) backend_.join(helper, TaskId{event.id});
    joined_.erase(joined);
  }
  backend_.start_task(event.processor, TaskId{event.id}, 0);
}

}  // namespace damocles
