#include "strategies/ready_list.hpp"

#include <algorithm>
#include <cassert>

namespace damocles {

ReadyList::ReadyList(const Bipartite& graph, std::size_t processors)
    : graph_(&graph), places_(graph.tasks()), lists_(processors, List(graph.data())) {}

void ReadyList::push_back(ProcessorId processor, Index task) {
  Place& place = places_[task];
  assert(place.owner == none);
  List& to = list(processor);
  place = {raw(processor), static_cast<Index>(to.tasks.size()), to.last, none};
  (to.last == none ? to.first : places_[to.last].next) = task;
  to.last = task;
  ++to.size;
  to.work += graph_->flops(task);
  to.tasks.push_back(task);
  if (to.uses.empty()) to.uses.resize(graph_->data());
  std::uint64_t missing = 0;
  for (const Index input : graph_->inputs(task)) {
    if (!to.held[input]) missing += graph_->bytes(input);
    to.uses[input].positions.push_back(place.position);
  }
  to.missing.push_back(missing);
}

void ReadyList::remove(Index task) {
  Place& place = places_[task];
  assert(place.owner != none);
  List& from = lists_[place.owner];
  (place.previous == none ? from.first : places_[place.previous].next) = place.next;
  (place.next == none ? from.last : places_[place.next].previous) = place.previous;
  --from.size;
  from.work = from.size == 0 ? 0 : from.work - graph_->flops(task);
  from.missing.raise(place.position, taken);
  place.owner = none;
}

std::optional<ReadyList::Index> ReadyList::take_readiest(ProcessorId processor) {
  List& from = list(processor);
  if (from.size == 0) return std::nullopt;
  const Index task = from.tasks[from.missing.best()];
  remove(task);
  return task;
}

std::optional<ReadyList::Index> ReadyList::take_front(ProcessorId processor) {
  const Index task = list(processor).first;
  if (task == none) return std::nullopt;
  remove(task);
  return task;
}

std::optional<ProcessorId> ReadyList::owner(Index task) const {
  const Index owner = places_[task].owner;
  return owner == none ? std::nullopt : std::optional(ProcessorId{owner});
}

std::uint64_t ReadyList::missing_bytes(Index task) const {
  const Place& place = places_[task];
  assert(place.owner != none);
  return lists_[place.owner].missing.key(place.position);
}

template <typename Change>
void ReadyList::for_each_use(List& list, Index data, Change&& change) {
  if (list.uses.empty()) return;
  auto& [positions, next] = list.uses[data];
  std::size_t kept = 0;
  for (std::size_t i = next; i < positions.size(); ++i) {
    const Index position = positions[i];
    const std::uint64_t missing = list.missing.key(position);
    if (missing == taken) continue;
    positions[kept++] = position;
    change(position, missing);
  }
  positions.resize(kept);
  next = 0;
}

void ReadyList::on_loaded(ProcessorId processor, Index data) {
  List& at = list(processor);
  if (at.held[data]) return;
  at.held[data] = true;
  for_each_use(at, data, [&, bytes = graph_->bytes(data)](Index position, std::uint64_t missing) {
    at.missing.set(position, missing - bytes);
  });
}

void ReadyList::on_evicted(ProcessorId processor, Index data) {
  List& at = list(processor);
  if (!at.held[data]) return;
  at.held[data] = false;
  for_each_use(at, data, [&, bytes = graph_->bytes(data)](Index position, std::uint64_t missing) {
    at.missing.raise(position, missing + bytes);
  });
}

std::optional<ProcessorId> ReadyList::victim(ProcessorId thief, Half half) const {
  std::optional<ProcessorId> most;
  const auto more = [&](const List& a, const List& b) {
    return half == Half::flops && a.work != b.work ? a.work > b.work : a.size > b.size;
  };
  for (std::uint32_t p = 0; p < lists_.size(); ++p) {
    if (p == raw(thief) || lists_[p].size == 0) continue;
    if (!most || more(lists_[p], list(*most))) most = ProcessorId{p};
  }
  return most;
}

bool ReadyList::steal(ProcessorId thief, Half half) {
  const auto robbed = victim(thief, half);
  if (!robbed) return false;
  const List& from = list(*robbed);
  // A list whose flops are all 0 is halved by tasks: no tail of it has less than half of them.
  const bool by_flops = half == Half::flops && from.work > 0;
  const double wanted = from.work / 2;
  const std::size_t most = by_flops ? from.size : (from.size + 1) / 2;
  std::vector<Index> loot;
  double flops = 0;
  for (Index task = from.last; loot.size() < most && (!by_flops || flops < wanted);
       task = places_[task].previous) {
    loot.push_back(task);
    flops += graph_->flops(task);
  }
  for (const Index task : loot) remove(task);
  std::for_each(loot.rbegin(), loot.rend(), [&](Index task) { push_back(thief, task); });
  return true;
}

std::optional<std::uint32_t> ReadyList::next_use(ProcessorId processor, Index data) {
  List& at = list(processor);
  if (at.uses.empty()) return std::nullopt;
  Uses& uses = at.uses[data];
  while (uses.next < uses.positions.size()) {
    const Index position = uses.positions[uses.next];
    if (at.missing.key(position) != taken) return position;
    ++uses.next;
  }
  return std::nullopt;
}

}  // namespace damocles
