#include "experiments/figures/threshold_sweep.hpp"

namespace damocles::hpdc14_fig02_phase1_share {
namespace {

const ThresholdSweep sweep("outer:n=100", "uniform:p=20,lo=10,hi=100,draw=1",
                           {"paper", "exact", "refined"});

std::vector<SweepTest> tests() {
  return {
      {{"the optimal threshold corresponds here to a few percent of tasks being processed in the second phase",
        "3.2"},
       few_percent_are_left},
      {{"for a well chosen number of them the communication is reduced further", "3.2"},
       two_phases_help},
      {{"if too many tasks are processed in the second phase, the performance is close to RandomOuter",
        "3.2", Weight::remark},
       early_is_random},
      {{"if too few are, the behaviour becomes close to DynamicOuter", "3.2", Weight::remark},
       late_is_dynamic}};
}

const Register entries{threshold_claim(
    "hpdc14.fig2", "the optimum leaves a few percent of the tasks to phase 2", sweep, tests())};

}  // namespace
}  // namespace damocles::hpdc14_fig02_phase1_share
