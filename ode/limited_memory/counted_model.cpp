#include <numeric>

#include "ode/limited_memory/counted_loads.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/pace.hpp"
#include "ode/limited_memory/task_lists.hpp"

namespace damocles {
namespace {

LimitedPrediction counted_prediction(const LimitedRun& run, const std::vector<LoadsByTask>& loads) {
  LimitedPrediction result{.loads = 0, .makespan_s = paced_makespan_s(run, loads), .sd_loads = 0.0};
  for (const LoadsByTask& list : loads) {
    for (const TaskLoads& one : list) result.loads += one.needed + one.ahead;
  }
  return result;
}

template <typename Count>
LimitedPrediction prediction_of_lists(const LimitedRun& run, const std::vector<TaskSequence>& lists,
                                      const Count& count) {
  std::vector<LoadsByTask> loads;
  loads.reserve(lists.size());
  for (const TaskSequence& list : lists) loads.push_back(count(list));
  return counted_prediction(run, loads);
}

/// Tasks dealt in turn; each processor reads the same columns again and again.
LimitedPrediction predict_dealt(const LimitedRun& run) {
  return prediction_of_lists(run, dealt_in_turn(run), [&](const TaskSequence& list) {
    return lru_loads(*run.graph, list, run.memory);
  });
}

/// The same where inputs are requested more than a task ahead. With a memory one data item short of
/// what a round of columns takes, the row that changes leaves a hole of one column. The transfer
/// that fills it evicts the first column that the buffer does not read, so that the hole moves on
/// by as many columns as the processor computes tasks meanwhile.
LimitedPrediction predict_dealt_ahead(const LimitedRun& run) {
  const std::size_t common = std::gcd(run.columns, run.processors);
  const std::size_t round = (run.columns + run.processors) / common;
  if (run.memory != round || run.memory <= run.depth) return predict_dealt(run);
  const auto processors = static_cast<double>(run.processors);
  const double loads = static_cast<double>(run.tasks()) / run.transfers_a_task() +
                       processors * static_cast<double>(run.rows + run.columns / common);
  return {.loads = loads, .makespan_s = steady_makespan_s(run, loads), .sd_loads = 0.0};
}

template <TakenFirst Taken>
LimitedPrediction predict_allotted(const LimitedRun& run) {
  return prediction_of_lists(run, allotted_by_completion_time(run), [&](const TaskSequence& list) {
    return loads_with_prefetch(run, list, Taken);
  });
}

/// Processors that share a queue meet columns again after a number of rows that depends on whether
/// they keep in step.
std::string why_not_alone(const LimitedRun& run) {
  if (run.processors == 1) return "";
  return "several GPUs that share a queue run in step or out of step, by chance, and load up to "
         "five times as much in one run as in another";
}

const Register counted_model{
    LimitedModel{.name = "counted",
                 .place = 10,
                 .summary = "the list of each processor is known; what it loads is counted"}};

const Register counted_predictors{
    LimitedPredictor{.name = "eager",
                     .model = "counted",
                     .why_unavailable = why_not_alone,
                     .predict = predict_dealt_ahead},
    LimitedPredictor{.name = "sorted",
                     .model = "counted",
                     .why_unavailable = why_not_alone,
                     .predict = predict_dealt_ahead},
    LimitedPredictor{.name = "lws", .model = "counted", .predict = predict_dealt_ahead},
    LimitedPredictor{.name = "heft", .model = "counted", .predict = predict_dealt_ahead},
    LimitedPredictor{.name = "ws", .model = "counted", .predict = predict_dealt},
    LimitedPredictor{
        .name = "dmda", .model = "counted", .predict = predict_allotted<TakenFirst::first>},
    LimitedPredictor{.name = "dmdar",
                     .model = "counted",
                     .predict = predict_allotted<TakenFirst::fewest_loads>}};

}  // namespace
}  // namespace damocles
