#include "strategies/parts/per_processor_lists.hpp"

#include <algorithm>
#include <limits>

namespace damocles {
namespace {

/// Requests named in a grant: more than can be served until the next one.
constexpr std::size_t requests_ahead = 16;

}  // namespace

PerProcessorLists::PerProcessorLists(const StrategyContext& context,
                                     const std::vector<std::vector<Index>>& lists,
                                     const ListRules& rules)
    : rules_(rules),
      lists_(context.workload.graph(), context.platform.processors(),
             rules.prefetch ? ReadyList::Requests::at_push : ReadyList::Requests::untold,
             rules.ready == 1 ? ReadyList::whole : rules.ready) {
  for (std::size_t k = 0; k < lists.size(); ++k) {
    for (const Index task : lists[k]) {
      lists_.push_back(ProcessorId{static_cast<std::uint32_t>(k)}, task);
    }
  }
}

void PerProcessorLists::request(ProcessorId processor, Grant& grant) {
  if (lists_.empty(processor) && !(rules_.steal && lists_.steal(processor))) return;
  const auto task = rules_.ready == 1 ? lists_.take_front(processor)
                                      : lists_.take_readiest(processor, rules_.window);
  grant.tasks.add(TaskId{*task});
  if (rules_.prefetch) hint_requests(processor, grant.loads);
}

void PerProcessorLists::hint_requests(ProcessorId processor, std::vector<DataId>& loads) {
  lists_.for_each_request(processor, requests_ahead,
                          [&](Index data) { loads.push_back(DataId{data}); });
}

void PerProcessorLists::on_loaded(ProcessorId processor, DataId data) {
  lists_.on_loaded(processor, static_cast<Index>(raw(data)));
}

void PerProcessorLists::on_arrived(ProcessorId processor, DataId data) {
  lists_.on_arrived(processor, static_cast<Index>(raw(data)));
}

void PerProcessorLists::on_evicted(ProcessorId processor, DataId data) {
  lists_.on_evicted(processor, static_cast<Index>(raw(data)));
}

void PerProcessorLists::on_started(ProcessorId processor, TaskId task) {
  lists_.on_started(processor, static_cast<Index>(raw(task)));
}

std::optional<DataId> PerProcessorLists::farthest_use(ProcessorId processor,
                                                      const std::function<bool(DataId)>& may_go) {
  const auto last =
      lists_.next_uses(processor).last([&](Index data) { return may_go(DataId{data}); });
  return last ? std::optional(DataId{*last}) : std::nullopt;
}

std::uint64_t PerProcessorLists::listed_use(ProcessorId processor, DataId data) const {
  const auto position = lists_.next_use(processor, static_cast<Index>(raw(data)));
  return position ? *position : never;  // value_or() would cut `never` to 32 bits
}

ListRules allotted(const Spec& spec, std::size_t otherwise) {
  const auto word = spec.word("ready");
  const bool patient = flag_of(spec, "patient", true);
  if (!word) return {.ready = otherwise, .steal = true, .prefetch = patient};
  if (*word == "true") return {.ready = ReadyList::whole, .steal = true, .prefetch = patient};
  if (*word == "false") return {.steal = true};
  return {.ready = whole_of(spec, "ready", otherwise), .steal = true, .prefetch = patient};
}

OptionValues ready_values() { return OptionValues::true_or_false().or_whole(2); }

std::uint64_t smallest_memory(const StrategyContext& context) {
  if (context.memory_bytes.empty()) return std::numeric_limits<std::uint64_t>::max();
  return *std::min_element(context.memory_bytes.begin(), context.memory_bytes.end());
}

std::uint64_t memory_beside_prefetch(const StrategyContext& context) {
  const std::uint64_t memory = smallest_memory(context);
  if (!context.platform.machine || context.platform.machine->depth == 1) return memory;
  const TaskGraph& graph = context.workload.graph();
  std::uint64_t largest_data = 0;
  for (const std::uint64_t bytes : graph.parts().bytes) {
    largest_data = std::max(largest_data, bytes);
  }
  std::uint64_t largest_task = 0;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    largest_task = std::max(largest_task, graph.footprint(static_cast<TaskGraph::Index>(t)));
  }
  return std::max(largest_task, memory - std::min(memory, largest_data));
}

}  // namespace damocles
