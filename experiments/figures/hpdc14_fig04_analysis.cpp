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
  std::vector<VolumeTest> all{
      {{"the analysis is extremely close to DynamicOuter2Phases, which makes them "
        "indistinguishable on the figures",
        "3.4"},
       analysis_is_indistinguishable},
      {{"it models our strategy accurately even for relatively small p and N/l", "3.4",
        Weight::remark},
       analysis_is_accurate},
      {{"two phases reduce the communication further", "3.2", Weight::remark},
       two_phases_is_lowest}};
  for (auto& test : of_the_spread()) all.push_back(std::move(test));
  return all;
}

const Register entries{volume_claim(figure, tests())};

}  // namespace
}  // namespace damocles::hpdc14_fig04_analysis
