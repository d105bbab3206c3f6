#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "strategies/registry.hpp"

namespace damocles::oracle {

/// DARTS as it is written: every decision scans all data and, for each, all tasks that read it.
///
/// IPDPS'22 Algorithm 5 and line 8 of Algorithm 6 from nothing but which data are in view, which
/// tasks are open, and which are planned or granted to whom. What the paper leaves open is as
/// strategies/darts.cpp says: tasks that lack nothing are planned first, data are marked when they
/// are decided upon, ties follow one random order of the data for each processor, drawn first, and
/// random tasks one random order of the tasks, drawn last.
class NaiveDarts final : public Strategy {
 public:
  using Index = TaskGraph::Index;

  explicit NaiveDarts(const StrategyContext& context)
      : graph_(context.workload.graph()),
        memory_(context.memory),
        starpu_(context.spec.word("choice") == "starpu"),
        three_inputs_(context.spec.word("inputs") == "3"),
        first_found_(context.spec.word("opti") == "true"),
        threshold_(context.spec.integer("threshold", 1, 1U << 31U)),
        luf_(context.spec.word("eviction").value_or("luf") == "luf"),
        lose_evicted_(context.spec.word("evicted").value_or(luf_ ? "back" : "lost") == "lost"),
        data_orders_(context.platform.processors(), numbers(graph_.data())),
        task_order_(numbers(graph_.tasks())),
        is_open_(graph_.tasks(), true),
        processors_(context.platform.processors(),
                    Gpu{std::vector<bool>(graph_.data()), {}, {}, numbers(graph_.data()), {}}) {
    Rng rng = context.rng;
    if (starpu_) {
      std::stable_sort(task_order_.begin(), task_order_.end(),
                       [&](Index a, Index b) { return graph_.priority(a) > graph_.priority(b); });
      return;
    }
    for (auto& order : data_orders_) rng.shuffle(std::span(order));
    for (std::size_t k = 0; k < processors_.size(); ++k) processors_[k].waiting = data_orders_[k];
    rng.shuffle(std::span(task_order_));
  }

  void request(ProcessorId processor, Grant& grant) override {
    Gpu& gpu = processors_[raw(processor)];
    if (gpu.planned.empty() && any_open()) plan(processor, gpu);
    if (gpu.planned.empty()) return;
    grant.tasks.add(TaskId{gpu.planned.front()});
    gpu.granted.insert(gpu.planned.front());
    gpu.planned.pop_front();
  }

  void on_loaded(ProcessorId processor, DataId data) override {
    processors_[raw(processor)].view[index(data)] = true;
  }

  [[nodiscard]] bool consume_wakeup() override { return std::exchange(woke_, false); }

  void on_evicted(ProcessorId processor, DataId data) override {
    Gpu& gpu = processors_[raw(processor)];
    gpu.view[index(data)] = false;
    if (lose_evicted_) {
      gpu.lost.insert(index(data));
    } else {
      std::erase(gpu.waiting, index(data));
      gpu.waiting.push_back(index(data));
    }
    if (!luf_) return;
    const auto lost = std::stable_partition(gpu.planned.begin(), gpu.planned.end(),
                                            [&](Index task) { return !reads(task, index(data)); });
    for (auto at = lost; at != gpu.planned.end(); ++at) is_open_[*at] = woke_ = true;
    gpu.planned.erase(lost, gpu.planned.end());
    // In view are the data in memory, and those that planned or granted tasks will bring there.
    for (Index d = 0; d < graph_.data(); ++d) {
      gpu.view[d] = gpu.view[d] && (memory_.resident(processor, DataId{d}) ||
                                    is_read(gpu.planned, d) || is_read(gpu.granted, d));
    }
  }

