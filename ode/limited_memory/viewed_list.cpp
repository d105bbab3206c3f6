#include "ode/limited_memory/viewed_list.hpp"

#include <algorithm>
#include <utility>

namespace damocles {

ViewedList::ViewedList(const LimitedRun& run, const TaskSequence& list, ListView view)
    : run_(run),
      by_next_use_(run.eviction == "belady"),
      view_(view),
      has_to_come_(view_.ahead == ListView::Ahead::once_in_view),
      readiest_(*run.graph, std::vector(run.data(), lacks_item), std::numeric_limits<Lack>::max()),
      items_(run.data()),
      held_(run.data()),
      farthest_(by_next_use_ ? run.data() : 0) {
  tasks_.reserve(list.size());
  if (!view_.in_order) readiest_.reserve(list.size());
  for (const Index task : list) append(task);
}

void ViewedList::append(Index task) {
  const auto place = static_cast<Index>(tasks_.size());
  tasks_.push_back({.task = task, .before = last_});
  (left_ == 0 ? first_ : tasks_[last_].after) = place;
  last_ = place;
  ++left_;
  if (!view_.in_order) readiest_.append(task);
  for (const Index data : run_.graph->inputs(task)) {
    Item& item = items_[data];
    if (by_next_use_) {
      item.uses.push_back(place);
      if (item.state == State::held) farthest_.set_next_use(data, next_use(item));
    }
    if (view_.spares_list) add_reader(item);
  }
  look_on();
}

void ViewedList::look_on() {
  for (; in_view_ < view_.tasks && unseen_ < tasks_.size(); ++unseen_) {
    if (!tasks_[unseen_].taken) enter_view(unseen_);
  }
}

void ViewedList::enter_view(Index place) {
  ++in_view_;
  for (const Index data : run_.graph->inputs(tasks_[place].task)) {
    Item& item = items_[data];
    if (!view_.spares_list) add_reader(item);
    if (item.state == State::held || item.state == State::wanted) continue;
    item.state = State::wanted;
    weigh(data, lacks_item);
    wanted_.push_back(data);
  }
  if (!view_.in_order) readiest_.enter(place);
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

/// What the data item counts from now on, for tasks in view that read it.
void ViewedList::weigh(Index data, Lack weight) {
  if (!view_.in_order) readiest_.weigh(data, weight);
}

TaskLoads ViewedList::take(std::size_t unfinished) {
  const Index place = view_.in_order ? first_ : readiest_.first();
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

void ViewedList::remove(Index place) {
  tasks_[place].taken = true;
  --left_;
  unlink(place);
  for (const Index data : run_.graph->inputs(tasks_[place].task)) {
    Item& item = items_[data];
    if (by_next_use_ && item.state == State::held) farthest_.set_next_use(data, next_use(item));
  }
  if (place < unseen_ || view_.spares_list) remove_readers_of(tasks_[place].task);
  if (place >= unseen_) return;
  if (!view_.in_order) readiest_.leave(place);
  --in_view_;
  look_on();
}

void ViewedList::unlink(Index place) {
  const Listed& one = tasks_[place];
  (one.before == never ? first_ : tasks_[one.before].after) = one.after;
  (one.after == never ? last_ : tasks_[one.after].before) = one.before;
}

/// Of the data items held of which this is true.
template <typename May>
std::optional<ViewedList::Index> ViewedList::first_to_go(May&& may) {
  return by_next_use_ ? farthest_.first_if(may) : held_.oldest_if(may);
}

/// Prefers what no unfinished task reads, then what only the first of them read.
void ViewedList::make_room(std::size_t unfinished) {
  for (std::size_t kept = unfinished + 1; kept-- > 0;) {
    const auto goes = first_to_go([&](Index data) {
      return data != on_its_way_ && items_[data].latest_reader + kept < taken_;
    });
    if (goes) return evict(*goes);
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

std::optional<ViewedList::Index> ViewedList::first_lacking() {
  while (none_lacks_before_ < unseen_ && tasks_[none_lacks_before_].taken) ++none_lacks_before_;
  while (none_lacks_before_ < unseen_) {
    const Listed& one = tasks_[none_lacks_before_];
    for (const Index data : run_.graph->inputs(one.task)) {
      if (items_[data].state != State::held) return data;
    }
    none_lacks_before_ = std::min(one.after, unseen_);
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
  }
  return std::nullopt;
}

bool ViewedList::load_ahead(std::size_t unfinished) {
  const auto next = next_ahead();
  if (!next) return false;
  if (held_.size() >= run_.memory) {
    if (spare_ == 0) return false;
    const auto goes = first_to_go([&](Index data) {
      const Item& item = items_[data];
      return item.readers == 0 && item.latest_reader + unfinished <= taken_;
    });
    if (!goes) return false;
    evict(*goes);
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
  if (on_its_way_ && has_to_come_) weigh(*on_its_way_, 0);
  on_its_way_.reset();
}

ViewedList::Index ViewedList::take_last() {
  const Index place = last_;
  remove(place);
  return tasks_[place].task;
}

ViewedList::Index ViewedList::next_use(Item& item) const {
  while (item.first_use < item.uses.size() && tasks_[item.uses[item.first_use]].taken) {
    ++item.first_use;
  }
  return item.first_use < item.uses.size() ? item.uses[item.first_use] : never;
}

/// @param ahead  it is on its way, for a later task
void ViewedList::load(Index data, bool ahead) {
  Item& item = items_[data];
  item.state = State::held;
  held_.add(data);
  if (by_next_use_) farthest_.add(data, next_use(item));
  if (item.readers == 0) ++spare_;
  weigh(data, ahead && has_to_come_ ? lacks_item : 0);
}

void ViewedList::evict(Index data) {
  held_.remove(data);
  if (by_next_use_) farthest_.remove(data);
  items_[data].state = State::evicted;
  if (items_[data].readers == 0) {
    --spare_;
  } else {
    none_lacks_before_ = std::min(first_, unseen_);
  }
  weigh(data, lacks_item + (has_to_come_ ? was_evicted : 0));
}

void ViewedList::touch(Index data) {
  held_.touch(data);
  if (by_next_use_) farthest_.touch(data);
}

}  // namespace damocles
