#include "ode/limited_memory/viewed_list.hpp"

#include <algorithm>
#include <utility>

namespace damocles {

ViewedList::ViewedList(const LimitedRun& run, const TaskSequence& list, ListView view)
    : run_(run),
      by_next_use_(run.eviction == "belady"),
      view_(std::move(view)),
      items_(run.data()) {
  for (const Index task : list) append(task);
}

void ViewedList::append(Index task) {
  const std::size_t place = tasks_.size();
  tasks_.push_back(task);
  is_taken_.push_back(0);
  ++left_;
  for (const Index data : run_.graph->inputs(task)) {
    Item& item = items_[data];
    const bool held = item.state == State::held;
    if (held) held_.erase(place_of(data));
    item.uses.push_back(place);
    if (held) held_.insert(place_of(data));
  }
  look_on();
}

void ViewedList::look_on() {
  for (; in_view_.size() < view_.tasks && unseen_ < tasks_.size(); ++unseen_) {
    if (is_taken_[unseen_] != 0) continue;
    in_view_.push_back(unseen_);
    for (const Index data : run_.graph->inputs(tasks_[unseen_])) {
      Item& item = items_[data];
      ++item.readers_in_view;
      if (item.state == State::held || item.state == State::wanted) continue;
      item.state = State::wanted;
      wanted_.push_back(data);
    }
  }
}

TaskLoads ViewedList::take(std::size_t unfinished) {
  const std::size_t place = readiest();
  const Index task = tasks_[place];
  remove(place);
  ++taken_;
  const auto inputs = run_.graph->inputs(task);
  for (const Index data : inputs) items_[data].latest_reader = taken_;
  TaskLoads loads{.task = task};
  for (const Index data : inputs) {
    if (items_[data].state == State::held) continue;
    if (held_.size() >= run_.memory) make_room(unfinished);
    load(data);
    ++loads.needed;
  }
  for (const Index data : inputs) touch(data);
  return loads;
}

std::size_t ViewedList::readiest() const {
  std::size_t best = in_view_.front();
  std::pair<std::size_t, std::size_t> least{never, never};
  for (const std::size_t place : in_view_) {
    std::pair<std::size_t, std::size_t> lacks{0, 0};
    for (const Index data : run_.graph->inputs(tasks_[place])) {
      if (items_[data].state != State::held) ++lacks.first;
      if (view_.ahead == ListView::Ahead::once_in_view && items_[data].state == State::evicted)
        ++lacks.second;
    }
    if (lacks >= least) continue;
    best = place;
    least = lacks;
    if (least.first == 0) break;
  }
  return best;
}

void ViewedList::remove(std::size_t place) {
  const auto inputs = run_.graph->inputs(tasks_[place]);
  std::vector<Index> held;
  for (const Index data : inputs) {
    if (items_[data].state != State::held) continue;
    held_.erase(place_of(data));
    held.push_back(data);
  }
  is_taken_[place] = 1;
  --left_;
  for (const Index data : held) held_.insert(place_of(data));
  const auto seen = std::lower_bound(in_view_.begin(), in_view_.end(), place);
  if (seen == in_view_.end() || *seen != place) return;
  in_view_.erase(seen);
  for (const Index data : inputs) --items_[data].readers_in_view;
  look_on();
}

/// Prefers what no unfinished task reads, then what only the first of them read.
void ViewedList::make_room(std::size_t unfinished) {
  for (std::size_t kept = unfinished + 1; kept-- > 0;) {
    const auto may_go = [&](const Place& one) {
      return items_[std::get<Index>(one)].latest_reader + kept < taken_;
    };
    const auto last = std::find_if(held_.rbegin(), held_.rend(), may_go);
    if (last != held_.rend()) return evict(std::get<Index>(*last));
  }
}

/// The first data item that has come in view and was not loaded since.
std::optional<ViewedList::Index> ViewedList::next_wanted() {
  const auto is_wanted = [&](Index data) { return items_[data].state == State::wanted; };
  while (served_ < wanted_.size() && !is_wanted(wanted_[served_])) ++served_;
  for (std::size_t at = served_; at < wanted_.size(); ++at) {
    const Index data = wanted_[at];
    if (is_wanted(data) && items_[data].readers_in_view > 0) return data;
  }
  return std::nullopt;
}

std::optional<ViewedList::Index> ViewedList::first_lacking() const {
  for (const std::size_t place : in_view_) {
    for (const Index data : run_.graph->inputs(tasks_[place])) {
      if (items_[data].state != State::held) return data;
    }
  }
  return std::nullopt;
}

std::optional<ViewedList::Index> ViewedList::next_proposed() {
  for (; served_ < view_.proposed.size(); ++served_) {
    const Index data = view_.proposed[served_];
    if (items_[data].state != State::held) return data;
  }
  return std::nullopt;
}

std::optional<ViewedList::Index> ViewedList::next_ahead() {
  switch (view_.ahead) {
    case ListView::Ahead::nothing:
      return std::nullopt;
    case ListView::Ahead::once_in_view:
      return next_wanted();
    case ListView::Ahead::in_view:
      return first_lacking();
    case ListView::Ahead::as_proposed:
      return next_proposed();
  }
  return std::nullopt;
}

bool ViewedList::load_ahead(std::size_t unfinished) {
  const auto next = next_ahead();
  if (!next) return false;
  const bool spares_view = view_.ahead != ListView::Ahead::as_proposed;
  if (held_.size() >= run_.memory) {
    const auto last = std::find_if(held_.rbegin(), held_.rend(), [&](const Place& one) {
      const Item& item = items_[std::get<Index>(one)];
      return (!spares_view || item.readers_in_view == 0) &&
             item.latest_reader + unfinished <= taken_;
    });
    if (last == held_.rend()) return false;
    evict(std::get<Index>(*last));
  }
  load(*next);
  return true;
}

void ViewedList::steal_from(ViewedList& other) {
  std::vector<Index> loot;
  for (std::size_t most = (other.left() + 1) / 2; loot.size() < most;) {
    loot.push_back(other.take_last());
  }
  std::for_each(loot.rbegin(), loot.rend(), [&](Index task) { append(task); });
}

ViewedList::Index ViewedList::take_last() {
  std::size_t place = tasks_.size() - 1;
  while (is_taken_[place] != 0) --place;
  const Index task = tasks_[place];
  remove(place);
  return task;
}

std::size_t ViewedList::next_use(Item& item) const {
  while (item.first_use < item.uses.size() && is_taken_[item.uses[item.first_use]] != 0) {
    ++item.first_use;
  }
  return item.first_use < item.uses.size() ? item.uses[item.first_use] : never;
}

ViewedList::Place ViewedList::place_of(Index data) {
  const std::size_t use = by_next_use_ ? next_use(items_[data]) : 0;
  return {use, never - items_[data].touched, data};
}

void ViewedList::load(Index data) {
  items_[data].state = State::held;
  items_[data].touched = ++touches_;
  held_.insert(place_of(data));
}

void ViewedList::evict(Index data) {
  held_.erase(place_of(data));
  items_[data].state = State::evicted;
}

void ViewedList::touch(Index data) {
  held_.erase(place_of(data));
  items_[data].touched = ++touches_;
  held_.insert(place_of(data));
}

}  // namespace damocles
