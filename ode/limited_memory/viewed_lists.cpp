#include "ode/limited_memory/viewed_lists.hpp"

#include <algorithm>
#include <utility>

#include "ode/limited_memory/mean_of_draws.hpp"

namespace damocles {
namespace {

bool any_task_for(ViewedLists& all, std::size_t processor) {
  ViewedList& own = all.lists[processor];
  if (own.left() > 0) return true;
  if (!all.steal) return false;
  const auto longest = std::max_element(
      all.lists.begin(), all.lists.end(),
      [](const ViewedList& a, const ViewedList& b) { return a.left() < b.left(); });
  if (longest->left() > 0) own.steal_from(*longest);
  return own.left() > 0;
}

LimitedPrediction drawn_run(const LimitedRun& run, ViewedLists all, std::uint64_t draw) {
  double loads = 0;
  const auto next = [&](std::size_t processor, std::size_t unfinished) -> std::optional<TaskLoads> {
    if (!any_task_for(all, processor)) return std::nullopt;
    const TaskLoads task = all.lists[processor].take(unfinished);
    loads += task.needed;
    return task;
  };
  const auto load_ahead = [&](std::size_t processor, std::size_t unfinished) {
    const bool any = all.lists[processor].load_ahead(unfinished);
    loads += any ? 1 : 0;
    return any;
  };
  const TaskQueue queue{
      .next = next, .load_ahead = load_ahead, .ahead_came = [&](std::size_t processor) {
        all.lists[processor].ahead_came();
      }};
  PacedRun pace = paced_run(run, queue, all.taken, draw);
  return {.loads = loads, .makespan_s = pace.makespan_s, .courses = std::move(pace.courses)};
}

}  // namespace

LimitedPrediction predict_viewed(const LimitedRun& run, const ViewedLists& lists) {
  return mean_of_draws(few_draws(run),
                       [&](std::uint64_t draw) { return drawn_run(run, lists, draw); });
}

LimitedPrediction predict_lists(const LimitedRun& run, const std::vector<TaskSequence>& lists,
                                const ListView& view) {
  ViewedLists all;
  for (const TaskSequence& list : lists) all.lists.emplace_back(run, list, view);
  return predict_viewed(run, all);
}

}  // namespace damocles
