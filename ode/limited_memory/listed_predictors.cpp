// Strategies whose processors take what is readiest of the first tasks of a list: the lists are
// known, and what a processor loads for them is counted along the run.

#include <string>
#include <vector>

#include "ode/limited_memory/task_lists.hpp"
#include "ode/limited_memory/viewed_lists.hpp"
#include "orders/balance.hpp"
#include "orders/packing.hpp"

namespace damocles {
namespace {

/// What strategies compare that name no number.
constexpr std::size_t tasks_in_view = 30;

std::vector<ViewedList> viewed(const LimitedRun& run, const std::vector<TaskSequence>& lists,
                               const ListView& view) {
  std::vector<ViewedList> result;
  for (const TaskSequence& list : lists) result.emplace_back(run, list, view);
  return result;
}

/// Lists from which a processor takes as the option `ready` says; who has none left steals.
LimitedPrediction predict_stolen(const LimitedRun& run, const std::vector<TaskSequence>& lists) {
  const std::string ready = run.strategy.word("ready").value_or("");
  if (ready == "false") {
    const ListView first{.tasks = 1, .ahead = ListView::Ahead::nothing};
    return predict_viewed(
        run,
        {.lists = viewed(run, lists, first), .steal = true, .taken = Taken::when_there_is_room});
  }
  const ListView view{.tasks = parse_integer(ready).value_or(tasks_in_view)};
  return predict_viewed(run, {.lists = viewed(run, lists, view), .steal = true});
}

/// As hfp: packages of tasks that share data items, a list of them for each processor.
LimitedPrediction predict_packages(const LimitedRun& run) {
  auto packages = pack(*run.graph, run.memory * run.graph->bytes(0), run.processors,
                       packing_options(run.strategy));
  packages.resize(run.processors);  // fewer tasks than processors
  balance(packages, *run.graph);
  return predict_stolen(run, packages);
}

/// As hypergraph: parts of a grid that share few copies of data items are straight cuts.
LimitedPrediction predict_parts(const LimitedRun& run) {
  const bool by_copies = run.strategy.word("cost") != "data";
  const auto lists = run.is_grid() && by_copies
                         ? bisected_lists(run)
                         : partitioned_lists(run, by_copies ? PartitionOptions::Cost::copies
                                                            : PartitionOptions::Cost::data);
  const std::string ready = run.strategy.word("ready").value_or("true");
  if (ready != "true") return predict_stolen(run, lists);
  std::vector<LoadsByTask> loads;
  for (const TaskSequence& list : lists) {
    loads.push_back(loads_with_prefetch(run, list, TakenFirst::fewest_loads));
  }
  return counted_prediction(run, loads);
}

/// As modular-heft on one processor: a short list, to which tasks come when there is room.
LimitedPrediction predict_window(const LimitedRun& run) {
  const ListView view{.tasks = tasks_in_view, .ahead = ListView::Ahead::in_view};
  return predict_viewed(run, {.lists = viewed(run, {tasks_as_submitted(run)}, view)});
}

LimitedPredictor listed(const char* strategy, LimitedPrediction (*predict)(const LimitedRun&)) {
  return {.name = strategy, .model = "counted", .predict = predict};
}

/// Tasks go to a list when it has room, so the run decides where the next one goes.
std::string why_several(const LimitedRun& run) {
  return run.processors == 1 ? "" : "on several GPUs it places tasks as the run goes";
}

LimitedPredictor windowed(const char* strategy) {
  LimitedPredictor entry = listed(strategy, predict_window);
  entry.alone = {.loads = 0.02, .makespan = 0.02};
  entry.alone_elsewhere = {.loads = 0.065, .makespan = 0.065};
  entry.why_unavailable = why_several;
  return entry;
}

std::string why_whole_list(const LimitedRun& run) {
  return run.strategy.word("ready") == "true" ? "with ready=true it compares its whole list" : "";
}

std::string why_no_partition(const LimitedRun& run) {
  const bool straight = run.is_grid() && run.strategy.word("cost") != "data";
  return straight || partition_built() ? "" : "this program has no library that cuts graphs";
}

LimitedPredictor partitioned() {
  LimitedPredictor entry = listed("hypergraph", predict_parts);
  entry.several = {.loads = 0.035, .makespan = 0.03};
  entry.alone_elsewhere = {.loads = 0.05, .makespan = 0.08};
  entry.several_elsewhere = {.loads = 0.08, .makespan = 0.08};
  entry.options = {"cost", "ready"};
  entry.why_unavailable = why_no_partition;
  return entry;
}

LimitedPredictor packed() {
  LimitedPredictor entry = listed("hfp", predict_packages);
  entry.alone = {.loads = 0.01, .makespan = 0.005};
  entry.several = {.loads = 0.015, .makespan = 0.015};
  entry.alone_elsewhere = {.loads = 0.03, .makespan = 0.03};
  entry.several_elsewhere = {.loads = 0.03, .makespan = 0.035};
  entry.evictions = {"belady", "lru"};
  entry.options = {"flip", "partner", "ready", "sorted"};
  entry.why_unavailable = why_whole_list;
  return entry;
}

const Register packages{packed(), partitioned()};
const Register windows{windowed("modular-heft"), windowed("modular-heft2"),
                       windowed("modular-heft-prio"), windowed("modular-heteroprio")};

}  // namespace
}  // namespace damocles
