#include "ode/limited_memory/viewed_list.hpp"

#include <algorithm>
#include <utility>

namespace damocles {

ViewedList::ViewedList(const LimitedRun& run, const TaskSequence& list, ListView view)
    : run_(run),
      by_next_use_(run.eviction == "belady"),
      view_(std::move(view)),
      has_to_come_(view_.ahead == ListView::Ahead::once_in_view),
      items_(run.data()) {
  for (const Index task : list) append(task);
}

void ViewedList::append(Index task) {
  const std::size_t place = tasks_.size();
  tasks_.push_back({.task = task, .before = last_});
  (left_ == 0 ? first_ : tasks_[last_].after) = place;
  last_ = place;
  ++left_;
  lacks_.push_back(out_of_view);
  for (const Index data : run_.graph->inputs(task)) {
    Item& item = items_[data];
    const bool moves = by_next_use_ && item.state == State::held;
    if (moves) held_.erase(place_of(data));
    item.uses.push_back(place);
    if (view_.spares_list) add_reader(item);
    if (moves) held_.insert(place_of(data));
  }
  look_on();
}

void ViewedList::look_on() {
  for (; in_view_ < view_.tasks && unseen_ < tasks_.size(); ++unseen_) {
    if (!tasks_[unseen_].taken) enter_view(unseen_);
  }
}

void ViewedList::enter_view(std::size_t place) {
  ++in_view_;
  for (const Index data : run_.graph->inputs(tasks_[place].task)) {
    Item& item = items_[data];
    if (!view_.spares_list) add_reader(item);
    if (item.state == State::held || item.state == State::wanted) continue;
    if (item.state == State::evicted && has_to_come_) change_lack(data, -was_evicted);
    item.state = State::wanted;
    wanted_.push_back(data);
  }
  lacks_.set(place, lack(place));
}

void ViewedList::add_reader(Item& item) {
  if (item.readers++ == 0 && item.state == State::held) --spare_;
}

void ViewedList::remove_readers_of(Index task) {
  for (const Index data : run_.graph->inputs(task)) {
    Item& item = items_[data];
    if (--item.readers == 0 && item.state == State::held) ++spare_;
  }
}

/// Of a task that comes in view.
ViewedList::Lack ViewedList::lack(std::size_t place) const {
  Lack sum = 0;
  for (const Index data : run_.graph->inputs(tasks_[place].task)) {
    const bool came = items_[data].state == State::held && !(has_to_come_ && data == on_its_way_);
    sum += came ? 0 : lacks_item;
  }
  return sum;
}

/// Of all tasks in view that read the data item.
void ViewedList::change_lack(Index data, Lack by) {
  if (view_.in_order) return;
  Item& item = items_[data];
  (void)next_use(item);
  for (std::size_t at = item.first_use; at < item.uses.size(); ++at) {
    const std::size_t place = item.uses[at];
    if (place >= unseen_) return;
    const Lack lack = lacks_.key(place);
    if (lack == out_of_view) continue;
    by > 0 ? lacks_.raise(place, lack + by) : lacks_.set(place, lack + by);
  }
}

TaskLoads ViewedList::take(std::size_t unfinished) {
  const std::size_t place = view_.in_order ? first_ : lacks_.best();
  const Index task = tasks_[place].task;
  remove(place);
  ++taken_;
  const auto inputs = run_.graph->inputs(task);
  for (const Index data : inputs) items_[data].latest_reader = taken_;
  TaskLoads loads{.task = task};
  for (const Index data : inputs) {
    if (data == on_its_way_) loads.awaits_ahead = true;
    if (items_[data].state == State::held) continue;
    if (held_.size() >= run_.memory) make_room(unfinished);
    load(data);
    ++loads.needed;
  }
  for (const Index data : inputs) touch(data);
  return loads;
}

void ViewedList::remove(std::size_t place) {
  std::vector<Index> moving;
  if (by_next_use_) {
    for (const Index data : run_.graph->inputs(tasks_[place].task)) {
      if (items_[data].state != State::held) continue;
      held_.erase(place_of(data));
      moving.push_back(data);
    }
  }
  tasks_[place].taken = true;
  --left_;
  unlink(place);
  for (const Index data : moving) held_.insert(place_of(data));
  if (place < unseen_ || view_.spares_list) remove_readers_of(tasks_[place].task);
  if (place >= unseen_) return;
  lacks_.raise(place, out_of_view);
  --in_view_;
  look_on();
}

void ViewedList::unlink(std::size_t place) {
  const Listed& one = tasks_[place];
  (one.before == never ? first_ : tasks_[one.before].after) = one.after;
  (one.after == never ? last_ : tasks_[one.after].before) = one.before;
}

/// Prefers what no unfinished task reads, then what only the first of them read.
void ViewedList::make_room(std::size_t unfinished) {
  for (std::size_t kept = unfinished + 1; kept-- > 0;) {
    const auto may_go = [&](const Place& one) {
      const Index data = std::get<Index>(one);
      return data != on_its_way_ && items_[data].latest_reader + kept < taken_;
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
    if (is_wanted(data) && items_[data].readers > 0) return data;
  }
  return std::nullopt;
}

std::optional<ViewedList::Index> ViewedList::first_lacking() const {
  for (std::size_t place = first_; place < unseen_; place = tasks_[place].after) {
    for (const Index data : run_.graph->inputs(tasks_[place].task)) {
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
    if (spares_view && spare_ == 0) return false;
    const auto last = std::find_if(held_.rbegin(), held_.rend(), [&](const Place& one) {
      const Item& item = items_[std::get<Index>(one)];
      return (!spares_view || item.readers == 0) && item.latest_reader + unfinished <= taken_;
    });
    if (last == held_.rend()) return false;
    evict(std::get<Index>(*last));
  }
  load(*next, true);
  on_its_way_ = *next;
  return true;
}

void ViewedList::steal_from(ViewedList& other) {
  std::vector<Index> loot;
  for (std::size_t most = (other.left() + 1) / 2; loot.size() < most;) {
    loot.push_back(other.take_last());
  }
  std::for_each(loot.rbegin(), loot.rend(), [&](Index task) { append(task); });
}

void ViewedList::ahead_came() {
  if (on_its_way_ && has_to_come_) change_lack(*on_its_way_, -lacks_item);
  on_its_way_.reset();
}

ViewedList::Index ViewedList::take_last() {
  const std::size_t place = last_;
  remove(place);
  return tasks_[place].task;
}

std::size_t ViewedList::next_use(Item& item) const {
  while (item.first_use < item.uses.size() && tasks_[item.uses[item.first_use]].taken) {
    ++item.first_use;
  }
  return item.first_use < item.uses.size() ? item.uses[item.first_use] : never;
}

ViewedList::Place ViewedList::place_of(Index data) {
  const std::size_t use = by_next_use_ ? next_use(items_[data]) : 0;
  return {use, never - items_[data].touched, data};
}

/// @param ahead  it is on its way, for a later task
void ViewedList::load(Index data, bool ahead) {
  Item& item = items_[data];
  const bool returns = has_to_come_ && item.state == State::evicted;
  item.state = State::held;
  item.touched = ++touches_;
  held_.insert(place_of(data));
  if (item.readers == 0) ++spare_;
  change_lack(data, (ahead && has_to_come_ ? 0 : -lacks_item) - (returns ? was_evicted : 0));
}

void ViewedList::evict(Index data) {
  held_.erase(place_of(data));
  items_[data].state = State::evicted;
  if (items_[data].readers == 0) --spare_;
  change_lack(data, lacks_item + (has_to_come_ ? was_evicted : 0));
}

void ViewedList::touch(Index data) {
  held_.erase(place_of(data));
  items_[data].touched = ++touches_;
  held_.insert(place_of(data));
}

}  // namespace damocles
