#include "orders/pacing.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include "orders/min_loads.hpp"
#include "orders/peaks.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
constexpr Index none = std::numeric_limits<Index>::max();
constexpr std::size_t most_candidates = 64;  // loads looked at for one to begin

/// An order of tasks is run again, its tasks and stays named by their places in it.
class Rehearsal {
 public:
  Rehearsal(const TaskGraph& graph, std::span<const Index> order, std::uint64_t memory_bytes,
            const Pace& pace, std::optional<double> equal_flops)
      : graph_(graph),
        order_(order),
        equal_flops_(equal_flops),
        memory_bytes_(static_cast<std::int64_t>(memory_bytes + pace.spare_bytes)),
        pace_(pace),
        stays_(stays_under_min(graph, order, memory_bytes)),
        tasks_(order.size()),
        rooms_(stays_.data.size()),
        held_(order.size()) {
    list_uses();
    for (Index s = 0; s < rooms_.size(); ++s) {
      smallest_ = s == 0 ? bytes(s) : std::min(smallest_, bytes(s));
      held_.add(first_use(s), last_use(s) + std::size_t{1}, bytes(s));
    }
    for (Index t = 0; t < tasks_.size(); ++t) {
      if (tasks_[t].missing == 0) make_available(t);
      if (tasks_[t].missing == 1) ++rooms_[tasks_[t].missing_set].frees;
    }
    result_.order.reserve(order.size());
  }

  /// Begins what can begin at time 0.
  void start() { act(); }

  /// All tasks have begun.
  [[nodiscard]] bool done() const { return result_.order.size() == order_.size(); }
  [[nodiscard]] bool flows() const { return load_ == Loading::flows; }
  [[nodiscard]] double link_bytes_per_s() const { return pace_.bytes_per_s; }

  /// When the next thing ends, at the rates that are now. @pre !done()
  [[nodiscard]] double next_s() const {
    assert(load_ != Loading::no || running_ != none);
    return load_comes_first() ? load_until_s_ : task_ends_s_;
  }

  /// Ends it, and begins what can begin then.
  void step() {
    now_s_ = next_s();
    if (!load_comes_first()) {
      end_task();
    } else if (load_ == Loading::waits) {
      load_ = Loading::flows;
      rate_ = 0;
    } else {
      load_ = Loading::no;
      for (const Index task : arriving_) make_available(task);
      arriving_.clear();
    }
    act();
  }

  /// From now on the load flows at this rate. @pre flows()
  void set_rate(double now_s, double bytes_per_s) {
    if (bytes_per_s == rate_) return;
    const double left =
        rate_ == 0 ? static_cast<double>(load_bytes_) : (load_until_s_ - now_s) * rate_;
    rate_ = bytes_per_s;
    load_until_s_ = now_s + left / rate_;
  }

  PacedOrder result() {
    result_.makespan_s = task_ends_s_;
    return std::move(result_);
  }

 private:
  struct Task {
    Index missing = 0;      // stays that have not begun
    Index missing_set = 0;  // XOR of them
    Index deadline = none;  // when the first of its inputs leaves in the order given
    bool done = false;
  };
  enum class Loading : unsigned char { no, waits, flows };  // a load waits its latency first
  /// What a stay needs to be done with.
  struct Room {
    std::size_t begin = 0;  // of its uses
    std::size_t end = 0;    // after the last use that is not done
    Index left = 0;         // uses not done
    Index frees = 0;        // tasks that lack nothing else
    Index load = none;      // its number, once begun
  };

  template <typename Visit>
  void for_each_stay(Index task, Visit&& visit) const {
    const std::size_t begin = task == 0 ? 0 : stays_.end_of_task[task - 1];
    for (std::size_t use = begin; use < stays_.end_of_task[task]; ++use) visit(stays_.of_use[use]);
  }

  void list_uses() {
    for (const Index stay : stays_.of_use) ++rooms_[stay].left;
    std::size_t begin = 0;
    for (Room& room : rooms_) {
      room.begin = room.end = begin;
      begin += room.left;
    }
    uses_.resize(begin);
    for (Index t = 0; t < tasks_.size(); ++t) {
      for_each_stay(t, [&](Index stay) {
        uses_[rooms_[stay].end++] = t;
        ++tasks_[t].missing;
        tasks_[t].missing_set ^= stay;
      });
    }
    for (Index t = 0; t < tasks_.size(); ++t) {
      for_each_stay(t, [&](Index stay) {
        tasks_[t].deadline = std::min(tasks_[t].deadline, last_use(stay));
      });
    }
  }

