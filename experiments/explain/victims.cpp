#include "experiments/explain/victims.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace damocles {
namespace {

using Kind = RunEvent::Kind;

constexpr std::size_t sampled_evictions = 400;  // of each processor
constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// One processor's memory along its tasks.
class VictimSample {
 public:
  explicit VictimSample(const TaskGraph& graph) : graph_(graph) {}

  /// All events of the processor are noted before they are followed.
  void note(const RunEvent& event) {
    if (event.kind == Kind::evicted && !event.overwritten) ++evictions_;
    if (event.kind != Kind::task_started) return;
    const auto task = static_cast<TaskGraph::Index>(event.id);
    for (const TaskGraph::Index data : graph_.inputs(task)) uses_[data].push_back(tasks_.size());
    tasks_.push_back(task);
  }

  void follow(const RunEvent& event, VictimChoice& choice) {
    const auto data = static_cast<TaskGraph::Index>(event.id);
    if (event.kind == Kind::load_ended || event.kind == Kind::created) resident_.insert(data);
    if (event.kind == Kind::task_started) ++position_;
    if (event.kind != Kind::evicted) return;
    resident_.erase(data);
    if (event.overwritten) return;
    const std::size_t every = std::max<std::size_t>(1, evictions_ / sampled_evictions);
    if (++seen_ % every == 0) compare(data, choice);
  }

 private:
  /// Which of the processor's tasks uses the data item next.
  [[nodiscard]] std::size_t next_use(TaskGraph::Index data) const {
    const auto found = uses_.find(data);
    if (found == uses_.end()) return never;
    const auto next = std::lower_bound(found->second.begin(), found->second.end(), position_);
    return next == found->second.end() ? never : *next;
  }

  /// Whether the task that runs or the next one uses it: then it cannot be evicted.
  [[nodiscard]] bool pinned(TaskGraph::Index data) const {
    for (std::size_t k = position_ > 0 ? position_ - 1 : 0; k <= position_; ++k) {
      if (k >= tasks_.size()) continue;
      const auto inputs = graph_.inputs(tasks_[k]);
      if (std::find(inputs.begin(), inputs.end(), data) != inputs.end()) return true;
    }
    return false;
  }

  void compare(TaskGraph::Index victim, VictimChoice& choice) const {
    const std::size_t own = next_use(victim);
    if (own == never) return;
    std::size_t least = never;
    std::size_t most = 0;
    bool any = false;
    for (const TaskGraph::Index data : resident_) {
      if (pinned(data)) continue;
      any = true;
      least = std::min(least, next_use(data));
      most = std::max(most, next_use(data));
    }
    if (!any) return;
    if (own >= most) {
      ++choice.farthest;
    } else if (own <= least) {
      ++choice.soonest;
    } else {
      ++choice.between;
    }
  }

  const TaskGraph& graph_;
  std::vector<TaskGraph::Index> tasks_;
  std::unordered_map<TaskGraph::Index, std::vector<std::size_t>> uses_;
  std::unordered_set<TaskGraph::Index> resident_;
  std::size_t evictions_ = 0;
  std::size_t seen_ = 0;
  std::size_t position_ = 0;
};

}  // namespace

VictimChoice victim_choice(const std::vector<RunEvent>& events, const Workload& workload,
                           const Platform& platform) {
  std::vector<VictimSample> samples(platform.processors(), VictimSample(workload.graph()));
  for (const RunEvent& event : events) samples[raw(event.processor)].note(event);
  VictimChoice choice;
  for (const RunEvent& event : events) samples[raw(event.processor)].follow(event, choice);
  return choice;
}

}  // namespace damocles
