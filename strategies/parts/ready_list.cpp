#include "strategies/parts/ready_list.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace damocles {

ReadyList::ReadyList(const TaskGraph& graph, std::size_t processors, Requests requests,
                     std::size_t view)
    : graph_(&graph),
      requests_(requests),
      view_(view),
      places_(graph.tasks()),
      lists_(processors, List(graph.data())) {}

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
  for (const Index input : graph_->needed(task)) {
    to.uses[input].positions.push_back(place.position);
  }
  to.left.push_back(0);
  if (to.readiest) {
    to.readiest->append(task);
    to.readiest->enter(place.position);
  }
  if (to.held) {
    for (const Index input : graph_->needed(task)) {
      if (to.held->contains(input)) to.held->put(input, first_use(to, input));
    }
  }
  if (to.unseen == none) to.unseen = task;
  look_on(to);
}

void ReadyList::look_on(List& list) {
  for (; list.seen < view_ && list.unseen != none; list.unseen = places_[list.unseen].next) {
    ++list.seen;
    for (const Index input : graph_->needed(list.unseen)) {
      ++list.uses_left[input];
      const State state = list.states[input];
      if (state != State::unknown && state != State::evicted) continue;
      enter(list, input, State::requested);
      list.latest_request[input] = list.requests.size();
      list.requests.push_back(input);
    }
  }
}

void ReadyList::remove(Index task) {
  Place& place = places_[task];
  assert(place.owner != none);
  List& from = lists_[place.owner];
  const bool seen = in_view(from, task);
  if (from.unseen == task) from.unseen = place.next;
  (place.previous == none ? from.first : places_[place.previous].next) = place.next;
  (place.next == none ? from.last : places_[place.next].previous) = place.previous;
  --from.size;
  from.work = from.size == 0 ? 0 : from.work - graph_->flops(task);
  from.left[place.position] = 1;
  if (from.readiest) from.readiest->leave(place.position);
  place.owner = none;
  if (from.held) {
    for (const Index input : graph_->needed(task)) {
      if (from.held->contains(input)) from.held->put(input, first_use(from, input));
    }
  }
  if (!seen) return;
  --from.seen;
  for (const Index input : graph_->needed(task)) --from.uses_left[input];
  look_on(from);
}

MissingBytes ReadyList::missing_of(State state, Index data) const {
  if (state == State::held) return {};
  const std::uint64_t bytes = graph_->bytes(data);
  const bool unrequested = requests_ == Requests::at_push && state == State::evicted;
  return {.missing = bytes, .unrequested = unrequested ? bytes : 0};
}

MissingBytes ReadyList::missing_of(const List& list, Index task) const {
  MissingBytes lack;
  for (const Index input : graph_->needed(task)) lack += missing_of(list.states[input], input);
  return lack;
}

void ReadyList::keep_readiest(List& list) const {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::vector<MissingBytes> weights;
  for (Index data = 0; data < graph_->data(); ++data) {
    weights.push_back(missing_of(list.states[data], data));
  }
  auto& readiest = list.readiest.emplace(*graph_, std::move(weights), MissingBytes{most, most});
  readiest.reserve(list.tasks.size());
  for (Index position = 0; position < list.tasks.size(); ++position) {
    readiest.append(list.tasks[position]);
    if (list.left[position] == 0) readiest.enter(position);
  }
}

ReadyList::Index ReadyList::readiest(List& list, std::size_t among) const {
  if (view_ == whole && among == whole) {
    if (!list.readiest) keep_readiest(list);
    return list.tasks[list.readiest->first()];
  }
  Index best = list.first;
  MissingBytes least = missing_of(list, best);
  for (Index task = list.first; task != list.unseen && among > 0; task = places_[task].next) {
    --among;
    const MissingBytes lack = missing_of(list, task);
    if (!(lack < least)) continue;
    best = task;
    least = lack;
  }
  return best;
}

std::optional<ReadyList::Index> ReadyList::take_readiest(ProcessorId processor, std::size_t among) {
  List& from = list(processor);
  if (from.size == 0) return std::nullopt;
  const Index task = readiest(from, among);
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

MissingBytes ReadyList::lack(Index task) const {
  assert(places_[task].owner != none);
  return missing_of(lists_[places_[task].owner], task);
}

void ReadyList::enter(List& list, Index data, State state) {
  const MissingBytes before = missing_of(std::exchange(list.states[data], state), data);
  const MissingBytes now = missing_of(state, data);
  if (list.readiest && !(now == before)) list.readiest->weigh(data, now);
}

void ReadyList::touch(List& list, Index data) {
  list.touched[data] = ++list.touches;
  if (list.held) list.held->touch(data);
}

void ReadyList::on_started(ProcessorId processor, Index task) {
  List& at = list(processor);
  for (const Index input : graph_->inputs(task)) touch(at, input);
}

void ReadyList::on_loaded(ProcessorId processor, Index data) {
  List& at = list(processor);
  touch(at, data);
  if (at.held) at.held->put(data, first_use(at, data));
  if (at.states[data] != State::held) enter(at, data, State::loading);
}

void ReadyList::on_arrived(ProcessorId processor, Index data) {
  enter(list(processor), data, State::held);
}

void ReadyList::on_evicted(ProcessorId processor, Index data) {
  List& at = list(processor);
  if (at.held) at.held->drop(data);
  const State state = at.states[data];
  if (state == State::held || state == State::loading) enter(at, data, State::evicted);
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

ReadyList::Index ReadyList::first_use(const List& list, Index data) {
  if (list.uses.empty()) return NextUses::unread;
  const Uses& uses = list.uses[data];
  while (uses.next < uses.positions.size()) {
    const Index position = uses.positions[uses.next];
    if (list.left[position] == 0) return position;
    ++uses.next;
  }
  return NextUses::unread;
}

std::optional<std::uint32_t> ReadyList::next_use(ProcessorId processor, Index data) const {
  const Index position = first_use(list(processor), data);
  return position == NextUses::unread ? std::nullopt : std::optional(position);
}

const NextUses& ReadyList::next_uses(ProcessorId processor) {
  List& at = list(processor);
  if (at.held) return *at.held;
  at.held.emplace(graph_->data());
  std::vector<Index> order(graph_->data());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return at.touched[a] < at.touched[b]; });
  for (const Index data : order) {
    at.held->touch(data);
    if (at.states[data] == State::held || at.states[data] == State::loading) {
      at.held->put(data, first_use(at, data));
    }
  }
  return *at.held;
}

}  // namespace damocles
