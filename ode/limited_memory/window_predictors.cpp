// Strategies with a short list for each processor, to which tasks come from a shared window while
// the run goes: modular-heft and its kin.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ode/limited_memory/expected_ends.hpp"
#include "ode/limited_memory/mean_of_draws.hpp"
#include "ode/limited_memory/pace.hpp"
#include "ode/limited_memory/task_lists.hpp"
#include "ode/limited_memory/viewed_list.hpp"

namespace damocles {
namespace {

/// Tasks that fit on a list: the option `threshold`, by default as STARPU_NTASKS_THRESHOLD.
std::size_t room_of(const LimitedRun& run) {
  return parse_integer(run.strategy.word("threshold").value_or("")).value_or(30);
}

/// The window, its lists, and what is expected of them.
class Window {
 public:
  using Index = TaskGraph::Index;

  /// @param looked_at  of so many tasks the one goes next whose soonest and latest end are the
  ///                   farthest apart; ties: the first
  Window(const LimitedRun& run, std::size_t looked_at)
      : looked_at_(looked_at),
        room_(room_of(run)),
        ends_(run),
        waiting_(tasks_as_submitted(run)),
        taken_(run.processors),
        progress_(run.processors) {
    const ListView view{.tasks = room_, .ahead = ListView::Ahead::in_view};
    for (std::size_t k = 0; k < run.processors; ++k) lists_.emplace_back(run, TaskSequence{}, view);
  }

  std::optional<TaskLoads> take(std::size_t processor, std::size_t unfinished) {
    if (lists_[processor].left() == 0) place_all();
    if (lists_[processor].left() == 0) return std::nullopt;
    const TaskLoads task = lists_[processor].take(unfinished);
    taken_[processor].push_back(task.task);
    place_all();
    return task;
  }
  bool load_ahead(std::size_t processor, std::size_t unfinished) {
    return lists_[processor].load_ahead(unfinished);
  }
  void ahead_came(std::size_t processor) { lists_[processor].ahead_came(); }
  [[nodiscard]] bool has_task(std::size_t processor) const { return lists_[processor].left() > 0; }
  /// So many of the tasks that the processor took have started, and ended.
  void note(std::size_t processor, std::size_t started, std::size_t ended) {
    Progress& so_far = progress_[processor];
    const TaskSequence& tasks = taken_[processor];
    while (so_far.ended < ended || so_far.started < started) {
      if (so_far.started <= so_far.ended) {
        ends_.started(processor, tasks[so_far.started++]);
      } else {
        ends_.ended(processor, tasks[so_far.ended++]);
      }
    }
  }

 private:
  struct Progress {
    std::size_t started = 0;
    std::size_t ended = 0;
  };

  void place_all() {
    while (first_ < waiting_.size()) {
      bring_forward_most_urgent();
      const Index task = waiting_[first_];
      const auto choice = ends_.choose(task);
      if (lists_[choice.processor].left() >= room_) return;
      ends_.allot(task, choice);
      lists_[choice.processor].append(task);
      ++first_;
    }
  }
  /// Of the first tasks that wait the one whose placement matters most.
  void bring_forward_most_urgent() {
    if (looked_at_ == 1) return;
    const std::size_t end = std::min(first_ + looked_at_, waiting_.size());
    std::size_t best = first_;
    double most_s = ends_.spread_s(waiting_[first_]);
    for (std::size_t at = first_ + 1; at < end; ++at) {
      const double spread_s = ends_.spread_s(waiting_[at]);
      if (spread_s <= most_s) continue;
      best = at;
      most_s = spread_s;
    }
    const auto begin = waiting_.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto chosen = waiting_.begin() + static_cast<std::ptrdiff_t>(best);
    std::rotate(begin, chosen, chosen + 1);
  }

  std::size_t looked_at_;
  std::size_t room_;
  ExpectedEnds ends_;
  TaskSequence waiting_;
  std::size_t first_ = 0;  // that waits
  std::vector<ViewedList> lists_;
  std::vector<TaskSequence> taken_;
  std::vector<Progress> progress_;
};

LimitedPrediction drawn_window(const LimitedRun& run, std::size_t looked_at, std::uint64_t draw) {
  Window window(run, looked_at);
  const TaskQueue queue{
      .next = [&](std::size_t processor,
                  std::size_t unfinished) { return window.take(processor, unfinished); },
      .load_ahead =
          [&](std::size_t processor, std::size_t unfinished) {
            return window.load_ahead(processor, unfinished);
          },
      .ahead_came = [&](std::size_t processor) { window.ahead_came(processor); },
      .progress = [&](std::size_t processor, std::size_t started,
                      std::size_t ended) { window.note(processor, started, ended); },
      .has_task = [&](std::size_t processor) { return window.has_task(processor); }};
  return paced_run(run, queue, Taken::when_inputs_came, draw);
}

/// The jitter decides who asks first, and with it where many tasks go.
template <std::size_t LookedAt>
LimitedPrediction predict_window(const LimitedRun& run) {
  const std::size_t draws = run.processors == 1 ? 1 : run.tasks() > 100'000 ? 2 : 16;
  return mean_of_draws(run, draws, [](const LimitedRun& one, std::uint64_t draw) {
    return drawn_window(one, LookedAt, draw);
  });
}

LimitedPredictor windowed(const char* strategy, LimitedPrediction (*predict)(const LimitedRun&),
                          const ExpectedErrors& different_speeds) {
  return {.name = strategy,
          .model = "counted",
          .options = {"threshold"},
          .several = {.loads = 0.05, .makespan = 0.04},
          .several_elsewhere = {.loads = 0.025, .makespan = 0.025},
          .different_speeds = different_speeds,
          .predict = predict};
}

constexpr ExpectedErrors of_one_task{.loads = 0.015, .makespan = 0.02};

const Register windows{
    windowed("modular-heft", predict_window<1>, of_one_task),
    windowed("modular-heft2", predict_window<5>, {.loads = 0.02, .makespan = 0.04}),
    windowed("modular-heft-prio", predict_window<1>, of_one_task),
    windowed("modular-heteroprio", predict_window<1>, of_one_task)};

}  // namespace
}  // namespace damocles
