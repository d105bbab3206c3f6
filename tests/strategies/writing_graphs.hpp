#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/rng.hpp"
#include "models/task_graph.hpp"
#include "strategies/eviction/eviction.hpp"
#include "strategies/registry.hpp"
#include "strategies/strategy.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles {

/// Grants ready tasks at random and wishes for whatever data, as no good strategy would.
class Wild final : public Strategy {
 public:
  explicit Wild(const Setting& setting) : data_(setting.workload.data()), rng_(setting.rng) {
    if (setting.workload.has_dependencies()) return;
    for (std::uint64_t t = 0; t < setting.workload.tasks(); ++t) ready_.push_back(TaskId{t});
  }
  std::optional<ProcessorId> on_ready(TaskId task) override {
    ready_.push_back(task);
    return std::nullopt;
  }
  void request(ProcessorId, Grant& grant) override {
    if (ready_.empty()) return;
    std::swap(ready_[rng_.below(ready_.size())], ready_.back());
    grant.tasks.add(ready_.back());
    ready_.pop_back();
    for (int wish = 0; wish < 3; ++wish) grant.loads.push_back(DataId{rng_.below(data_)});
  }

 private:
  std::uint64_t data_;
  Rng rng_;
  std::vector<TaskId> ready_;
};

inline const StrategyEntry& wild() {
  static const StrategyEntry entry{.name = "wild",
                                   .source = "",
                                   .summary = "",
                                   .make = make<Wild>,
                                   .follows_dependencies = true,
                                   .tells_kinds = true,
                                   .tasks_only = true};
  return entry;
}

/// Of 1 to 30 tasks and 1 to 8 data, each read, written or both by some, in some graphs mostly in
/// any order or at once; some dependencies are given.
inline TaskGraph drawn_writing_graph(Rng& rng) {
  TaskGraph::Parts parts;
  const std::size_t data = 1 + rng.below(8);
  for (std::size_t d = 0; d < data; ++d) parts.bytes.push_back(1 + rng.below(4));
  const std::size_t tasks = 1 + rng.below(30);
  const Access often = std::array{Access::read, Access::commute, Access::reduce}[rng.below(3)];
  for (std::size_t t = 0; t < tasks; ++t) {
    std::vector<TaskGraph::Index> accessed;
    std::vector<Access> how;
    for (std::uint64_t a = rng.below(4); a > 0; --a) {
      accessed.push_back(static_cast<TaskGraph::Index>(rng.below(data)));
      if (often != Access::read && rng.below(4) > 0) {
        how.push_back(rng.below(8) == 0 ? Access::commute : often);
      } else {
        how.push_back(rng.below(2) == 0 ? Access::read : static_cast<Access>(2 + rng.below(2)));
      }
    }
    parts.add_task(accessed, how, 1);
    if (t > 0 && rng.below(4) == 0) {
      parts.dependencies.emplace_back(static_cast<TaskGraph::Index>(t),
                                      static_cast<TaskGraph::Index>(rng.below(t)));
    }
  }
  return TaskGraph(std::move(parts));
}

/// Every strategy of the table that runs tasks in order, also with a buffer of ready tasks, and
/// every policy of eviction.
inline std::vector<std::string> writing_choices() {
  std::vector<std::string> result;
  const Workload ordered = Workload::parse("cholesky:n=2,deps=true");
  for (const auto& choice : every_choice()) {
    if (!defined_on(choice, ordered)) continue;
    result.push_back(choice);
    result.push_back(choice + (choice.find(':') == std::string::npos ? ":" : ",") + "buffer=ready");
  }
  for (const auto& policy : evictions()) result.push_back("eager:eviction=" + policy.name);
  return result;
}

}  // namespace damocles