  [[nodiscard]] Index first_use(Index stay) const { return uses_[rooms_[stay].begin]; }
  [[nodiscard]] Index last_use(Index stay) const { return uses_[rooms_[stay].end - 1]; }
  [[nodiscard]] std::int64_t bytes(Index stay) const {
    return static_cast<std::int64_t>(graph_.bytes(stays_.data[stay]));
  }
  [[nodiscard]] bool begun(Index stay) const { return rooms_[stay].load != none; }
  void make_available(Index task) { available_.emplace(tasks_[task].deadline, task); }

  /// The stay to load next, or `none` if there is no room for any of the next few.
  Index next_load() {
    if (!look_) return none;
    while (next_ < rooms_.size() && begun(next_)) ++next_;
    Index best = none;
    double best_ratio = -1;
    std::int64_t peak = 0;  // of what is held before the stay would begin in the order given
    std::size_t to = front_;
    std::size_t seen = 0;
    for (Index s = next_; s < rooms_.size() && seen < most_candidates; ++s) {
      if (begun(s)) continue;
      ++seen;
      const std::size_t first = first_use(s);
      if (first > to) peak = std::max(peak, held_.largest(to, first));
      to = std::max(to, first);
      // What the first open task reads is counted already.
      const bool counted = first <= front_;
      if (!counted && peak + smallest_ > memory_bytes_) break;
      const double ratio = static_cast<double>(rooms_[s].frees) / static_cast<double>(bytes(s));
      if (ratio <= best_ratio || (!counted && peak + bytes(s) > memory_bytes_)) continue;
      best = s;
      best_ratio = ratio;
    }
    look_ = best != none;
    return best;
  }

  void act() {
    if (load_ == Loading::no) begin_load(next_load());
    if (running_ != none || available_.empty()) return;
    run_task(available_.top().second);
    if (load_ == Loading::no) begin_load(next_load());
  }

  [[nodiscard]] bool load_comes_first() const {
    return load_ != Loading::no && (running_ == none || load_until_s_ <= task_ends_s_);
  }

  void begin_load(Index stay) {
    if (stay == none) return;
    Room& room = rooms_[stay];
    room.load = static_cast<Index>(result_.loads.size());
    result_.loads.push_back({stays_.data[stay],
                             static_cast<Index>(result_.order.size() - (running_ != none ? 1 : 0)),
                             none});
    load_ = Loading::waits;
    load_until_s_ = now_s_ + pace_.load_latency_s;
    load_bytes_ = bytes(stay);
    held_.add(front_, first_use(stay), bytes(stay));
    for (std::size_t use = room.begin; use < room.end; ++use) {
      Task& task = tasks_[uses_[use]];
      task.missing_set ^= stay;
      if (--task.missing == 1) ++rooms_[task.missing_set].frees;
      if (task.missing == 0) arriving_.push_back(uses_[use]);
    }
  }

  void run_task(Index task) {
    available_.pop();
    for_each_stay(task, [&](Index stay) {
      PlannedLoad& load = result_.loads[rooms_[stay].load];
      if (load.first == none) load.first = static_cast<Index>(result_.order.size());
    });
    result_.order.push_back(order_[task]);
    const double flops = equal_flops_ ? *equal_flops_ : graph_.flops(order_[task]);
    task_ends_s_ = now_s_ + flops / pace_.flops_per_s;
    running_ = task;
  }

  /// Its inputs may leave once no open task reads them.
  void end_task() {
    const Index task = std::exchange(running_, none);
    tasks_[task].done = true;
    for_each_stay(task, [&](Index stay) {
      Room& room = rooms_[stay];
      if (--room.left == 0) look_ = true;
      if (last_use(stay) != task) return;
      while (room.end > room.begin && tasks_[uses_[room.end - 1]].done) --room.end;
      const std::size_t from = room.left == 0 ? front_ : last_use(stay) + std::size_t{1};
      held_.add(from, task + std::size_t{1}, -bytes(stay));
      look_ = true;
    });
    while (front_ < tasks_.size() && tasks_[front_].done) ++front_;
    if (next_ < rooms_.size() && first_use(next_) <= front_) look_ = true;
  }

