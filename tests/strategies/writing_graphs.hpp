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

/// Grants ready tasks at random, some of them to one processor alone, and asks ahead for whatever
/// data, with a grant and without, as no good strategy would.
class Wild final : public Strategy {
 public:
  explicit Wild(const StrategyContext& context)
      : data_(context.workload.data()),
        rng_(context.rng),
        ready_(context.platform.processors() + 1) {
    if (context.workload.has_dependencies()) return;
    for (std::uint64_t t = 0; t < context.workload.tasks(); ++t) ready_.back().push_back(TaskId{t});
  }
  std::optional<ProcessorId> on_ready(TaskId task) override {
    const auto to = static_cast<std::uint32_t>(rng_.below(ready_.size()));
    ready_[to].push_back(task);
    return to + 1 < ready_.size() ? std::optional(ProcessorId{to}) : std::nullopt;
  }
  void prefetch_hints(ProcessorId, std::vector<DataId>& loads) override {
    if (rng_.below(2) == 0) hint_any(loads);
  }
  void request(ProcessorId processor, Grant& grant) override {
    auto& own = ready_[raw(processor)];
    auto& tasks = own.empty() ? ready_.back() : own;
    if (tasks.empty()) return;
    std::swap(tasks[rng_.below(tasks.size())], tasks.back());
    grant.tasks.add(tasks.back());
    tasks.pop_back();
    hint_any(grant.loads);
  }

 private:
  void hint_any(std::vector<DataId>& loads) {
    for (int hint = 0; hint < 3; ++hint) loads.push_back(DataId{rng_.below(data_)});
  }

  std::uint64_t data_;
  Rng rng_;
  std::vector<std::vector<TaskId>> ready_;  // by processor; the last: for any
};

inline const StrategyEntry& wild() {
  static const StrategyEntry entry{.name = "wild",
                                   .source = "",
                                   .summary = "",
                                   .make = make<Wild>,
                                   .supports_dependencies = true,
                                   .heterogeneous = true,
                                   .loads_implicit = true};
  return entry;
}

/// The same graph, in which every other data item that a task makes is temporary, and every fourth
/// goes home early; of an odd number of tasks the first that accesses an item to be temporary makes
/// it. @pre tasks wait for tasks before them
inline TaskGraph with_lifetimes(const TaskGraph& graph) {
  TaskGraph::Parts parts = graph.parts();
  std::vector<bool> met(graph.data(), false);
  parts.lifetimes.assign(graph.data(), Lifetime::kept);
  for (std::size_t data = 0; data < graph.data(); data += 4) {
    parts.lifetimes[data] = Lifetime::early_home;
  }
  for (std::size_t at = 0; at < parts.accesses.size(); ++at) {
    const TaskGraph::Index data = parts.inputs[at];
    if (data % 2 == 0 || met[data]) continue;
    met[data] = true;
    if (graph.tasks() % 2 == 1) parts.accesses[at] = Access::write;
    if (parts.accesses[at] == Access::write) parts.lifetimes[data] = Lifetime::temporary;
  }
  return TaskGraph(std::move(parts));
}

/// Of 1 to 30 tasks and 1 to 8 data items, each read, written or both by some, in some graphs
/// mostly in any order or at once; some dependencies are given; some of the data are temporary,
/// some go home early.
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
  return with_lifetimes(TaskGraph(std::move(parts)));
}

/// Every strategy of the table that runs tasks in order, also with a buffer of ready tasks; every
/// policy of eviction; hints at push.
inline std::vector<std::string> writing_choices() {
  std::vector<std::string> result;
  const Workload ordered = Workload::parse("cholesky:n=2,deps=true");
  for (const auto& choice : every_choice()) {
    if (!defined_on(choice, ordered)) continue;
    result.push_back(choice);
    if (is_kin_of_another(choice)) continue;
    result.push_back(choice + (choice.find(':') == std::string::npos ? ":" : ",") + "buffer=ready");
  }
  for (const auto& policy : evictions()) result.push_back("eager:eviction=" + policy.name);
  for (const auto* name : {"dm", "dmda", "dmdap", "dmdar", "dmdas", "dmdasd", "heft"}) {
    result.push_back(name + std::string(":prefetch=push"));
  }
  return result;
}

}  // namespace damocles
