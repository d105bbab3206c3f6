#include "strategies/runtime/unlimited_memory_runtime.hpp"

#include <chrono>

namespace damocles {

UnlimitedMemoryRuntime::UnlimitedMemoryRuntime(const Workload& workload, const Platform& platform,
                                               const StrategyChoice& strategy, std::uint64_t seed,
                                               std::uint64_t replicate, std::size_t depth,
                                               std::size_t lanes, ExecutionBackend& backend)
    : workload_(workload),
      depth_(depth),
      lanes_(lanes),
      backend_(backend),
      grants_(workload, platform, strategy, seed, replicate),
      arrived_(platform.processors(), workload.data()),
      nodes_(platform.processors()),
      scheduling_s_(grants_.making_s()) {}

void UnlimitedMemoryRuntime::start() {
  for (const ProcessorId processor : grants_.start_order()) serve(processor);
}

void UnlimitedMemoryRuntime::load_ended(ProcessorId processor, DataId data) {
  arrived_.load(processor, data);
  serve(processor);
}

void UnlimitedMemoryRuntime::task_ended(ProcessorId processor, TaskId) {
  Node& node = nodes_[raw(processor)];
  node.tasks.pop_front();
  --node.running;
  serve(processor);
}

void UnlimitedMemoryRuntime::serve(ProcessorId processor) {
  Node& node = nodes_[raw(processor)];
  while (node.tasks.size() < depth_ && ask(processor, node)) {
  }
  while (node.running < lanes_ && node.running < node.tasks.size() &&
         ready(processor, node.tasks[node.running])) {
    const TaskId task = node.tasks[node.running++];
    backend_.start_task(processor, task, node.pending_overhead_s);
    node.pending_overhead_s = 0;
  }
}

/// True if the strategy granted a task.
bool UnlimitedMemoryRuntime::ask(ProcessorId processor, Node& node) {
  const auto timed = [&](auto&& question) {
    const auto start = std::chrono::steady_clock::now();
    question();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    node.pending_overhead_s += took.count();
    scheduling_s_ += took.count();
  };
  const Grant& last = grants_.ask(processor, timed, [&](const Grant& grant) {
    for (const DataId data : grant.loads) backend_.start_load(processor, data);
  });
  last.tasks.for_each([&](TaskId task) {
    node.tasks.push_back(task);
    backend_.granted(processor, task);
  });
  return !last.tasks.empty();
}

bool UnlimitedMemoryRuntime::ready(ProcessorId processor, TaskId task) const {
  bool all = true;
  workload_.for_each_input(task,
                           [&](DataId data) { all = all && arrived_.resident(processor, data); });
  return all;
}

}  // namespace damocles
