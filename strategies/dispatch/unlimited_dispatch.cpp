#include "strategies/dispatch/unlimited_dispatch.hpp"

#include <fmt/format.h>

#include <chrono>

#include "models/error.hpp"
#include "models/rng.hpp"
#include "strategies/parts/send_missing.hpp"

namespace damocles {

UnlimitedDispatch::UnlimitedDispatch(const Workload& workload, const Platform& platform,
                                     const StrategyChoice& strategy, std::uint64_t seed,
                                     std::uint64_t replicate, std::size_t depth, std::size_t lanes,
                                     Machine& machine)
    : workload_(workload),
      tasks_only_(strategy.entry->tasks_only),
      depth_(depth),
      lanes_(lanes),
      machine_(machine),
      memory_(platform.processors(), workload.data()),
      arrived_(platform.processors(), workload.data()),
      nodes_(platform.processors()) {
  const auto start = std::chrono::steady_clock::now();
  strategy_ = strategy.make(
      {workload, platform, memory_, strategy.spec, Rng(seed, Draw::strategy, replicate)});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  scheduling_s_ = took.count();
  for (std::size_t p = 0; p < nodes_.size(); ++p) {
    start_order_.push_back(ProcessorId{static_cast<std::uint32_t>(p)});
  }
  Rng(seed, Draw::start_order, replicate).shuffle(std::span(start_order_));
}

void UnlimitedDispatch::start() {
  for (const ProcessorId processor : start_order_) serve(processor);
}

void UnlimitedDispatch::load_ended(ProcessorId processor, DataId data) {
  arrived_.load(processor, data);
  serve(processor);
}

void UnlimitedDispatch::task_ended(ProcessorId processor, TaskId) {
  Node& node = nodes_[raw(processor)];
  node.tasks.pop_front();
  --node.running;
  serve(processor);
}

void UnlimitedDispatch::serve(ProcessorId processor) {
  Node& node = nodes_[raw(processor)];
  while (node.tasks.size() < depth_ && ask(processor, node)) {
  }
  while (node.running < lanes_ && node.running < node.tasks.size() &&
         ready(processor, node.tasks[node.running])) {
    const TaskId task = node.tasks[node.running++];
    machine_.start_task(processor, task, node.owed_s);
    node.owed_s = 0;
  }
}

/// True if the strategy granted a task.
bool UnlimitedDispatch::ask(ProcessorId processor, Node& node) {
  do {
    grant_.clear();
    const auto start = std::chrono::steady_clock::now();
    strategy_->request(processor, grant_);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    node.owed_s += took.count();
    scheduling_s_ += took.count();
    if (tasks_only_) load_missing(workload_, memory_, processor, grant_);
    send(processor);
  } while (grant_.tasks.empty() && !grant_.loads.empty());
  grant_.tasks.for_each([&](TaskId task) {
    node.tasks.push_back(task);
    machine_.granted(processor, task);
  });
  return !grant_.tasks.empty();
}

void UnlimitedDispatch::send(ProcessorId processor) {
  for (const DataId data : grant_.loads) {
    if (!memory_.load(processor, data)) {
      throw NoProgress(
          fmt::format("data {} is sent to processor {} twice", raw(data), raw(processor)));
    }
    machine_.start_load(processor, data);
  }
}

bool UnlimitedDispatch::ready(ProcessorId processor, TaskId task) const {
  bool all = true;
  workload_.for_each_input(task,
                           [&](DataId data) { all = all && arrived_.resident(processor, data); });
  return all;
}

}  // namespace damocles