  void on_started(ProcessorId processor, TaskId task) override {
    processors_[raw(processor)].granted.erase(static_cast<Index>(raw(task)));
  }

  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId processor, DataId data) const override {
    const auto& planned = processors_[raw(processor)].planned;
    return static_cast<std::uint32_t>(std::count_if(
        planned.begin(), planned.end(), [&](Index task) { return reads(task, index(data)); }));
  }

  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, DataId data) override {
    const auto& planned = processors_[raw(processor)].planned;
    const auto first = std::find_if(planned.begin(), planned.end(),
                                    [&](Index task) { return reads(task, index(data)); });
    return first == planned.end() ? never : static_cast<std::uint64_t>(first - planned.begin());
  }

 private:
  struct Gpu {
    std::vector<bool> view;  ///< by data
    std::deque<Index> planned;
    std::set<Index> granted;     ///< and not started
    std::vector<Index> waiting;  ///< all data: never evicted, then in the order of eviction
    std::set<Index> lost;        ///< never looked at again
  };

  static std::vector<Index> numbers(std::size_t n) {
    std::vector<Index> result(n);
    std::iota(result.begin(), result.end(), Index{0});
    return result;
  }
  static Index index(DataId data) { return static_cast<Index>(raw(data)); }

  [[nodiscard]] bool any_open() const {
    return std::find(is_open_.begin(), is_open_.end(), true) != is_open_.end();
  }
  [[nodiscard]] bool reads(Index task, Index data) const {
    const auto inputs = graph_.inputs(task);
    return std::find(inputs.begin(), inputs.end(), data) != inputs.end();
  }
  template <typename Tasks>
  [[nodiscard]] bool is_read(const Tasks& tasks, Index data) const {
    return std::any_of(tasks.begin(), tasks.end(), [&](Index task) { return reads(task, data); });
  }
  [[nodiscard]] std::size_t missing(const Gpu& gpu, Index task) const {
    const auto inputs = graph_.inputs(task);
    return static_cast<std::size_t>(
        std::count_if(inputs.begin(), inputs.end(), [&](Index input) { return !gpu.view[input]; }));
  }
  /// Open tasks that read `data` and lack `lacking` inputs, that one included; ascending.
  [[nodiscard]] std::vector<Index> users(const Gpu& gpu, Index data, std::size_t lacking) const {
    std::vector<Index> result;
    for (const Index task : graph_.users(data)) {
      if (is_open_[task] && missing(gpu, task) == lacking) result.push_back(task);
    }
    return result;
  }
  /// Those one load further away.
  [[nodiscard]] std::vector<Index> nearly(const Gpu& gpu, Index data) const {
    std::vector<Index> result = users(gpu, data, 2);
    // "and on some data already in memory": the paper's rule counts no task of two inputs.
    if (!starpu_) {
      std::erase_if(result, [&](Index task) { return graph_.inputs(task).size() < 3; });
    }
    return result;
  }
  [[nodiscard]] double work(const std::vector<Index>& tasks) const {
    double flops = 0;
    for (const Index task : tasks) flops += graph_.flops(task);
    return flops;
  }
  [[nodiscard]] std::vector<Index> all_users(Index data) const {
    std::vector<Index> result;
    for (const Index task : graph_.users(data)) {
      if (is_open_[task]) result.push_back(task);
    }
    return result;
  }

  void plan(ProcessorId processor, Gpu& gpu) {
    std::vector<Index> chosen;
    // Who forgets evicted data looks at the list of the others alone.
    for (Index task = 0; !lose_evicted_ && task < graph_.tasks(); ++task) {
      if (is_open_[task] && !graph_.inputs(task).empty() && missing(gpu, task) == 0) {
        chosen.push_back(task);
      }
    }
    if (chosen.empty()) {
      if (const auto data = best_data(processor, gpu)) {
        chosen = users(gpu, *data, 1);
        gpu.view[*data] = true;
      } else {
        chosen = {lone_task(processor, gpu)};
        for (const Index input : graph_.inputs(chosen.front())) gpu.view[input] = true;
      }
    }
    for (const Index task : chosen) {
      is_open_[task] = false;
      gpu.planned.push_back(task);
    }
  }

  /// Lines 4 to 9. Candidates come in the processor's order, and the first of equals is kept.
  [[nodiscard]] std::optional<Index> best_data(ProcessorId processor, const Gpu& gpu) const {
    std::optional<Index> best;
    std::tuple<double, double, double, double> best_key;
    std::size_t seen = 0;
    for (const Index data : threshold_ ? gpu.waiting : data_orders_[raw(processor)]) {
      if (gpu.view[data] || gpu.lost.contains(data)) continue;
      if (threshold_ && all_users(data).empty()) continue;
      if (threshold_ && seen++ == *threshold_) break;
      const auto freed = users(gpu, data, 1);
      if (freed.empty()) continue;
      if (first_found_) return data;
      const auto count = static_cast<double>(freed.size());
      const auto left = all_users(data);
      const std::tuple<double, double, double, double> key =
          starpu_ ? std::tuple(static_cast<double>(graph_.bytes(data)) / work(freed), -count,
                               -static_cast<double>(nearly(gpu, data).size()), -work(left))
                  : std::tuple(-count, -static_cast<double>(left.size()), 0.0, 0.0);
      if (!best || key < best_key) {
        best = data;
        best_key = key;
      }
    }
    return best;
  }

  /// Line 13: where nothing is free, a task.
  [[nodiscard]] Index lone_task(ProcessorId processor, const Gpu& gpu) const {
    std::optional<Index> best;
    std::pair<double, double> best_key;
    for (const Index data : data_orders_[raw(processor)]) {
      if (!starpu_ && !three_inputs_) break;
      if (gpu.view[data] || gpu.lost.contains(data)) continue;
      const auto tasks = nearly(gpu, data);
      if (tasks.empty()) continue;
      const std::pair key(-static_cast<double>(tasks.size()),
                          starpu_ ? -work(all_users(data)) : 0.0);
      if (!best || key < best_key) {
        best = tasks.front();
        best_key = key;
      }
    }
    if (best) return *best;
    return *std::find_if(task_order_.begin(), task_order_.end(),
                         [&](Index task) { return is_open_[task]; });
  }

  const TaskGraph& graph_;
  const NodeMemory& memory_;
  bool starpu_;
  bool three_inputs_;
  bool first_found_;
  std::optional<std::uint64_t> threshold_;
  bool luf_;
  bool lose_evicted_;
  std::vector<std::vector<Index>> data_orders_;  // by processor
  std::vector<Index> task_order_;
  std::vector<bool> is_open_;  // by task
  bool woke_ = false;          // tasks were given back
  std::vector<Gpu> processors_;
};

}  // namespace damocles::oracle
