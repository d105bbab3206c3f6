#include "ode/limited_memory/task_views.hpp"

#include <algorithm>

#include "models/cache_hint.hpp"

namespace damocles {

TaskViews::TaskViews(const TaskGraph& graph, std::size_t processors, bool pairs)
    : graph_(&graph), open_(graph.tasks(), 1), users_(graph.data()), left_(graph.tasks()) {
  View none{.sees = std::vector<char>(graph.data(), 0),
            .missing = std::vector<Missing>(graph.tasks()),
            .frees = std::vector<Index>(graph.data(), 0),
            .nearly = std::vector<Index>(pairs ? graph.data() : 0, 0)};
  for (Index task = 0; task < graph.tasks(); ++task) {
    none.missing[task] = missing(none, task);
    for (const Index data : graph.inputs(task)) ++users_[data];
    count(none, task, true);
  }
  views_.assign(processors, none);
  for (Index data = 0; data < graph.data(); ++data) {
    const auto users = graph.users(data);
    open_users_.emplace_back(users.begin(), users.end());
  }
}

TaskGraph::Index TaskViews::first_nearly_free(std::size_t processor, Index data) const {
  const auto users = graph_->users(data);
  return *std::find_if(users.begin(), users.end(), [&](Index task) {
    return is_open(task) && lacks_two(views_[processor], task);
  });
}

void TaskViews::set_open(Index task, bool open) {
  open_[task] = open ? 1 : 0;
  for (const Index data : graph_->inputs(task)) {
    open ? ++users_[data] : --users_[data];
    if (open) list_again(data, task);
  }
  open ? ++left_ : --left_;
  for (View& view : views_) {
    if (open) view.missing[task] = missing(view, task);
    count(view, task, open);
    if (!open) view.missing[task].inputs = Missing::of_closed;
  }
}

void TaskViews::show(std::size_t processor, Index data, bool in_view) {
  View& view = views_[processor];
  if ((view.sees[data] != 0) == in_view) return;
  constexpr std::size_t ahead = 8;  // what is told of them lies far apart
  std::vector<Index>& users = open_users_[data];
  std::size_t kept = 0;
  for (std::size_t at = 0; at < users.size(); ++at) {
    if (at + ahead < users.size()) prefetch_line(view.missing[users[at + ahead]]);
    const Index task = users[at];
    Missing& missing = view.missing[task];
    if (missing.inputs == Missing::of_closed) continue;
    users[kept++] = task;
    count(view, task, false);
    in_view ? --missing.inputs : ++missing.inputs;
    missing.sum += in_view ? 0 - data : data;  // modulo 2^32
    view.sees[data] = in_view ? 1 : 0;
    count(view, task, true);
    view.sees[data] = in_view ? 0 : 1;
  }
  view.sees[data] = in_view ? 1 : 0;
  users.resize(kept);
}

/// Of a task that is open again, unless it never was left out.
void TaskViews::list_again(Index data, Index task) {
  std::vector<Index>& users = open_users_[data];
  const auto place = std::lower_bound(users.begin(), users.end(), task);
  if (place == users.end() || *place != task) users.insert(place, task);
}

TaskViews::Missing TaskViews::missing(const View& view, Index task) const {
  Missing result;
  for (const Index data : graph_->inputs(task)) {
    if (view.sees[data] != 0) continue;
    ++result.inputs;
    result.sum += data;
  }
  return result;
}

void TaskViews::count(View& view, Index task, bool more) const {
  const Missing& missing = view.missing[task];
  if (missing.inputs == 1) {
    more ? ++view.frees[missing.sum] : --view.frees[missing.sum];
    return;
  }
  if (view.nearly.empty() || !lacks_two(view, task)) return;
  for (const Index data : graph_->inputs(task)) {
    if (view.sees[data] == 0) more ? ++view.nearly[data] : --view.nearly[data];
  }
}

}  // namespace damocles
