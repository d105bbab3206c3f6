// Runs of static plans by hand: a task computes for 1 s, and a data item of 1 GB takes 1 s alone on
// the bus.

#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "ode/static_plans/planned_run.hpp"

namespace damocles {

/// A data item that a task accesses.
struct HandAccess {
  TaskGraph::Index item = 0;
  Access how = Access::read;
};

/// Tasks in the order in which they were submitted and start, and who runs each.
struct HandTask {
  std::size_t processor = 0;
  std::vector<HandAccess> accesses{};
};

inline HandAccess reads_item(TaskGraph::Index item) { return {item, Access::read}; }
inline HandAccess writes_item(TaskGraph::Index item) { return {item, Access::write}; }
inline HandAccess updates_item(TaskGraph::Index item) { return {item, Access::read_write}; }

/// A run and the workload that it is of.
class HandRun {
 public:
  /// @param sizes  of data items [GB]
  HandRun(const std::vector<HandTask>& tasks, const std::string& platform,
          std::vector<std::uint64_t> sizes = {1, 1, 1}, const std::vector<Lifetime>& lifetimes = {})
      : workload_(Workload::of_graph("by hand", graph_of(tasks, std::move(sizes), lifetimes))),
        run_(planned_run(workload_, Scenario::parse(platform_text(platform)).draw(1, 0),
                         schedule_called("heft"))) {
    run_.plan.of_processors.assign(run_.processors.size(), {});
    run_.plan.order.clear();
    for (TaskGraph::Index task = 0; task < tasks.size(); ++task) {
      run_.plan.of_processors[tasks[task].processor].push_back(task);
      run_.plan.order.push_back(task);
    }
  }
  HandRun(const HandRun&) = delete;
  HandRun& operator=(const HandRun&) = delete;
  ~HandRun() = default;

  [[nodiscard]] const PlannedRun& run() const { return run_; }

 private:
  static std::string platform_text(const std::string& keys) {
    std::string text = "gpus:gflops=1,bandwidth=1GB/s,link=1GB/s,jitter=off," + keys;
    if (keys.find("latency") == std::string::npos) text += ",latency=0s";
    if (keys.find("cpus") != std::string::npos) text += ",cpu_gflops=1";
    return text;
  }
  static TaskGraph graph_of(const std::vector<HandTask>& tasks, std::vector<std::uint64_t> sizes,
                            const std::vector<Lifetime>& lifetimes) {
    TaskGraph::Parts parts;
    for (std::uint64_t& size : sizes) size *= 1'000'000'000;
    parts.bytes = std::move(sizes);
    parts.lifetimes = lifetimes;
    for (const HandTask& task : tasks) {
      std::vector<TaskGraph::Index> items;
      std::vector<Access> how;
      for (const HandAccess& one : task.accesses) {
        items.push_back(one.item);
        how.push_back(one.how);
      }
      parts.add_task(items, how, 1e9);
    }
    return TaskGraph(std::move(parts));
  }

  Workload workload_;
  PlannedRun run_;
};

}  // namespace damocles
