#include "strategies/dispatch/replay_dispatch.hpp"

namespace damocles {

ReplayDispatch::ReplayDispatch(const Decisions& decisions, Machine& machine)
    : machine_(machine), nodes_(decisions.processors) {
  for (const RunEvent& event : decisions.events) {
    nodes_[raw(event.processor)].script.push_back(&event);
  }
}

void ReplayDispatch::start() {
  for (std::size_t p = 0; p < nodes_.size(); ++p) {
    advance(ProcessorId{static_cast<std::uint32_t>(p)});
  }
}

void ReplayDispatch::load_ended(ProcessorId processor, DataId data) {
  nodes_[raw(processor)].loads_ended.insert(raw(data));
  advance(processor);
}

void ReplayDispatch::task_ended(ProcessorId processor, TaskId) {
  ++nodes_[raw(processor)].tasks_ended;
  advance(processor);
}

/// All that comes before the next end that is still to come.
void ReplayDispatch::advance(ProcessorId processor) {
  Node& node = nodes_[raw(processor)];
  for (; node.at < node.script.size(); ++node.at) {
    const RunEvent& event = *node.script[node.at];
    switch (event.kind) {
      case RunEvent::Kind::granted:
        machine_.granted(processor, TaskId{event.id});
        break;
      case RunEvent::Kind::load_started:
        machine_.start_load(processor, DataId{event.id});
        break;
      case RunEvent::Kind::evicted:
        machine_.evict(processor, DataId{event.id});
        break;
      case RunEvent::Kind::task_started:
        machine_.start_task(processor, TaskId{event.id}, 0);
        break;
      case RunEvent::Kind::load_ended: {
        const auto ended = node.loads_ended.find(event.id);
        if (ended == node.loads_ended.end()) return;
        node.loads_ended.erase(ended);
        break;
      }
      case RunEvent::Kind::task_ended:
        if (node.tasks_ended == 0) return;
        --node.tasks_ended;
        break;
      case RunEvent::Kind::created:
      case RunEvent::Kind::return_started:
      case RunEvent::Kind::return_ended:
        break;  // refused by check_decisions()
    }
  }
}

}  // namespace damocles
