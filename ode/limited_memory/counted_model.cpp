#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "models/rng.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/mean_of_draws.hpp"
#include "ode/limited_memory/pace.hpp"
#include "ode/limited_memory/prediction_streams.hpp"
#include "ode/limited_memory/shared_queue.hpp"
#include "ode/limited_memory/task_lists.hpp"
#include "ode/limited_memory/task_loads.hpp"
#include "ode/limited_memory/viewed_lists.hpp"
#include "orders/mst_order.hpp"
#include "orders/rcm_order.hpp"

namespace damocles {
namespace {

template <Placed Order>
LimitedPrediction predict_planned(const LimitedRun& run) {
  return predict_in_order(run, planned_lists(run, Order), Taken::when_there_is_room);
}

/// Each task to any processor: the mean of some deals.
template <Taken When>
LimitedPrediction predict_dealt_at_random(const LimitedRun& run) {
  if (run.processors == 1) return predict_in_order(run, dealt_in_turn(run), When);
  // Deals of many tasks differ little.
  const std::size_t deals = run.tasks() > 300'000 ? 2 : 8;
  return mean_of_draws(run, deals, [](const LimitedRun& one, std::uint64_t deal) {
    Rng rng(0, Draw::prediction, deal, prediction_stream::deals);
    return drawn_lists(one, dealt_at_random(one, rng), When, deal);
  });
}

/// One draw of processors that share a queue of these tasks.
LimitedPrediction drawn_queue(const LimitedRun& run, const TaskSequence& tasks, Taken taken,
                              std::uint64_t draw) {
  std::size_t taken_tasks = 0;
  const auto next = [&](std::size_t) -> std::optional<TaskGraph::Index> {
    if (taken_tasks == tasks.size()) return std::nullopt;
    return tasks[taken_tasks++];
  };
  return drawn_with_buffer(run, next, taken, draw);
}

/// Processors that take tasks from one queue: the jitter decides who takes which, so runs differ.
LimitedPrediction predict_shared_queue(const LimitedRun& run, const TaskSequence& tasks,
                                       Taken taken = Taken::when_there_is_room) {
  const std::size_t count = run.processors == 1 ? 1 : run.tasks() > 100'000 ? 2 : 16;
  return mean_of_draws(run, count, [&](const LimitedRun& one, std::uint64_t draw) {
    return drawn_queue(one, tasks, taken, draw);
  });
}
template <Taken When>
LimitedPrediction predict_one_queue(const LimitedRun& run) {
  return predict_shared_queue(run, tasks_as_submitted(run), When);
}

/// With buffer=ready on one processor: of the tasks in the buffer that wait, the readiest.
bool is_ready_first(const LimitedRun& run) { return run.strategy.word("buffer") == "ready"; }
std::string why_ready_buffers(const LimitedRun& run) {
  if (run.processors == 1 || !is_ready_first(run)) return "";
  return "on several GPUs buffer=ready has no model";
}
LimitedPrediction predict_ready_first(const LimitedRun& run, const TaskSequence& list) {
  const ListView view{.tasks = std::max<std::size_t>(1, run.depth - 1),
                      .ahead = ListView::Ahead::in_view};
  return predict_lists(run, {list}, view);
}

/// As mst; the order of a grid is that of submission.
LimitedPrediction predict_spanning_tree(const LimitedRun& run) {
  const TaskSequence list = mst_order(*run.graph);
  if (is_ready_first(run)) return predict_ready_first(run, list);
  return predict_shared_queue(run, list);
}
/// As rcm: columns of a grid, each from its second row on, which stay from one column to the next
/// where they and two columns fit.
LimitedPrediction predict_cuthill_mckee(const LimitedRun& run) {
  const TaskSequence list = rcm_order(*run.graph);
  if (is_ready_first(run)) return predict_ready_first(run, list);
  return predict_shared_queue(run, list);
}

/// What dmda and its kin look at: the inputs of all tasks of a list are requested when it is made.
/// Lists sorted by priority request what the next 128 tasks lack.
const ListView readiest_of_list{.tasks = ListView::whole};
const ListView first_of_list{.tasks = ListView::whole, .in_order = true};
const ListView readiest_by_priority{
    .tasks = 128, .ahead = ListView::Ahead::in_view, .spares_list = true};
const ListView first_by_priority{
    .tasks = 128, .ahead = ListView::Ahead::in_view, .in_order = true, .spares_list = true};

template <const ListView& View>
LimitedPrediction predict_allotted(const LimitedRun& run) {
  return predict_lists(run, allotted_by_completion_time(run), View);
}

/// As pheft, which counts transfers beside the end of a task alone.
LimitedPrediction predict_allotted_beside(const LimitedRun& run) {
  return predict_lists(run, allotted_by_completion_time(run, false), first_of_list);
}

/// As dm, which ignores transfers when it allots, and loads ahead of its lists.
LimitedPrediction predict_planned_with_prefetch(const LimitedRun& run) {
  return predict_lists(run, planned_lists(run, Placed::as_submitted), first_of_list);
}

const Register counted_model{
    LimitedModel{.name = "counted",
                 .place = 10,
                 .summary = "the list of each processor is known; what it loads is counted"}};

/// Up to how many processors it is of lists that read the columns of a grid round after round.
std::size_t in_rounds_up_to(LimitedPrediction (*predict)(const LimitedRun&)) {
  if (predict == predict_one_queue<Taken::when_there_is_room> ||
      predict == predict_one_queue<Taken::when_inputs_came>)
    return 1;
  const bool always = predict == predict_planned<Placed::as_submitted> ||
                      predict == predict_planned<Placed::longest_first> ||
                      predict == predict_planned<Placed::shortest_first>;
  return always ? std::numeric_limits<std::size_t>::max() : 0;
}

/// Of workloads other than gemm2d, and of gemm2d on GPUs of different speeds.
struct OtherErrors {
  ExpectedErrors alone{};
  ExpectedErrors several{};
  ExpectedErrors different_speeds{};
};

LimitedPredictor counted_entry(const char* strategy,
                               LimitedPrediction (*predict)(const LimitedRun&),
                               const ExpectedErrors& several, const OtherErrors& others,
                               std::string (*why)(const LimitedRun&) = nullptr) {
  return {.name = strategy,
          .model = "counted",
          .several = several,
          .alone_elsewhere = others.alone,
          .several_elsewhere = others.several,
          .different_speeds = others.different_speeds,
          .why_unavailable = why,
          .predict = predict,
          .in_rounds_up_to = in_rounds_up_to(predict)};
}

std::string why_of_kinds(const LimitedRun& run) {
  return run.unequal_s.empty() ? "" : "its queues of several kinds of tasks have no model";
}
/// On several processors it weighs what a task would lose elsewhere.
std::string why_unequal(const LimitedRun& run) {
  if (run.processors == 1 || run.unequal_s.empty()) return "";
  return "on several GPUs it has a model of tasks of equal length alone";
}

/// On two processors runs themselves spread by up to 40 %.
constexpr ExpectedErrors of_shared_queues{.loads = 0.19, .makespan = 0.15};
constexpr OtherErrors of_queues{.several = {.loads = 0.035, .makespan = 0.03},
                                .different_speeds = {.loads = 0.01, .makespan = 0.005}};
constexpr OtherErrors of_orders{.several = {.loads = 0.025, .makespan = 0.025},
                                .different_speeds = {.loads = 0.005, .makespan = 0.005}};
constexpr ExpectedErrors of_waiting_queues{.loads = 0.15, .makespan = 0.12};
constexpr OtherErrors of_short_queues{.several = {.loads = 0.03, .makespan = 0.03},
                                      .different_speeds = {.loads = 0.01, .makespan = 0.01}};

using Why = std::string (*)(const LimitedRun&);

LimitedPredictor one_queue(const char* strategy, Why why = nullptr) {
  return counted_entry(strategy, predict_one_queue<Taken::when_there_is_room>, of_shared_queues,
                       of_queues, why);
}
/// A further task is taken when the inputs of all before have come, so they are requested one task
/// ahead, whatever the depth.
LimitedPredictor short_queue(const char* strategy, Why why = nullptr) {
  return counted_entry(strategy, predict_one_queue<Taken::when_inputs_came>, of_waiting_queues,
                       of_short_queues, why);
}

/// One queue in an order computed from the graph.
LimitedPredictor of_computed_order(const char* strategy,
                                   LimitedPrediction (*predict)(const LimitedRun&)) {
  LimitedPredictor entry =
      counted_entry(strategy, predict, of_shared_queues, of_orders, why_ready_buffers);
  entry.options = {"buffer"};
  return entry;
}

/// Static schedules of tasks that wait for nobody: there is no transfer in their plan.
template <Placed Order>
LimitedPredictor planned(const char* strategy) {
  return counted_entry(strategy, predict_planned<Order>, {.loads = 0, .makespan = 0.015},
                       {.several = {.loads = 0, .makespan = 0.005}});
}

template <Taken When>
LimitedPredictor dealt_by_chance(const char* strategy) {
  return counted_entry(strategy, predict_dealt_at_random<When>, {.loads = 0.02, .makespan = 0.02},
                       {.several = {.loads = 0.015, .makespan = 0.015},
                        .different_speeds = {.loads = 0.025, .makespan = 0.025}});
}

const Register shared_queues{one_queue("eager"),
                             one_queue("sorted"),
                             of_computed_order("mst", predict_spanning_tree),
                             of_computed_order("rcm", predict_cuthill_mckee),
                             short_queue("prio"),
                             short_queue("heteroprio", why_of_kinds),
                             one_queue("peager"),
                             one_queue("memory-order"),
                             short_queue("modular-eager"),
                             one_queue("modular-eager-prefetching"),
                             one_queue("modular-prio-prefetching")};

LimitedPredictor sufferage() {
  LimitedPredictor entry = planned<Placed::as_submitted>("sufferage");
  entry.why_unavailable = why_unequal;
  return entry;
}

const Register static_schedules{planned<Placed::longest_first>("heft"),
                                planned<Placed::longest_first>("bil"),
                                planned<Placed::longest_first>("cpop"),
                                planned<Placed::longest_first>("dls"),
                                planned<Placed::longest_first>("etf"),
                                planned<Placed::longest_first>("hlfet"),
                                planned<Placed::longest_first>("lookahead"),
                                planned<Placed::longest_first>("max-min"),
                                planned<Placed::shortest_first>("min-min"),
                                planned<Placed::as_submitted>("peft"),
                                sufferage()};

const Register random_deals{
    dealt_by_chance<Taken::when_inputs_came>("random-by-speed"),
    dealt_by_chance<Taken::when_inputs_came>("modular-random-prio"),
    dealt_by_chance<Taken::when_there_is_room>("modular-random-prefetching"),
    dealt_by_chance<Taken::when_there_is_room>("modular-random-prio-prefetching")};

constexpr OtherErrors of_lists{.several = {.loads = 0.005, .makespan = 0.005}};
constexpr OtherErrors of_whole_lists{.alone = {.loads = 0.005, .makespan = 0.005},
                                     .several = {.loads = 0.005, .makespan = 0.005}};
constexpr ExpectedErrors of_allotted{.makespan = 0.005};

const Register allotted_lists{
    counted_entry("dm", predict_planned_with_prefetch, of_allotted, of_lists),
    counted_entry("dmda", predict_allotted<first_of_list>, of_allotted, of_lists),
    counted_entry("dmdap", predict_allotted<first_by_priority>, of_allotted, of_lists),
    counted_entry("pheft", predict_allotted_beside, of_allotted, of_lists),
    counted_entry("dmdar", predict_allotted<readiest_of_list>, of_allotted, of_whole_lists),
    counted_entry("dmdas", predict_allotted<readiest_by_priority>, of_allotted, of_lists),
    counted_entry("dmdasd", predict_allotted<readiest_by_priority>, of_allotted, of_lists)};

}  // namespace
}  // namespace damocles
