// Strategies whose processors take what is readiest of the first tasks of a list: the lists are
// known, and what a processor loads for them is counted along the run.

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "ode/limited_memory/task_lists.hpp"
#include "ode/limited_memory/viewed_lists.hpp"
#include "orders/balance.hpp"
#include "orders/packing.hpp"

namespace damocles {
namespace {

/// Lists from which a processor takes as the option `ready` says; who has none left steals.
/// @param otherwise  tasks that it compares where the option is not given
LimitedPrediction predict_stolen(const LimitedRun& run, const std::vector<TaskSequence>& lists,
                                 std::size_t otherwise) {
  const std::string ready = run.strategy.word("ready").value_or("");
  ListView view{.tasks =
                    ready == "true" ? ListView::whole : parse_integer(ready).value_or(otherwise)};
  ViewedLists kind{.steal = true};
  if (ready == "false") {
    view = {.tasks = 1, .ahead = ListView::Ahead::nothing};
    kind.taken = Taken::when_there_is_room;
  }
  return predict_lists(run, lists, view, std::move(kind));
}

/// As hfp: packages of tasks that share data items, a list of them for each processor.
LimitedPrediction predict_packages(const LimitedRun& run) {
  auto packages = pack(*run.graph, run.memory * run.graph->bytes(0), run.processors,
                       packing_options(run.strategy));
  packages.resize(run.processors);  // fewer tasks than processors
  balance(packages, *run.graph);
  constexpr std::size_t tasks_in_view = 30;
  return predict_stolen(run, packages, tasks_in_view);
}

/// As hypergraph: parts of a grid that share few copies of data items are straight cuts.
LimitedPrediction predict_parts(const LimitedRun& run) {
  const bool by_copies = run.strategy.word("cost") != "data";
  const auto lists = run.is_grid() && by_copies
                         ? bisected_lists(run)
                         : partitioned_lists(run, by_copies ? PartitionOptions::Cost::copies
                                                            : PartitionOptions::Cost::data);
  return predict_stolen(run, lists, ListView::whole);
}

LimitedPredictor listed(const char* strategy, LimitedPrediction (*predict)(const LimitedRun&)) {
  return {.name = strategy,
          .model = "counted",
          .different_speeds = {.loads = 0.01, .makespan = 0.01},
          .predict = predict};
}

std::string why_no_partition(const LimitedRun& run) {
  const bool straight = run.is_grid() && run.strategy.word("cost") != "data";
  return straight || partition_built() ? "" : "this program has no library that cuts graphs";
}

LimitedPredictor partitioned() {
  LimitedPredictor entry = listed("hypergraph", predict_parts);
  entry.several = {.loads = 0.015, .makespan = 0.01};
  entry.alone_elsewhere = {.loads = 0.005, .makespan = 0.005};
  entry.several_elsewhere = {.loads = 0.035, .makespan = 0.035};
  entry.options = {"cost", "ready"};
  entry.why_unavailable = why_no_partition;
  return entry;
}

/// With fewer data items loads were up to 22 % off in 11 of 25 settings; else they are exact.
std::string why_wrong_packages(const LimitedRun& run) {
  constexpr std::size_t least = 16;
  if (run.processors > 1 || run.memory >= least) return "";
  return fmt::format("hfp on one GPU with memory of {} data items, validated from {}", run.memory,
                     least);
}

LimitedPredictor packed() {
  LimitedPredictor entry = listed("hfp", predict_packages);
  entry.several = {.loads = 0.01, .makespan = 0.005};
  entry.alone_elsewhere = {.loads = 0.005, .makespan = 0.005};
  entry.several_elsewhere = {.loads = 0.01, .makespan = 0.01};
  entry.evictions = {"belady", "lru"};
  entry.options = {"flip", "partner", "ready", "sorted"};
  entry.why_wrong = why_wrong_packages;
  return entry;
}

const Register packages{packed(), partitioned()};

}  // namespace
}  // namespace damocles
