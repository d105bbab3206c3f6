#pragma once

#include <starpu.h>

#include <cstdint>
#include <vector>

#include "gpu/starpu/workers.hpp"
#include "models/runs/node_memory.hpp"
#include "models/task_graph.hpp"
#include "strategies/strategy.hpp"

namespace damocles {

/// What a strategy has been told of StarPU's memories.
///
/// StarPU moves data itself and tells nobody; what is where can be asked for. So a load is told
/// when it shows: where a task that accesses the data is about to run, or in look(). An eviction is
/// told in look(), which asks for all that a node of limited memory is thought to hold, and for all
/// that is on its way there; what a task wrote is gone everywhere else when it has ended.
class MemoryBooks {
 public:
  using Index = TaskGraph::Index;

  /// All references outlive it. @param handles  StarPU's, by data
  MemoryBooks(const StarpuWorkers& workers, const TaskGraph& graph,
              const std::vector<starpu_data_handle_t>& handles, NodeMemory& memory);

  /// All data are in host memory: told of all processors there. Once, before all else.
  void show_home(Strategy& strategy);
  /// A task that accesses the data is about to run on the processor.
  void begins(Strategy& strategy, ProcessorId processor, Index task);
  /// It has run: what it wrote is nowhere else.
  void ended(Strategy& strategy, ProcessorId processor, Index task);
  /// Asks StarPU what came to the processor's node, and what left.
  void look(Strategy& strategy, ProcessorId processor);
  /// The data is on its way to the processor's node.
  void expect(ProcessorId processor, Index data);
  /// Whether it is thought to be there.
  [[nodiscard]] bool holds(ProcessorId processor, Index data) const {
    return memory_.resident(processor, DataId{data});
  }
  /// Data that left nodes of limited memory though no task wrote them elsewhere, shape (p).
  [[nodiscard]] const std::vector<std::uint64_t>& evictions() const { return evictions_; }

 private:
  struct Node {
    std::vector<ProcessorId> processors;
    std::vector<Index> held;  // of limited memory: what the books say; of node 0: what is missing
    std::vector<Index> expected;
  };

  void arrived(Strategy& strategy, unsigned node, Index data);
  void gone(Strategy& strategy, unsigned node, Index data);
  [[nodiscard]] bool is_valid(unsigned node, Index data) const;

  const StarpuWorkers& workers_;
  const TaskGraph& graph_;
  const std::vector<starpu_data_handle_t>& handles_;
  NodeMemory& memory_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> evictions_;
};

}  // namespace damocles
