#include <algorithm>
#include <limits>
#include <span>

#include "models/winner_tree.hpp"
#include "ode/limited_memory/counted_loads.hpp"
#include "ode/limited_memory/recency_list.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// One processor that works through a list, and the bus that brings data ahead.
class ListWithPrefetch {
 public:
  ListWithPrefetch(const LimitedRun& run, const TaskSequence& list, TakenFirst taken)
      : run_(run),
        list_(list),
        taken_(taken),
        held_(run.data()),
        users_(run.data()),
        left_(run.data(), 0),
        evicted_(run.data(), 0) {
    for (std::size_t at = 0; at < list.size(); ++at) {
      const auto inputs = run.graph->inputs(list[at]);
      for (const Index item : inputs) {
        users_[item].push_back(at);
        ++left_[item];
      }
      missing_.push_back(never_loaded * static_cast<int>(inputs.size()));
      next_.push_back(at + 1);
    }
  }

  [[nodiscard]] LoadsByTask loads() {
    LoadsByTask result;
    for (std::size_t turn = 0; turn < list_.size(); ++turn) {
      const std::size_t at = taken_ == TakenFirst::first          ? turn
                             : taken_ == TakenFirst::fewest_loads ? missing_.best()
                                                                  : take_in_view();
      missing_.set(at, has_run);
      now_ = run_.graph->inputs(list_[at]);
      TaskLoads loads{.task = list_[at], .needed = fetch_inputs()};
      idle_ = loads.needed == 0
                  ? std::min(idle_ + run_.s(list_[at]) / run_.task_s, 3 * run_.transfers_a_task())
                  : 0;
      loads.ahead = fetch_ahead();
      before_ = now_;
      result.push_back(loads);
    }
    return result;
  }

 private:
  // A task with fewer missing data items goes first, then one with fewer evicted ones.
  static constexpr int never_loaded = 64;
  static constexpr int was_evicted = never_loaded + 1;
  static constexpr int has_run = std::numeric_limits<int>::max();
  /// Tasks that dmdas compares.
  static constexpr std::size_t view = 128;

  static bool among(std::span<const Index> items, Index one) {
    return std::find(items.begin(), items.end(), one) != items.end();
  }
  /// Lacking inputs.
  [[nodiscard]] std::size_t lacks(std::size_t at) const {
    const auto inputs = run_.graph->inputs(list_[at]);
    return static_cast<std::size_t>(std::count_if(inputs.begin(), inputs.end(),
                                                  [&](Index item) { return !held_.holds(item); }));
  }
  std::size_t take_in_view() {
    std::size_t best = head_;
    std::size_t before_best = head_;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    std::size_t before = head_;
    for (std::size_t at = head_, seen = 0; at < list_.size() && seen < view && least > 0; ++seen) {
      if (const std::size_t lacking = lacks(at); lacking < least) {
        least = lacking;
        best = at;
        before_best = before;
      }
      before = at;
      at = next_[at];
    }
    (best == head_ ? head_ : next_[before_best]) = next_[best];
    return best;
  }
  void change(Index item, int by) {
    if (taken_ != TakenFirst::fewest_loads) return;
    for (const std::size_t at : users_[item]) {
      if (missing_.key(at) == has_run) continue;
      by > 0 ? missing_.raise(at, missing_.key(at) + by) : missing_.set(at, missing_.key(at) + by);
    }
  }
  void load(Index item) {
    held_.add(item);
    change(item, evicted_[item] != 0 ? -was_evicted : -never_loaded);
    if (left_[item] == 0) ++dead_;
  }
  void evict(Index item) {
    held_.remove(item);
    evicted_[item] = 1;
    change(item, was_evicted);
    if (left_[item] == 0) --dead_;
  }
  std::uint32_t fetch_inputs() {
    for (const Index item : now_) {
      if (--left_[item] == 0 && held_.holds(item)) ++dead_;
    }
    std::uint32_t loads = 0;
    for (const Index item : now_) {
      if (held_.holds(item)) continue;
      if (held_.size() >= run_.memory) make_room();
      load(item);
      ++loads;
    }
    for (const Index item : now_) held_.touch(item);
    return loads;
  }
  void make_room() {
    auto victim =
        held_.oldest_if([&](Index one) { return !among(now_, one) && !among(before_, one); });
    if (!victim) victim = held_.oldest_if([&](Index one) { return !among(now_, one); });
    if (victim) evict(*victim);
  }
  /// One data item each time that the processor has computed as long as a transfer takes.
  std::uint32_t fetch_ahead() {
    std::uint32_t loads = 0;
    while (idle_ >= run_.transfers_a_task()) {
      const auto item = next_wish();
      if (!item) break;
      if (held_.size() >= run_.memory) {
        const auto dead = dead_ == 0 ? std::nullopt : held_.oldest_if([&](Index one) {
          return left_[one] == 0 && !among(now_, one);
        });
        if (!dead) break;
        evict(*dead);
      }
      load(*item);
      ++loads;
      idle_ -= run_.transfers_a_task();
    }
    return loads;
  }
  /// The first data item that a task in view lacks.
  [[nodiscard]] std::optional<Index> next_wish_in_view() const {
    for (std::size_t at = head_, seen = 0; at < list_.size() && seen < view; ++seen) {
      for (const Index item : run_.graph->inputs(list_[at])) {
        if (!held_.holds(item)) return item;
      }
      at = next_[at];
    }
    return std::nullopt;
  }
  /// The first data item of the list that was never loaded.
  std::optional<Index> next_wish() {
    if (taken_ == TakenFirst::fewest_in_view) return next_wish_in_view();
    for (; wish_task_ < list_.size(); ++wish_task_, wish_input_ = 0) {
      const auto inputs = run_.graph->inputs(list_[wish_task_]);
      for (; wish_input_ < inputs.size(); ++wish_input_) {
        const Index item = inputs[wish_input_];
        if (!held_.holds(item) && evicted_[item] == 0) return item;
      }
    }
    return std::nullopt;
  }

  const LimitedRun& run_;
  const TaskSequence& list_;
  TakenFirst taken_;
  RecencyList held_;
  std::vector<std::vector<std::size_t>> users_;  // of each data item, places in the list
  std::vector<std::size_t> left_;                // of each data item, tasks that are to read it
  std::vector<char> evicted_;                    // whether it was, of each data item
  WinnerTree<int> missing_{has_run};             // of each place, what its task lacks
  std::size_t dead_ = 0;                         // data items held that no task is to read
  std::span<const Index> now_{};
  std::span<const Index> before_{};
  double idle_ = 0;                // mean tasks for which the bus has had nothing to bring
  std::size_t head_ = 0;           // the first place whose task has not run
  std::vector<std::size_t> next_;  // of each place, the next whose task has not run
  std::size_t wish_task_ = 0;
  std::size_t wish_input_ = 0;
};

}  // namespace

LoadsByTask loads_with_prefetch(const LimitedRun& run, const TaskSequence& list, TakenFirst taken) {
  return ListWithPrefetch(run, list, taken).loads();
}

}  // namespace damocles
