#include "ode/static_plans/planned_pace.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "models/platforms/kernel_times.hpp"
#include "models/rng.hpp"
#include "ode/limited_memory/prediction_streams.hpp"

namespace damocles {
namespace {

/// A data item on its way, or waiting for its turn.
struct PacedCopy {
  TaskGraph::Index item = 0;
  double wait_s = 0;  ///< before its bytes flow
};

/// Transfers of one processor in one direction, one after the other.
struct CopyLine {
  std::deque<PacedCopy> copies;  ///< the first one is under way
  bool flows = false;            ///< its bytes do
  double flows_s = never_s;      ///< when they begin to, where they do not
  double left_bytes = 0;
  double rate = 0;  ///< [B/s]

  [[nodiscard]] double next_s(double now_s) const {
    return flows ? now_s + left_bytes / rate : flows_s;
  }
};

/// One processor.
struct PlanLane {
  CopyLine in{};
  CopyLine out{};
  std::deque<TaskGraph::Index> early_home{};  ///< written for the last time, and still here
  std::size_t taken = 0;                      ///< of its list, into the buffer
  std::size_t ended = 0;                      ///< likewise
  std::size_t asked = 0;     ///< of its list, all loads of so many tasks were asked for
  std::size_t asked_of = 0;  ///< of the loads of the next one
  std::size_t coming = 0;    ///< loads that were asked for and have not come
  std::size_t last_fed = 0;  ///< the place in its list of the task that these are for
  double end_s = never_s;    ///< of the running task
  double start_s = 0;        ///< before which nothing is copied

  [[nodiscard]] bool runs() const { return end_s != never_s; }
  [[nodiscard]] bool is_fed(std::size_t place) const {
    return place < asked && (coming == 0 || place < last_fed);
  }
};

class PlanPace {
 public:
  using Index = TaskGraph::Index;

  PlanPace(const PlannedRun& run, const PlannedLoads& counted, std::uint64_t draw)
      : run_(run),
        graph_(*run.graph),
        counted_(counted),
        waits_(graph_.dependencies(), graph_.tasks()),
        lanes_(run.processors.size()),
        lane_of_(graph_.tasks()),
        in_host_memory_(graph_.data(), true),
        holder_(graph_.data(), 0),
        writes_left_(graph_.writers()) {
    pace_.starts_s.resize(graph_.tasks());
    for (std::size_t k = 0; k < lanes_.size(); ++k) {
      rngs_.emplace_back(0, Draw::prediction, k, prediction_stream::planned_pace + draw);
      if (run.jitter > 0) lanes_[k].start_s = MachineModel::latest_start_s * rngs_[k].uniform();
      for (const Index task : list(k)) lane_of_[task] = k;
      if (!run.processors[k].in_host_memory) slowest_first_.push_back(k);
    }
    std::stable_sort(
        slowest_first_.begin(), slowest_first_.end(), [&](std::size_t a, std::size_t b) {
          return run.processors[a].link_bytes_per_s < run.processors[b].link_bytes_per_s;
        });
    for (Index item = 0; item < graph_.data(); ++item) {
      if (graph_.temporary(item)) in_host_memory_[item] = false;
    }
  }

  PlannedPace run_all() && {
    for (std::size_t k = 0; k < lanes_.size(); ++k) serve(k);
    while (happens_next()) {
    }
    return std::move(pace_);
  }

 private:
  [[nodiscard]] const std::vector<Index>& list(std::size_t k) const {
    return run_.plan.of_processors[k];
  }

