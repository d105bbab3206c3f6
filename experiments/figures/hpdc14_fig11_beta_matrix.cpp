#include "experiments/figures/threshold_sweep.hpp"

namespace damocles {
namespace {

const ThresholdSweep sweep("matrix:n=40", "uniform:p=100,lo=10,hi=100,draw=1",
                           {"paper", "corrected", "exact", "refined"});

/// The paper names no range of interest here: taken as 2 to 5, as wide as figure 6's.
const RegisterClaims entries{{threshold_claim(
    "hpdc14.fig11",
    "the analysis is accurate in the range of interest of beta, and its best beta (2.95) loads "
    "close to the least",
    sweep, {analysis_fits(2, 5), best_lies_in_the_valley, lies_in_the_valley(2.95)})}};

}  // namespace
}  // namespace damocles
