#include "experiments/figures/volume_vs_processors.hpp"

namespace damocles::hpdc14_fig04_analysis {
namespace {

const VolumeFigure figure{
    .id = "hpdc14.fig4",
    .statement = "the analysis is indistinguishable from DynamicOuter2Phases",
    .workload = "outer:n=100",
    .models = {"paper", "refined"},
};

std::vector<VolumeTest> tests() {
  return with_those_of_the_outer_product(
      {{{"the analysis is extremely close to DynamicOuter2Phases, which makes them indistinguishable on the figures",
         "3.4"},
        analysis_is_indistinguishable}});
}

const Register entries{volume_claim(figure, tests())};

}  // namespace
}  // namespace damocles::hpdc14_fig04_analysis
