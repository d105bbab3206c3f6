#include "orders/implied_waits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace damocles {
namespace {

using WaitTask = Dependencies::Index;

/// Where waits of each task begin, and when each task may run.
struct WaitRows {
  std::vector<std::size_t> begins;
  std::vector<std::size_t> places;     // in the order, by task
  std::vector<std::uint32_t> befores;  // how many each task waits for

  WaitRows(const std::vector<PlannedWait>& waits, const std::vector<WaitTask>& order)
      : begins(order.size() + 1, 0), places(order.size()), befores(order.size(), 0) {
    for (std::size_t at = 0; at < order.size(); ++at) places[order[at]] = at;
    for (const PlannedWait& wait : waits) {
      ++begins[wait.before + 1];
      ++befores[wait.after];
    }
    for (std::size_t task = 0; task < order.size(); ++task) begins[task + 1] += begins[task];
  }
};

/// The waits that may be implied, by the places of the tasks that wait.
std::vector<std::size_t> maybe_implied(const std::vector<PlannedWait>& waits,
                                       const WaitRows& rows) {
  std::vector<std::size_t> result;
  for (std::size_t at = 0; at < waits.size(); ++at) {
    const PlannedWait& wait = waits[at];
    const bool alone = rows.begins[wait.before + 1] - rows.begins[wait.before] == 1;
    if (wait.transfer_s == 0 && !alone && rows.befores[wait.after] > 1) result.push_back(at);
  }
  std::sort(result.begin(), result.end(), [&](std::size_t a, std::size_t b) {
    return rows.places[waits[a].after] < rows.places[waits[b].after];
  });
  return result;
}

/// Which of up to 64 tasks can be reached from the tasks of a part of the order.
class Reach {
 public:
  Reach(const std::vector<PlannedWait>& waits, const WaitRows& rows,
        const std::vector<WaitTask>& order)
      : waits_(waits), rows_(rows), order_(order), reached_(order.size(), 0) {}

  /// @param first, last  the part, by places; the targets lie in it
  void follow(const std::unordered_map<WaitTask, unsigned>& targets, std::size_t first,
              std::size_t last) {
    targets_ = &targets;
    last_ = last;
    for (std::size_t place = last + 1; place-- > first;) {
      const WaitTask task = order_[place];
      std::uint64_t word = 0;
      for_each_later(task,
                     [&](WaitTask later) { word |= reached_[rows_.places[later]] | bit(later); });
      reached_[place] = word;
    }
  }
  /// Whether a way over others leads there beside the wait itself.
  [[nodiscard]] bool implied(const PlannedWait& wait) const {
    bool found = false;
    for_each_later(wait.before, [&](WaitTask later) {
      found = found || (reached_[rows_.places[later]] & bit(wait.after)) != 0;
    });
    return found;
  }

 private:
  [[nodiscard]] std::uint64_t bit(WaitTask task) const {
    const auto target = targets_->find(task);
    return target == targets_->end() ? 0 : std::uint64_t{1} << target->second;
  }
  template <typename Visit>
  void for_each_later(WaitTask task, Visit&& visit) const {
    for (std::size_t at = rows_.begins[task]; at < rows_.begins[task + 1]; ++at) {
      if (rows_.places[waits_[at].after] <= last_) visit(waits_[at].after);
    }
  }

  const std::vector<PlannedWait>& waits_;
  const WaitRows& rows_;
  const std::vector<WaitTask>& order_;
  std::vector<std::uint64_t> reached_;  // by place
  const std::unordered_map<WaitTask, unsigned>* targets_ = nullptr;
  std::size_t last_ = 0;
};

}  // namespace

void drop_implied_waits(std::vector<PlannedWait>& waits, const std::vector<WaitTask>& order) {
  const WaitRows rows(waits, order);
  const std::vector<std::size_t> asked = maybe_implied(waits, rows);
  if (asked.empty()) return;
  std::vector<bool> implied(waits.size(), false);
  Reach reach(waits, rows, order);
  for (std::size_t begin = 0, end = 0; begin < asked.size(); begin = end) {
    std::unordered_map<WaitTask, unsigned> targets;
    std::size_t first = order.size();
    for (; end < asked.size(); ++end) {
      const PlannedWait& wait = waits[asked[end]];
      if (targets.size() == 64 && !targets.contains(wait.after)) break;
      targets.try_emplace(wait.after, static_cast<unsigned>(targets.size()));
      first = std::min(first, rows.places[wait.before]);
    }
    reach.follow(targets, first, rows.places[waits[asked[end - 1]].after]);
    for (std::size_t at = begin; at < end; ++at)
      implied[asked[at]] = reach.implied(waits[asked[at]]);
  }
  std::size_t at = 0;
  std::erase_if(waits, [&](const PlannedWait&) { return implied[at++]; });
}

}  // namespace damocles