  const TaskGraph& graph_;
  std::span<const Index> order_;
  std::optional<double> equal_flops_;  // of each task, so that they need not be fetched one by one
  std::int64_t memory_bytes_;
  Pace pace_;
  Stays stays_;
  std::vector<Task> tasks_;
  std::vector<Room> rooms_;    // by stay
  std::vector<Index> uses_;    // tasks, stay after stay
  Peaks held_;                 // by task: bytes in memory if the rest ran as given [B]
  std::int64_t smallest_ = 0;  // data [B]
  Index front_ = 0;            // the first task that is not done
  Index next_ = 0;             // all stays before have begun
  bool look_ = true;           // room may have been made since no load was found
  Loading load_ = Loading::no;
  Index running_ = none;
  double now_s_ = 0;
  double load_until_s_ = 0;  // when it has waited, or flowed
  std::int64_t load_bytes_ = 0;
  double rate_ = 0;  // of the load that flows [B/s]; 0 before it is known
  double task_ends_s_ = 0;
  std::vector<Index> arriving_;           // tasks that the load on its way frees
  using Entry = std::pair<Index, Index>;  // deadline, task
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> available_;
  PacedOrder result_;
};

/// Of each task, where all compute as much.
std::optional<double> equal_flops(const TaskGraph& graph) {
  const auto& flops = graph.parts().flops;
  const bool equal =
      std::all_of(flops.begin(), flops.end(), [&](double one) { return one == flops.front(); });
  return equal ? std::optional(flops.front()) : std::nullopt;
}

/// Rates for what flows now: max-min fair, so the narrowest links take their parts first.
void share_bus(std::vector<Rehearsal>& all, std::span<const std::size_t> by_link, double now_s,
               double bus_bytes_per_s) {
  auto flowing = static_cast<double>(
      std::count_if(all.begin(), all.end(), [](const Rehearsal& one) { return one.flows(); }));
  double left = bus_bytes_per_s;
  for (const std::size_t p : by_link) {
    if (!all[p].flows()) continue;
    const double rate = std::min(all[p].link_bytes_per_s(), left / flowing);
    all[p].set_rate(now_s, rate);
    left -= rate;
    --flowing;
  }
}

}  // namespace

std::vector<PacedOrder> paced_together(const TaskGraph& graph,
                                       const std::vector<std::vector<Index>>& orders,
                                       std::uint64_t memory_bytes, std::span<const Pace> paces,
                                       double bus_bytes_per_s) {
  assert(orders.size() == paces.size());
  std::vector<Rehearsal> all;
  all.reserve(orders.size());
  std::vector<std::size_t> by_link(orders.size());
  std::iota(by_link.begin(), by_link.end(), std::size_t{0});
  std::stable_sort(by_link.begin(), by_link.end(), [&](std::size_t a, std::size_t b) {
    return paces[a].bytes_per_s < paces[b].bytes_per_s;
  });
  const auto flops = equal_flops(graph);
  for (std::size_t p = 0; p < orders.size(); ++p) {
    all.emplace_back(graph, orders[p], memory_bytes, paces[p], flops);
    all.back().start();
  }
  while (true) {
    Rehearsal* next = nullptr;
    for (Rehearsal& one : all) {
      if (!one.done() && (next == nullptr || one.next_s() < next->next_s())) next = &one;
    }
    if (next == nullptr) break;
    const bool flowed = next->flows();
    const double now_s = next->next_s();
    next->step();
    if (flowed || next->flows()) share_bus(all, by_link, now_s, bus_bytes_per_s);
  }
  std::vector<PacedOrder> results;
  for (Rehearsal& one : all) results.push_back(one.result());
  return results;
}

PacedOrder paced(const TaskGraph& graph, std::span<const Index> order, std::uint64_t memory_bytes,
                 const Pace& pace) {
  return std::move(paced_together(graph, {{order.begin(), order.end()}}, memory_bytes, {&pace, 1},
                                  std::numeric_limits<double>::infinity())
                       .front());
}

}  // namespace damocles
