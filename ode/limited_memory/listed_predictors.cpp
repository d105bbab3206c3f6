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

/// How hfp takes tasks from its list, as its options say.
ListView view_of_packages(const Spec& strategy) {
  const std::string ready = strategy.word("ready").value_or("");
  if (ready == "false") return {.tasks = 1, .ahead = ListView::Ahead::nothing};
  return {.tasks = parse_integer(ready).value_or(tasks_in_view)};
}

/// As hfp: packages of tasks that share data items, a list of them for each processor.
LimitedPrediction predict_packages(const LimitedRun& run) {
  auto packages = pack(*run.graph, run.memory * run.graph->bytes(0), run.processors,
                       packing_options(run.strategy));
  packages.resize(run.processors);  // fewer tasks than processors
  balance(packages, *run.graph);
  const ListView view = view_of_packages(run.strategy);
  const bool patient = view.ahead != ListView::Ahead::nothing;
  return predict_viewed(run,
                        {.lists = viewed(run, packages, view),
                         .steal = true,
                         .taken = patient ? Taken::when_inputs_came : Taken::when_there_is_room});
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

const Register packages{packed()};
const Register windows{windowed("modular-heft"), windowed("modular-heft2"),
                       windowed("modular-heft-prio"), windowed("modular-heteroprio")};

}  // namespace
}  // namespace damocles