  /// False where nothing does any more.
  bool happens_next() {
    share_bus();
    double next_s = never_s;
    std::size_t who = 0;
    CopyLine* line = nullptr;  // none: its task ends
    const auto offer = [&](double at_s, std::size_t k, CopyLine* of) {
      if (at_s >= next_s) return;
      next_s = at_s;
      who = k;
      line = of;
    };
    for (const std::size_t k : slowest_first_) {
      offer(lanes_[k].in.next_s(now_s_), k, &lanes_[k].in);
      offer(lanes_[k].out.next_s(now_s_), k, &lanes_[k].out);
    }
    for (std::size_t k = 0; k < lanes_.size(); ++k) offer(lanes_[k].end_s, k, nullptr);
    if (next_s == never_s) return false;
    move_to(next_s);
    line == nullptr ? end_task(who) : go_on(who, *line);
    return true;
  }
  /// Max-min fair: who cannot take an even share of what is left has its link's rate.
  void share_bus() {
    std::size_t flowing = 0;
    for (const std::size_t k : slowest_first_) {
      flowing += (lanes_[k].in.flows ? 1U : 0U) + (lanes_[k].out.flows ? 1U : 0U);
    }
    double left = run_.bus_bytes_per_s;
    for (const std::size_t k : slowest_first_) {
      for (CopyLine* const line : {&lanes_[k].in, &lanes_[k].out}) {
        if (!line->flows) continue;
        const double even = left / static_cast<double>(flowing--);
        line->rate = std::min(even, run_.processors[k].link_bytes_per_s);
        left -= line->rate;
      }
    }
  }
  void move_to(double next_s) {
    for (const std::size_t k : slowest_first_) {
      for (CopyLine* const line : {&lanes_[k].in, &lanes_[k].out}) {
        if (line->flows) line->left_bytes -= (next_s - now_s_) * line->rate;
      }
    }
    now_s_ = next_s;
  }
  /// The latency of its first copy is over, or the copy has come.
  void go_on(std::size_t k, CopyLine& line) {
    if (!line.flows) {
      line.flows = true;
      line.left_bytes = static_cast<double>(graph_.bytes(line.copies.front().item));
      return;
    }
    const Index item = line.copies.front().item;
    line.flows = false;
    line.flows_s = never_s;
    line.copies.pop_front();
    if (!line.copies.empty()) begin_copy(k, line);
    &line == &lanes_[k].in ? came(k) : came_home(k, item);
  }
  void copy(std::size_t k, CopyLine& line, const PacedCopy& one) {
    line.copies.push_back(one);
    if (line.copies.size() == 1) begin_copy(k, line);
  }
  void begin_copy(std::size_t k, CopyLine& line) {
    const double late_s = std::max(line.copies.front().wait_s, lanes_[k].start_s - now_s_);
    line.flows_s = now_s_ + late_s + run_.latency_s;
  }

  /// All that the processor can begin now.
  void serve(std::size_t k) {
    PlanLane& lane = lanes_[k];
    const auto& tasks = list(k);
    while (lane.taken < tasks.size() && lane.taken - lane.ended < run_.processors[k].depth &&
           !waits_.waits(tasks[lane.taken])) {
      ++lane.taken;
    }
    start(k);
    ask(k);
    send_early(k);
  }
  /// The next task, where its loads have come and none runs.
  void start(std::size_t k) {
    PlanLane& lane = lanes_[k];
    if (lane.runs() || lane.ended == lane.taken || !lane.is_fed(lane.ended)) return;
    const Index task = list(k)[lane.ended];
    pace_.starts_s[task] = now_s_;
    const double longer = run_.jitter > 0 ? run_.jitter * rngs_[k].uniform() : 0;
    lane.end_s = now_s_ + run_.durations.s(k, task) * (1 + longer);
    graph_.for_each_access(task, [&](Index item, Access access) {
      if (!writes(access)) return;
      in_host_memory_[item] = run_.processors[k].in_host_memory;
      holder_[item] = k;
    });
  }
  void end_task(std::size_t k) {
    PlanLane& lane = lanes_[k];
    const Index task = list(k)[lane.ended++];
    lane.end_s = never_s;
    pace_.makespan_s = now_s_;
    graph_.for_each_access(task, [&](Index item, Access access) {
      const bool last = writes(access) && --writes_left_[item] == 0;
      if (last && graph_.early_home(item)) lane.early_home.push_back(item);
    });
    std::vector<std::size_t> freed{k};
    waits_.ended(task, [&](Index later) { freed.push_back(lane_of_[later]); });
    if (++ended_ == graph_.tasks() && run_.returns_all) return return_all();
    for (const std::size_t one : freed) serve(one);
  }

