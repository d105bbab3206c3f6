#include "strategies/parts/enabled_task_index.hpp"

#include <algorithm>
#include <numeric>

namespace damocles {

EnabledTaskIndex::EnabledTaskIndex(const TaskGraph& graph, std::size_t pair_inputs)
    : graph_(graph),
      pair_inputs_(pair_inputs),
      entries_(graph.tasks()),
      in_view_(graph.data(), 0),
      frees_(graph.data(), 0),
      freed_flops_(pair_inputs > 0 ? graph.data() : 0, 0),
      nearly_frees_(graph.data(), 0),
      is_changed_(graph.data(), 1),
      changed_(graph.data()) {
  std::iota(changed_.begin(), changed_.end(), Index{0});
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto task = static_cast<Index>(t);
    Entry& entry = entries_[t];
    entry = {static_cast<std::uint32_t>(graph.inputs(task).size()), 0};
    for (const Index input : graph.inputs(task)) entry.ids ^= input;
    count(task);
  }
}

bool EnabledTaskIndex::is_nearly_free_by(Index task, Index data) const {
  const auto inputs = graph_.inputs(task);
  return entries_[task].missing == 2 && inputs.size() >= pair_inputs_ && pair_inputs_ > 0 &&
         !in_view(data) && std::find(inputs.begin(), inputs.end(), data) != inputs.end();
}

void EnabledTaskIndex::hide(Index data) {
  note(data);
  for (const Index task : graph_.users(data)) {
    if (entries_[task].missing <= 2) uncount(task);
  }
  in_view_[data] = 0;
  for (const Index task : graph_.users(data)) {
    Entry& entry = entries_[task];
    if (entry.missing == taken) continue;
    ++entry.missing;
    entry.ids ^= data;
    if (entry.missing <= 2) count(task);
  }
}

bool EnabledTaskIndex::give_back(Index task) {
  Entry& entry = entries_[task];
  entry = {0, 0};
  for (const Index input : graph_.inputs(task)) {
    if (in_view(input)) continue;
    ++entry.missing;
    entry.ids ^= input;
  }
  count(task);
  return entry.missing == 0;
}

void EnabledTaskIndex::change_pair(Index task, std::uint32_t by) {
  const auto inputs = graph_.inputs(task);
  if (inputs.size() < pair_inputs_) return;
  for (const Index input : inputs) {
    if (in_view(input)) continue;
    nearly_frees_[input] += by;
    note(input);
  }
}

}  // namespace damocles
