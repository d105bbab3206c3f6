#include "gpu/starpu/memory_books.hpp"

#include <algorithm>

namespace damocles {

MemoryBooks::MemoryBooks(const StarpuWorkers& workers, const TaskGraph& graph,
                         const std::vector<starpu_data_handle_t>& handles, NodeMemory& memory)
    : workers_(workers),
      graph_(graph),
      handles_(handles),
      memory_(memory),
      nodes_(starpu_memory_nodes_get_count()),
      evictions_(workers.processors()) {
  for (std::size_t p = 0; p < workers.processors(); ++p) {
    const ProcessorId processor{static_cast<std::uint32_t>(p)};
    nodes_[workers.node(processor)].processors.push_back(processor);
  }
}

void MemoryBooks::show_home(Strategy& strategy) {
  for (std::size_t d = 0; d < graph_.data(); ++d) arrived(strategy, 0, static_cast<Index>(d));
}

void MemoryBooks::begins(Strategy& strategy, ProcessorId processor, Index task) {
  for (const Index data : graph_.inputs(task)) {
    if (!holds(processor, data)) arrived(strategy, workers_.node(processor), data);
  }
}

void MemoryBooks::ended(Strategy& strategy, ProcessorId processor, Index task) {
  graph_.for_each_access(task, [&](Index data, Access access) {
    if (!writes(access)) return;
    for (unsigned node = 0; node < nodes_.size(); ++node) {
      const auto& there = nodes_[node].processors;
      if (node == workers_.node(processor) || there.empty()) continue;
      if (holds(there.front(), data)) gone(strategy, node, data);
    }
  });
}

void MemoryBooks::look(Strategy& strategy, ProcessorId processor) {
  const unsigned node = workers_.node(processor);
  Node& at = nodes_[node];
  const auto changed = [&](std::vector<Index>& list, bool to_valid) {
    std::vector<Index> found;
    for (const Index data : list) {
      if (is_valid(node, data) == to_valid) found.push_back(data);
    }
    return found;
  };
  if (node == 0) {
    for (const Index data : changed(at.held, true)) arrived(strategy, node, data);
    return;
  }
  for (const Index data : changed(at.held, false)) {
    for (const ProcessorId there : at.processors) ++evictions_[raw(there)];
    gone(strategy, node, data);
  }
  for (const Index data : changed(at.expected, true)) {
    std::erase(at.expected, data);
    if (!holds(processor, data)) arrived(strategy, node, data);
  }
}

void MemoryBooks::expect(ProcessorId processor, Index data) {
  auto& expected = nodes_[workers_.node(processor)].expected;
  if (std::find(expected.begin(), expected.end(), data) == expected.end()) expected.push_back(data);
}

/// The list of node 0 has what is not there, as that is little.
void MemoryBooks::arrived(Strategy& strategy, unsigned node, Index data) {
  if (node == 0) {
    std::erase(nodes_[node].held, data);
  } else {
    nodes_[node].held.push_back(data);
  }
  for (const ProcessorId processor : nodes_[node].processors) {
    memory_.load(processor, DataId{data});
    strategy.on_loaded(processor, DataId{data});
    strategy.on_arrived(processor, DataId{data});
  }
}

void MemoryBooks::gone(Strategy& strategy, unsigned node, Index data) {
  if (node == 0) {
    nodes_[node].held.push_back(data);
  } else {
    std::erase(nodes_[node].held, data);
  }
  for (const ProcessorId processor : nodes_[node].processors) {
    memory_.evict(processor, DataId{data});
    strategy.on_evicted(processor, DataId{data});
  }
}

bool MemoryBooks::is_valid(unsigned node, Index data) const {
  int valid = 0;
  starpu_data_query_status(handles_[data], static_cast<int>(node), nullptr, &valid, nullptr);
  return valid != 0;
}

}  // namespace damocles
