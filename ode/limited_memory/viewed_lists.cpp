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
  const auto next = [&](std::size_t processor, std::size_t unfinished) -> std::optional<TaskLoads> {
    if (!any_task_for(all, processor)) return std::nullopt;
    return all.lists[processor].take(unfinished);
  };
  const auto load_ahead = [&](std::size_t processor, std::size_t unfinished) {
    return all.lists[processor].load_ahead(unfinished);
  };
  const auto ahead_came = [&](std::size_t processor) { all.lists[processor].ahead_came(); };
  return paced_run(run, {.next = next, .load_ahead = load_ahead, .ahead_came = ahead_came},
                   all.taken, draw);
}

}  // namespace

LimitedPrediction predict_viewed(const LimitedRun& run, ViewedLists lists) {
  const std::size_t draws = few_draws(run);
  return mean_of_draws(run, draws, [&](const LimitedRun& one, std::uint64_t draw) {
    const bool last = draw + 1 == draws;
    return drawn_run(one, last ? std::move(lists) : lists, draw);
  });
}

LimitedPrediction predict_lists(const LimitedRun& run, const std::vector<TaskSequence>& lists,
                                const ListView& view, ViewedLists kind) {
  kind.lists.reserve(lists.size());
  for (const TaskSequence& list : lists) kind.lists.emplace_back(run, list, view);
  return predict_viewed(run, std::move(kind));
}

}  // namespace damocles
