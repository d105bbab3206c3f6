#include "orders/gain_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "models/error.hpp"
#include "models/winner_tree.hpp"
#include "orders/task_orders.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

class Growing {
 public:
  Growing(const TaskGraph& graph, std::uint64_t memory_bytes, double penalty)
      : graph_(graph),
        memory_bytes_(memory_bytes),
        penalty_(penalty),
        tasks_(graph.tasks()),
        data_(graph.data()),
        scores_(std::numeric_limits<double>::infinity()) {
    rank_tasks();
    for (Index t = 0; t < graph.tasks(); ++t) {
      if (graph.footprint(t) > memory_bytes) {
        throw InvalidInput(fmt::format("task {} reads {} B, memory holds {} B; give it more",
                                       graph.task_name(t), graph.footprint(t), memory_bytes));
      }
      Task& task = tasks_[t];
      for (const Index x : graph.inputs(t)) {
        ++data_[x].left;
        ++task.missing;
        task.missing_set ^= x;
      }
      if (task.missing == 1) ++data_[task.missing_set].gain;
      if (task.missing == 0) free_.push_back(t);
    }
    for (Index x = 0; x < graph.data(); ++x) scores_.push_back(score(x));
  }

  std::vector<Index> order() {
    run_free();
    while (order_.size() < graph_.tasks()) bring(static_cast<Index>(scores_.best()));
    return std::move(order_);
  }

 private:
  struct Task {
    Index missing = 0;      // inputs that are not in memory
    Index missing_set = 0;  // XOR of them
    Index rank = 0;         // among all tasks, by their inputs
    bool done = false;
  };
  struct Data {
    Index left = 0;          // open tasks that read it
    Index gain = 0;          // open tasks that lack nothing else
    std::size_t used = 0;    // number of the load after which it was read last
    std::size_t wanted = 0;  // number of the load whose tasks read it
    bool held = false;
  };

  /// By their sorted inputs, so that the order they were submitted in plays no part.
  void rank_tasks() {
    const auto order = by_inputs(graph_);
    for (Index rank = 0; rank < order.size(); ++rank) tasks_[order[rank]].rank = rank;
  }

  /// Negated: the smallest wins.
  [[nodiscard]] double score(Index x) const {
    const Data& data = data_[x];
    if (data.held || data.left == 0) return std::numeric_limits<double>::infinity();
    const double score = static_cast<double>(data.gain) - penalty_ * static_cast<double>(data.left);
    const auto bytes = static_cast<double>(graph_.bytes(x));
    return score > 0 ? -score / bytes : -score * bytes;
  }

  /// Loads `hinted` and what else the task of it lacks that lacks least.
  void bring(Index hinted) {
    ++now_;
    const Task* next = nullptr;
    Index task = 0;
    for (const Index t : graph_.users(hinted)) {
      if (tasks_[t].done) continue;
      if (tasks_[t].missing == 1) want(t);
      if (next == nullptr ||
          std::tie(tasks_[t].missing, tasks_[t].rank) < std::tie(next->missing, next->rank)) {
        next = &tasks_[t];
        task = t;
      }
    }
    for (const Index x : graph_.inputs(task)) {
      if (!data_[x].held) load(x, task);
    }
    run_free();
  }

  void want(Index task) {
    for (const Index x : graph_.inputs(task)) data_[x].wanted = now_;
  }

  void load(Index x, Index task) {
    while (held_bytes_ + graph_.bytes(x) > memory_bytes_) evict(task);
    Data& data = data_[x];
    data.held = true;
    data.used = now_;
    held_bytes_ += graph_.bytes(x);
    held_.insert(place(x));
    for (const Index t : graph_.users(x)) {
      if (tasks_[t].done) continue;
      change(t, -1, x);
      if (tasks_[t].missing == 0) free_.push_back(t);
    }
    scores_.set(x, score(x));
  }

  /// Whatever goes, the inputs of `task` stay.
  void evict(Index task) {
    const auto inputs = graph_.inputs(task);
    const auto movable = [&](const Place& at) {
      return std::find(inputs.begin(), inputs.end(), std::get<2>(at)) == inputs.end();
    };
    auto victim = std::find_if(held_.begin(), held_.end(), [&](const Place& at) {
      return data_[std::get<2>(at)].wanted != now_ && movable(at);
    });
    if (victim == held_.end()) victim = std::find_if(held_.begin(), held_.end(), movable);
    const Index x = std::get<2>(*victim);
    drop(x);
    for (const Index t : graph_.users(x)) {
      if (!tasks_[t].done) change(t, 1, x);
    }
    std::erase_if(free_, [&](Index t) { return tasks_[t].missing > 0; });
    scores_.set(x, score(x));
  }

  void drop(Index x) {
    held_.erase(place(x));
    data_[x].held = false;
    held_bytes_ -= graph_.bytes(x);
  }

  /// An open task lacks `x` (1) or has it (-1) from now on.
  void change(Index t, int by, Index x) {
    Task& task = tasks_[t];
    const auto gains = [&](Index more) {
      if (task.missing != 1) return;
      data_[task.missing_set].gain += more;
      scores_.set(task.missing_set, score(task.missing_set));
    };
    gains(static_cast<Index>(-1));
    task.missing += static_cast<Index>(by);
    task.missing_set ^= x;
    gains(1);
  }

  void run_free() {
    std::sort(free_.begin(), free_.end(),
              [&](Index a, Index b) { return tasks_[a].rank < tasks_[b].rank; });
    for (const Index t : free_) {
      tasks_[t].done = true;
      order_.push_back(t);
      for (const Index x : graph_.inputs(t)) {
        held_.erase(place(x));
        --data_[x].left;
        data_[x].used = now_;
        held_.insert(place(x));
        if (data_[x].left == 0) drop(x);
      }
    }
    free_.clear();
  }

  using Place = std::tuple<Index, std::size_t, Index>;
  [[nodiscard]] Place place(Index x) const { return {data_[x].left, data_[x].used, x}; }

  const TaskGraph& graph_;
  std::uint64_t memory_bytes_;
  double penalty_;
  std::vector<Task> tasks_;
  std::vector<Data> data_;
  WinnerTree<double> scores_;
  std::set<Place> held_;  // what is in memory, what goes first before what goes later
  std::uint64_t held_bytes_ = 0;
  std::size_t now_ = 0;  // loads asked for ahead
  std::vector<Index> free_;
  std::vector<Index> order_;
};

}  // namespace

std::vector<Index> gain_order(const TaskGraph& graph, std::uint64_t memory_bytes, double penalty) {
  return Growing(graph, memory_bytes, penalty).order();
}

}  // namespace damocles
