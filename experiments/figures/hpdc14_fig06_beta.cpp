#include "experiments/figures/threshold_sweep.hpp"

namespace damocles {
namespace {

const ThresholdSweep sweep("outer:n=100", "uniform:p=20,lo=10,hi=100,draw=1",
                           {"paper", "exact", "refined"});

const RegisterClaims entries{{threshold_claim(
    "hpdc14.fig6",
    "the analysis fits for 3 <= beta <= 6, and its best beta lies among those that minimise the "
    "volume",
    sweep, {analysis_fits(3, 6), best_lies_in_the_valley})}};

}  // namespace
}  // namespace damocles
