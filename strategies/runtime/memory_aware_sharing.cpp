// How MemoryAwareRuntime shares out tasks that another task has released.

#include <algorithm>

#include "strategies/runtime/memory_aware_runtime.hpp"

namespace damocles {

/// The processor has ended a task, which released tasks that any processor may run. Whoever has the
/// fewest tasks asks first, for one task at a time: so nobody takes a second one while a processor
/// that could run it is idle. Of equals, those that starve go first, by id, and `ender` last.
void MemoryAwareRuntime::share_out(WorkerState& ender) {
  const auto take = [&](WorkerState& worker, std::size_t tasks) {
    const std::size_t before = worker.buffer().size();
    refill(worker, std::min(tasks, depth(worker)));
    return worker.buffer().size() > before;
  };
  constexpr auto end = boost::dynamic_bitset<>::npos;
  boost::dynamic_bitset<> takers = starving_;
  takers.reset(raw(ender.id()));
  // Those without a task, of whom there may be thousands, ask again only if they got one: `takers`
  // are the others, until then.
  boost::dynamic_bitset<> turn = takers & idle_;
  takers -= turn;
  bool ender_takes = true;
  for (std::size_t tasks = 1; tasks <= depth_; ++tasks) {
    for (auto p = turn.find_first(); p != end; p = turn.find_next(p)) {
      if (strategy_->exhausted()) return;
      if (tasks == 1) {
        const auto* const granted = strategy_->all_it_may_grant();
        if (granted != nullptr && !granted->test(p)) p = (turn & *granted).find_next(p);
        if (p == end) break;
      }
      if (workers_[p].buffer().size() >= tasks) {
        takers.set(p);
      } else if (strategy_->may_grant(workers_[p].id()) && take(workers_[p], tasks)) {
        hinted_.insert(workers_[p].id());
        only_asks_.reset(p);
        takers.set(p);
      } else {
        takers.reset(p);
      }
    }
    if (ender_takes && ender.buffer().size() < tasks) ender_takes = take(ender, tasks);
    if (!ender_takes && takers.none()) return;
    turn = takers;
  }
}

}  // namespace damocles
