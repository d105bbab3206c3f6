#include <fmt/format.h>

#include "experiments/figures/volume_vs_processors.hpp"

namespace damocles::hpdc14_fig05_large {
namespace {

const VolumeFigure figure{
    .id = "hpdc14.fig5",
    .statement =
        "as figure 4 for n=1000, where random and sorted can load very many times what the data-aware strategies do",
    .workload = "outer:n=1000",
    .models = {"paper", "refined"},
};
/// What the gap is compared with: figure 4's runs, made again for the judging.
const VolumeFigure smaller{
    .id = "", .statement = "", .workload = "outer:n=100", .models = {}, .analysed_from = 1};
/// "Even more crucial when N is large": the largest gap grows by this factor.
constexpr double much = 2;
/// "Can be very large": this factor somewhere.
constexpr double very_large = 5;

/// How many times dynamic-2phases' volume the lower of random and sorted load, over p.
Extremes gaps(const Volumes& volumes) {
  Extremes gap;
  for (const auto p : figure_processors) {
    const auto mean = [&](const char* name) {
      return sample(volumes.simulated(name, figure_platform(p))).mean;
    };
    gap.see(std::min(mean("random"), mean("sorted")) / mean("dynamic-2phases"),
            fmt::format("p={}", p));
  }
  return gap;
}

Answer gap_can_be_very_large(const VolumeRun& run) {
  std::vector<Job> small;
  for (auto experiment : volume_experiments(smaller, run.seed)) {
    experiment.models.clear();
    for (auto& job : jobs(experiment)) small.push_back(std::move(job));
  }
  const Extremes here = gaps(run.volumes);
  const Extremes there = gaps(Volumes(run_jobs(small, 0)));
  return holds_or_not(
      here.max >= very_large && here.max >= much * there.max,
      fmt::format(
          "random and sorted load {} times what dynamic-2phases does at some p, and {} times the largest ratio of n=100",
          very_large, much),
      fmt::format("{:.2f} ({}) to {:.2f} ({}) times; n=100: {:.2f} to {:.2f}", here.min,
                  here.at_min, here.max, here.at_max, there.min, there.max));
}

std::vector<VolumeTest> tests() {
  return with_those_of_the_outer_product(
      {{{"the analysis is extremely close to DynamicOuter2Phases, which makes them indistinguishable on the figures",
         "3.4"},
        analysis_is_indistinguishable},
       {{"a data-aware scheduler is even more crucial when N is large, as the ratio between simple "
         "random strategies and dynamic data-aware ones can be very large",
         "3.4"},
        gap_can_be_very_large}});
}

const Register entries{volume_claim(figure, tests())};

}  // namespace
}  // namespace damocles::hpdc14_fig05_large
