#include "experiments/figures/policy_runs.hpp"

namespace damocles::starpu_modular {
namespace {

const std::string where = "Modularized Schedulers";

std::vector<std::pair<Sentence, PolicyCheck>> tests() {
  return {
      {{"modular-eager tries to map a task on the first available resource it finds", where},
       ends_near_the_bound(uneven, "modular-eager", 0.05)},
      {{"the prefetching variant queues several tasks in advance to prefetch data", where},
       all_checks(
           {ends_before(slow_bus, "modular-eager-prefetching", "modular-eager"),
            ends_before(slow_bus, "modular-prio-prefetching", "modular-prio"),
            ends_before(slow_bus, "modular-random-prefetching", "modular-random"),
            ends_before(slow_bus, "modular-random-prio-prefetching", "modular-random-prio")})},
      {{"this may however degrade load balancing a bit", where, Weight::remark},
       at_most(1, "makespans", &PolicyRuns::Run::makespan_s, uneven, "modular-eager",
               "modular-eager-prefetching")},
      {{"prio-based schedulers are similar to eager-based ones, and handle priorities", where},
       all_checks({same_runs(scarce, "modular-prio", "modular-eager"),
                   other_runs(node, "modular-prio", "modular-eager")})},
      {{"modular-eager-prio integrates the eager and priority queue in a single component", where},
       same_runs(node, "modular-eager-prio", "modular-prio-prefetching")},
      {{"random-based schedulers select randomly a resource for each task", where},
       ends_near_the_bound(uneven, "modular-random", 0.1)},
      {{"modular-ws maps tasks to workers in round robin, but allows workers to steal", where},
       ends_near_the_bound(uneven, "modular-ws", 0.05)},
      {{"modular-heft maps tasks to workers very close to Heterogeneous Earliest Finish Time",
        where},
       ends_before(node, "modular-heft", "modular-eager")},
      {{"modular-heft takes at most 5 tasks of the same priority and checks which fits best",
        where},
       other_runs(node, "modular-heft2", "modular-heft")},
      {{"modular-heft-prio only decides the memory node, one central queue per memory node", where},
       at_most(1, "makespans", &PolicyRuns::Run::makespan_s, node, "modular-heft-prio",
               "modular-heft")},
      {{"modular-heteroprio first attributes accelerated tasks to GPUs, then the others to CPUs",
        where},
       all_checks({other_runs(node, "modular-heteroprio", "modular-heft"),
                   ends_before(node, "modular-heteroprio", "modular-eager")})}};
}

const Register entries{policy_claim(
    "starpu.modular", "schedulers built of components",
    "equal tasks on 2 fast and 4 slow processors, behind a slow bus, in little memory; Cholesky on 2 "
    "GPUs and 8 cores",
    tests())};

}  // namespace
}  // namespace damocles::starpu_modular
