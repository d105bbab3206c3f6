#include "strategies/parts/own_queues.hpp"

#include <algorithm>
#include <numeric>

namespace damocles {

OwnQueues::OwnQueues(const StrategyContext& context, Order order)
    : workload_(context.workload),
      processors_(static_cast<std::uint32_t>(context.platform.processors())),
      durations_(context.workload, context.platform),
      queues_(context.workload.graph(), processors_, order) {
  for (std::uint32_t p = 0; p < processors_; ++p) lengths_.push_back(0);
}

void OwnQueues::submit_all() {
  if (workload_.has_dependencies()) return;
  for (std::uint64_t task = 0; task < workload_.tasks(); ++task) on_ready(TaskId{task});
}

std::optional<ProcessorId> OwnQueues::on_ready(TaskId task) {
  const auto ready = static_cast<Index>(raw(task));
  const ProcessorId to = place(ready);
  queues_.push(to, ready);
  note_length(to);
  ++waiting_;
  if (steals()) return std::nullopt;
  return to;
}

void OwnQueues::request(ProcessorId processor, Grant& grant) {
  if (waiting_ == 0) return;
  auto task = taken(
      processor, queues_.take_first_if(processor, [&](Index one) { return runs(processor, one); }));
  if (!task) task = steal(processor);
  if (task) grant.tasks.add(TaskId{*task});
}

std::optional<OwnQueues::Index> OwnQueues::steal_from(ProcessorId victim, ProcessorId thief) {
  return taken(
      victim, queues_.take_last_of_highest_if(victim, [&](Index one) { return runs(thief, one); }));
}

std::optional<OwnQueues::Index> OwnQueues::taken(ProcessorId from, std::optional<Index> task) {
  if (!task) return task;
  note_length(from);
  --waiting_;
  return task;
}

std::optional<OwnQueues::Index> OwnQueues::steal_from_neighbour(ProcessorId thief) {
  for (std::uint32_t step = 1; step < processors_; ++step) {
    const auto task = steal_from(ProcessorId{(raw(thief) + step) % processors_}, thief);
    if (task) return task;
  }
  return std::nullopt;
}

std::optional<OwnQueues::Index> OwnQueues::steal_from_most_loaded(ProcessorId thief) {
  const auto longest = static_cast<std::uint32_t>(lengths_.best());
  if (const auto task = steal_from(ProcessorId{longest}, thief)) return task;
  std::vector<std::uint32_t> others(processors_);
  std::iota(others.begin(), others.end(), 0U);
  std::stable_sort(others.begin(), others.end(), [&](std::uint32_t a, std::uint32_t b) {
    return lengths_.key(a) < lengths_.key(b);
  });
  for (const std::uint32_t from : others) {
    if (const auto task = steal_from(ProcessorId{from}, thief)) return task;
  }
  return std::nullopt;
}

}  // namespace damocles
