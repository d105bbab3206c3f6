#include "experiments/figures/policy_runs.hpp"

namespace damocles::starpu_models {
namespace {

const std::string where = "Performance Modelling Policies";

std::vector<std::pair<Sentence, PolicyCheck>> tests() {
  return {
      {{"dm schedules tasks where their termination time will be minimal", where},
       all_checks({ends_near_the_bound(uneven, "dm", 0.05), ends_before(node, "dm", "eager")})},
      {{"dm schedules tasks in the order they become available, without priorities", where,
        Weight::remark},
       other_runs(node, "dm", "dmdap")},
      {{"dmda is similar to dm, but also takes into account data transfer time", where},
       all_checks({ends_before(node, "dmda", "dm"), moves_fewer(node, "dmda", "dm")})},
      {{"dmdap sorts tasks by priority order, which allows to become even closer to HEFT", where},
       all_checks({ends_before(node, "dmdap", "dmda"), same_runs(scarce, "dmdap", "dmda")})},
      {{"dmdar also privileges tasks whose data buffers are already available", where},
       all_checks({moves_fewer(scarce, "dmdar", "dmda"), ends_before(scarce, "dmdar", "dmda")})},
      {{"dmdas sorts by priority, and for a given priority privileges tasks whose data are available",
        where},
       all_checks({ends_before(node, "dmdas", "dmda"), moves_fewer(scarce, "dmdas", "dmdap")})},
      {{"dmdasd takes into account the priority of a task when computing the minimum completion time",
        where},
       all_checks({other_runs(node, "dmdasd", "dmdas"), same_runs(scarce, "dmdasd", "dmdas")})},
      {{"heft is a deprecated alias for dmda", where, Weight::remark},
       untested("heft is Topcuoglu's here, which places the whole graph before the start")},
      {{"pheft is similar to dmda, it also supports parallel tasks", where, Weight::remark},
       all_checks({same_runs(cores_alone, "pheft", "dmda"),
                   ends_before(cores_in_teams, "pheft", "dmda")})},
      {{"peager is similar to eager, it also supports parallel tasks", where, Weight::remark},
       all_checks({same_runs(cores_alone, "peager", "eager"),
                   ends_before(cores_in_teams, "peager", "eager")})}};
}

const Register entries{policy_claim(
    "starpu.models", "policies that place a task by when it should complete",
    "equal tasks on 2 fast and 4 slow processors, in little memory; Cholesky on 2 GPUs and 8 cores, "
    "and on 8 cores that compute tasks together",
    tests())};

}  // namespace
}  // namespace damocles::starpu_models