  /// Asks for what the next tasks of the buffer load; those of one task at a time.
  void ask(std::size_t k) {
    PlanLane& lane = lanes_[k];
    while (lane.coming == 0 && lane.asked < lane.taken) {
      const Index task = list(k)[lane.asked];
      if (run_.processors[k].in_host_memory) {
        for (const Index item : graph_.needed(task)) see_at_home(k, item);
      } else if (!ask_for(k, task)) {
        return;
      }
      ++lane.asked;
      lane.asked_of = 0;
      start(k);
    }
  }
  /// False where there is no room yet for all of it.
  bool ask_for(std::size_t k, Index task) {
    PlanLane& lane = lanes_[k];
    const auto& rooms = counted_.of_tasks[task];
    lane.last_fed = lane.asked;
    const double wait_s = lane.asked == lane.ended + (lane.runs() ? 1 : 0) ? run_.request_s : 0;
    for (; lane.asked_of < rooms.size(); ++lane.asked_of) {
      const RoomForItem& room = rooms[lane.asked_of];
      if (lane.ended < room.after || !have_left(k, room)) return false;
      if (room.loads) load(k, {room.item, wait_s});
    }
    return true;
  }
  /// Whether all that is modified and gives way is in host memory; sends it there.
  bool have_left(std::size_t k, const RoomForItem& room) {
    bool all = true;
    for (const Index item : room.leaving) {
      if (in_host_memory_[item] || holder_[item] != k) continue;
      send_home(item);
      all = false;
    }
    return all;
  }
  void load(std::size_t k, const PacedCopy& one) {
    ++lanes_[k].coming;
    if (in_host_memory_[one.item]) return copy(k, lanes_[k].in, one);
    send_home(one.item);
    returning_[one.item].emplace_back(k, one);
  }
  /// A processor in host memory reads it there.
  void see_at_home(std::size_t k, Index item) {
    lanes_[k].last_fed = lanes_[k].asked;
    if (in_host_memory_[item]) return;
    ++lanes_[k].coming;
    send_home(item);
    returning_[item].emplace_back(k, PacedCopy{item});
  }
  /// Unless it is on its way already.
  void send_home(Index item) {
    if (!returning_.try_emplace(item).second) return;
    copy(holder_[item], lanes_[holder_[item]].out, {item});
  }
  void send_early(std::size_t k) {
    PlanLane& lane = lanes_[k];
    while (!lane.early_home.empty() && lane.out.copies.empty()) {
      const Index item = lane.early_home.front();
      lane.early_home.pop_front();
      if (!in_host_memory_[item] && holder_[item] == k) send_home(item);
    }
  }
  void return_all() {
    for (Index item = 0; item < graph_.data(); ++item) {
      if (!graph_.temporary(item) && !in_host_memory_[item]) send_home(item);
    }
  }

  void came(std::size_t k) {
    --lanes_[k].coming;
    serve(k);
  }
  void came_home(std::size_t k, Index item) {
    if (holder_[item] == k) in_host_memory_[item] = true;
    if (run_.ends_with_returns) pace_.makespan_s = now_s_;
    const auto waiting = std::move(returning_.extract(item).mapped());
    for (const auto& [reader, one] : waiting) {
      if (run_.processors[reader].in_host_memory) {
        came(reader);
      } else {
        copy(reader, lanes_[reader].in, one);
      }
    }
    serve(k);
  }

  const PlannedRun& run_;
  const TaskGraph& graph_;
  const PlannedLoads& counted_;
  Countdown waits_;
  std::vector<PlanLane> lanes_;
  std::vector<std::size_t> lane_of_;        // by task
  std::vector<bool> in_host_memory_;        // by data item: no copy elsewhere is newer
  std::vector<std::size_t> holder_;         // by data item: who wrote it last
  std::vector<Index> writes_left_;          // by data item
  std::vector<std::size_t> slowest_first_;  // processors with a link
  std::vector<Rng> rngs_;                   // of the jitter
  // By data item on its way to host memory: who loads it then.
  std::unordered_map<Index, std::vector<std::pair<std::size_t, PacedCopy>>> returning_;
  std::size_t ended_ = 0;  // tasks
  double now_s_ = 0;
  PlannedPace pace_;
};

}  // namespace

PlannedPace planned_pace(const PlannedRun& run, const PlannedLoads& counted, std::uint64_t draw) {
  return PlanPace(run, counted, draw).run_all();
}

}  // namespace damocles
