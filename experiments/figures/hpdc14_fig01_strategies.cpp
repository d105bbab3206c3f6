#include "experiments/figures/volume_vs_processors.hpp"

namespace damocles::hpdc14_fig01_strategies {
namespace {

const VolumeFigure figure{
    .id = "hpdc14.fig1",
    .statement = "data-aware strategies load significantly less than random and sorted ones",
    .workload = "outer:n=100",
    .models = {},
};

std::vector<VolumeTest> tests() {
  std::vector<VolumeTest> all{
      {{"data-aware strategies induce significantly less communication than purely random ones",
        "3.2"},
       data_aware_is_far_below}};
  for (auto& test : of_the_spread()) all.push_back(std::move(test));
  return all;
}

const Register entries{volume_claim(figure, tests())};

}  // namespace
}  // namespace damocles::hpdc14_fig01_strategies
