#include "ode/limited_memory/task_views.hpp"

#include <algorithm>
#include <cstring>

namespace damocles {
namespace {

/// Calls visit(place) for each place, ascending, where both bytes are 1. These are few, so eight
/// places at a time are looked at first.
template <typename Visit>
void for_each_common(const std::vector<char>& ours, const char* theirs, Visit&& visit) {
  using Word = std::uint64_t;
  for (std::size_t first = 0; first < ours.size(); first += sizeof(Word)) {
    const std::size_t end = std::min(first + sizeof(Word), ours.size());
    if (end - first == sizeof(Word)) {
      Word our_word = 0;
      Word their_word = 0;
      std::memcpy(&our_word, ours.data() + first, sizeof(Word));
      std::memcpy(&their_word, theirs + first, sizeof(Word));
      if ((our_word & their_word) == 0) continue;
    }
    for (std::size_t place = first; place < end; ++place) {
      if ((ours[place] & theirs[place]) != 0) visit(place);
    }
  }
}

}  // namespace

TaskViews::TaskViews(const TaskGraph& graph, std::size_t processors, bool pairs)
    : graph_(&graph),
      open_(graph.tasks(), true),
      users_(graph.data()),
      rows_(graph.data()),
      open_users_(graph.data()),
      left_(graph.tasks()) {
  View none_seen{.sees = std::vector<char>(graph.data(), 0),
                 .frees = std::vector<Index>(graph.data(), 0),
                 .nearly = std::vector<Index>(pairs ? graph.data() : 0, 0)};
  for (Index data = 0; data < graph.data(); ++data) {
    const auto users = graph.users(data);
    users_[data] = static_cast<Index>(users.size());
    list_users(data);
    if (!rows_[data].open.empty()) continue;
    for (const Index task : users) {
      if (graph.inputs(task).size() == 1) ++none_seen.frees[data];
    }
  }
  views_.assign(processors, none_seen);
}

void TaskViews::list_users(Index data) {
  const auto users = graph_->users(data);
  std::vector<User>& listed = open_users_[data];
  listed.reserve(users.size());
  bool is_row = !users.empty();
  for (const Index task : users) {
    listed.push_back(user(task, data));
    const Index other = listed.back().other;
    is_row = is_row && other != none && other == listed.front().other + listed.size() - 1;
  }
  if (!is_row) return;
  rows_[data] = {listed.front().other, std::vector<char>(users.size(), 1)};
  listed = {};
}

TaskViews::User TaskViews::user(Index task, Index data) const {
  const auto inputs = graph_->inputs(task);
  if (inputs.size() != 2) return {.task = task};
  return {.task = task, .other = inputs[0] == data ? inputs[1] : inputs[0]};
}

TaskGraph::Index TaskViews::first_nearly_free(std::size_t processor, Index data) const {
  const auto users = graph_->users(data);
  return *std::find_if(users.begin(), users.end(), [&](Index task) {
    return is_open(task) && graph_->inputs(task).size() >= 3 &&
           lacking(views_[processor], task).count == 2;
  });
}

void TaskViews::set_open(Index task, bool open) {
  open_[task] = open;
  const Index more = open ? 1 : -Index{1};  // modulo 2^32
  for (const Index data : graph_->inputs(task)) {
    users_[data] += more;
    set_listed(data, task, open);
  }
  left_ += open ? 1 : -std::size_t{1};
  for (View& view : views_) {
    const Lacking its = lacking(view, task);
    if (its.count == 1) view.frees[its.first] += more;
    if (its.count != 2 || !counts_pairs(view, task)) continue;
    view.nearly[its.first] += more;
    view.nearly[its.last] += more;
  }
}

void TaskViews::show(std::size_t processor, Index data, std::vector<Index>& enabled) {
  View& view = views_[processor];
  if (!rows_[data].open.empty()) return show_row(view, data, enabled);
  const bool was_in_view = in_view(processor, data);
  for_each_user(view, data, [&](Index task, const Lacking& its) {
    if (its.count == 0) enabled.push_back(task);
    if (was_in_view) return;
    if (its.count == 1) ++view.frees[its.first];
    if (its.count == 0 || its.count > 2 || !counts_pairs(view, task)) return;
    its.count == 1 ? --view.nearly[its.first] : ++view.nearly[its.first];
    if (its.count == 2) ++view.nearly[its.last];
  });
  view.sees[data] = 1;
  view.frees[data] = 0;
  if (!view.nearly.empty()) view.nearly[data] = 0;
}

void TaskViews::hide(std::size_t processor, Index data) {
  if (!in_view(processor, data)) return;
  View& view = views_[processor];
  if (!rows_[data].open.empty()) return hide_row(view, data);
  for_each_user(view, data, [&](Index task, const Lacking& its) {
    if (its.count < 2) its.count == 0 ? ++view.frees[data] : --view.frees[its.first];
    if (its.count == 0 || its.count > 2 || !counts_pairs(view, task)) return;
    its.count == 1 ? ++view.nearly[its.first] : --view.nearly[its.first];
    its.count == 1 ? ++view.nearly[data] : --view.nearly[its.last];
  });
  view.sees[data] = 0;
}

void TaskViews::show_row(View& view, Index data, std::vector<Index>& enabled) const {
  const Row& row = rows_[data];
  const auto users = graph_->users(data);
  for_each_common(row.open, view.sees.data() + row.first_other,
                  [&](std::size_t user) { enabled.push_back(users[user]); });
  if (view.sees[data] != 0) return;
  count_others(row, view, 1);
  view.sees[data] = 1;
  view.frees[data] = 0;
}

void TaskViews::hide_row(View& view, Index data) const {
  const Row& row = rows_[data];
  for_each_common(row.open, view.sees.data() + row.first_other,
                  [&](std::size_t) { ++view.frees[data]; });
  count_others(row, view, -Index{1});
  view.sees[data] = 0;
}

/// The other inputs of open tasks, where they are out of view, free so many more [modulo 2^32]. A
/// loop without branches, which the compiler turns into vector instructions.
void TaskViews::count_others(const Row& row, View& view, Index more) {
  const std::size_t users = row.open.size();
  const char* const open = row.open.data();
  const char* const sees = view.sees.data() + row.first_other;
  Index* const frees = view.frees.data() + row.first_other;
  for (std::size_t user = 0; user < users; ++user) {
    const auto counts = static_cast<Index>(open[user] & (1 ^ sees[user]));
    frees[user] += (Index{0} - counts) & more;
  }
}

template <typename Visit>
void TaskViews::for_each_user(const View& view, Index data, Visit&& visit) {
  std::vector<User>& users = open_users_[data];
  std::size_t kept = 0;
  for (const User& one : users) {
    if (!is_open(one.task)) continue;
    Lacking its;
    if (one.other == none) {
      its = lacking(view, one.task, data);
    } else if (view.sees[one.other] == 0) {
      its = {.count = 1, .first = one.other, .last = one.other};
    }
    visit(one.task, its);
    users[kept++] = one;
  }
  users.resize(kept);
}

void TaskViews::set_listed(Index data, Index task, bool open) {
  Row& row = rows_[data];
  if (!row.open.empty()) {
    row.open[user(task, data).other - row.first_other] = open ? 1 : 0;
  } else if (open) {
    list_again(data, task);
  }
}

/// Of a task that is open again, unless it never was left out.
void TaskViews::list_again(Index data, Index task) {
  std::vector<User>& users = open_users_[data];
  const auto place =
      std::lower_bound(users.begin(), users.end(), task,
                       [](const User& one, Index other) { return one.task < other; });
  if (place == users.end() || place->task != task) users.insert(place, user(task, data));
}

TaskViews::Lacking TaskViews::lacking(const View& view, Index task, Index beside) const {
  Lacking result;
  for (const Index data : graph_->inputs(task)) {
    if (view.sees[data] != 0 || data == beside) continue;
    if (result.count++ == 0) result.first = data;
    result.last = data;
  }
  return result;
}

}  // namespace damocles
