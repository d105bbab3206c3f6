// HPDC'14 figures 1, 4, 9 and 10: the volume of the strategies over the number of processors.
#include "experiments/figures/volume_vs_processors.hpp"

namespace damocles::hpdc14_volumes {
namespace {

std::vector<VolumeTest> tests_of_figure_1() {
  std::vector<VolumeTest> all{
      {{"data-aware strategies induce significantly less communication than purely random ones",
        "3.2"},
       data_aware_is_far_below}};
  for (auto& test : of_the_spread()) all.push_back(std::move(test));
  return all;
}

const Register entries{
    volume_claim(
        {.id = "hpdc14.fig1",
         .statement = "data-aware strategies load significantly less than random and sorted ones",
         .workload = "outer:n=100",
         .models = {}},
        tests_of_figure_1()),
    volume_claim(
        {.id = "hpdc14.fig4",
         .statement = "the analysis is indistinguishable from DynamicOuter2Phases",
         .workload = "outer:n=100",
         .models = {"paper", "refined"}},
        with_those_of_the_outer_product(
            {{{"the analysis is extremely close to DynamicOuter2Phases, which makes them indistinguishable on the figures",
               "3.4"},
              analysis_is_indistinguishable}})),
    volume_claim(
        {.id = "hpdc14.fig9",
         .statement =
             "matrix product: data-aware strategies largely outperform simple ones, two phases load least; the analysis is very accurate for p >= 50",
         .workload = "matrix:n=40",
         .models = {"paper", "corrected", "refined"},
         .analysed_from = 50},
        of_the_matrix_product()),
    volume_claim(
        {.id = "hpdc14.fig10",
         .statement =
             "matrix product of 10^6 tasks: data-aware strategies largely outperform simple ones, two phases load least; the analysis is very accurate for p >= 50",
         .workload = "matrix:n=100",
         .models = {"paper", "corrected", "refined"},
         .analysed_from = 50},
        of_the_matrix_product())};

}  // namespace
}  // namespace damocles::hpdc14_volumes
