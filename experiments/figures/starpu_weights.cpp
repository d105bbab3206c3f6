#include "experiments/figures/policy_runs.hpp"

namespace damocles::starpu_weights {
namespace {

const std::string data = "Task Distribution Vs Data Transfer";
const std::string energy = "Energy-based Scheduling";
const std::string alone = "dmda:alpha=0,beta=0";

std::vector<std::pair<Sentence, PolicyCheck>> tests() {
  constexpr auto joules = &PolicyRuns::Run::energy_j;
  return {
      {{"distributing tasks to balance the load induces data transfer penalty", data},
       moves_fewer(node, "dmda", "dmda:beta=0")},
      {{"dmda minimizes alpha T_execution + beta T_data_transfer; beta defaults to 1", data},
       all_checks({same_runs(node, "dmda", "dmda:alpha=1,beta=1"),
                   other_runs(node, "dmda", "dmda:beta=2")})},
      {{"it can be worth trying to tweak beta, since contention makes transfer times bigger", data},
       all_checks(
           {moves_fewer(node, "dmda:beta=2", "dmda"), ends_before(node, "dmda:beta=2", "dmda")})},
      {{"the consumption weighs gamma a joule", energy},
       at_most(0.98, "joules", joules, powered, "dmda:gamma=100000", "dmda:gamma=0")},
      {{"setting alpha and beta to zero permits to only take into account energy consumption",
        energy},
       all_checks({at_most(1, "joules", joules, powered, alone, "dmda"),
                   at_most(1, "joules", joules, powered, alone, "dmda:gamma=100000")})},
      {{"the scheduler would simply tend to run all on the most energy-conservative unit", energy},
       at_most(0.5, "bytes", &PolicyRuns::Run::bytes, powered, alone, "dmda")},
      {{"to account for the whole machine, the idle power should be given", energy, Weight::remark},
       at_most(1, "joules", joules, powered, "dmda:alpha=0,beta=0,idle-power=70", alone)}};
}

const Register entries{policy_claim(
    "starpu.weights", "what a placement costs: the end of a task, its transfers, its energy",
    "Cholesky on 2 GPUs and 8 cores, with powers of 300 and 15 W", tests())};

}  // namespace
}  // namespace damocles::starpu_weights
