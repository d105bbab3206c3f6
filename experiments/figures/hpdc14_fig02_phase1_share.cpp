#include "experiments/figures/threshold_sweep.hpp"

namespace damocles {
namespace {

const ThresholdSweep sweep("outer:n=100", "uniform:p=20,lo=10,hi=100,draw=1",
                           {"paper", "exact", "refined"});

const RegisterClaims entries{
    {threshold_claim("hpdc14.fig2", "the optimum leaves a few percent of the tasks to phase 2",
                     sweep, {few_percent_are_left})}};

}  // namespace
}  // namespace damocles
