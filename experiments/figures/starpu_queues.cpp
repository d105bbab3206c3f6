#include "experiments/figures/policy_runs.hpp"

namespace damocles::starpu_queues {
namespace {

const std::string where = "Non Performance Modelling Policies";

std::vector<std::pair<Sentence, PolicyCheck>> tests() {
  return {
      {{"eager uses a central task queue, from which all workers draw tasks concurrently", where},
       ends_near_the_bound(uneven, "eager", 0.05)},
      {{"this does not permit to prefetch data since the decision is taken late", where},
       all_checks({same_runs(slow_bus_late, "eager:patient=true", "modular-eager"),
                   ends_before(slow_bus, "modular-eager-prefetching", "modular-eager")})},
      {{"if a task has a non-0 priority, it is put at the front of the queue", where},
       all_checks({other_runs(node, "eager:priorities=front", "eager"),
                   same_runs(scarce, "eager:priorities=front", "eager")})},
      {{"random distributes tasks randomly according to assumed worker overall performance", where},
       ends_near_the_bound(uneven, "random-by-speed", 0.1)},
      {{"ws: an idle worker steals a task from the most loaded worker", where},
       ends_near_the_bound(uneven, "ws", 0.05)},
      {{"ws schedules a task on the worker which released it", where},
       moves_fewer(node, "ws", "eager")},
      {{"lws: an idle worker steals from neighbour workers", where},
       ends_near_the_bound(uneven, "lws", 0.05)},
      {{"lws also takes into account priorities", where}, other_runs(node, "lws", "ws")},
      {{"lws provides correct load balance and locality even without performance models",
        "Task Scheduling Policies"},
       all_checks({ends_near_the_bound(uneven, "lws", 0.05), moves_fewer(node, "lws", "eager")})},
      {{"prio also uses a central task queue, but sorts tasks by priority", where},
       all_checks({other_runs(node, "prio", "modular-eager"),
                   same_runs(scarce, "prio", "modular-eager")})},
      {{"heteroprio uses different priorities for the different processing units", where},
       ends_before(node, "heteroprio", "prio")}};
}

const Register entries{policy_claim(
    "starpu.queues", "policies without performance models: one queue, or one a worker and stealing",
    "equal tasks on 2 fast and 4 slow processors, behind a slow bus, in little memory; Cholesky on 2 GPUs and 8 cores",
    tests())};

}  // namespace
}  // namespace damocles::starpu_queues
