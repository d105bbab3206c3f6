#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/figures/judging.hpp"

namespace damocles {

/// A figure of the volume of the strategies over the number of processors: HPDC'14 figures 1, 4, 5,
/// 9 and 10. Speeds are drawn from U[10, 100] anew for each of `replicates` runs.
struct VolumeFigure {
  std::string id;
  std::string statement;
  std::string workload;
  std::vector<std::string> models;  ///< that predict dynamic-2phases; the first is the paper's
  std::size_t analysed_from = 1;    ///< smallest p for which the paper calls its analysis accurate
  std::size_t replicates = 10;
};

/// The outcome of such a figure, which the checks are about.
struct VolumeRun {
  const VolumeFigure& figure;
  const Volumes& volumes;
  std::uint64_t seed;
};
using VolumeTest = Test<VolumeRun>;

inline constexpr std::array<std::size_t, 10> figure_processors{10,  20,  40,  60,  80,
                                                               100, 150, 200, 250, 300};

/// The platform at one p.
[[nodiscard]] std::string figure_platform(std::size_t processors);
[[nodiscard]] std::vector<Experiment> volume_experiments(const VolumeFigure& figure,
                                                         std::uint64_t seed);

/// Random and sorted load significantly more than dynamic at every p, and far more on average.
[[nodiscard]] Answer data_aware_is_far_below(const VolumeRun& run);
/// Dynamic-2phases loads least at every p.
[[nodiscard]] Answer two_phases_is_lowest(const VolumeRun& run);
/// On a figure as high as the paper's, the line of the analysis lies on that of the runs.
[[nodiscard]] Answer analysis_is_indistinguishable(const VolumeRun& run);
/// The analysis is within 5 % of the runs wherever the paper calls it accurate.
[[nodiscard]] Answer analysis_is_accurate(const VolumeRun& run);
/// "The standard deviation is typically below 0.1 for any point."
[[nodiscard]] Answer deviation_is_small(const VolumeRun& run);
/// "... and never impacts the ranking": of any single run.
[[nodiscard]] Answer spread_keeps_the_ranking(const VolumeRun& run);

/// What section 3.2 says of figure 1 "and the following ones".
[[nodiscard]] std::vector<VolumeTest> of_the_spread();
/// These, and what sections 3.2 and 3.4 say of the analysis and of two phases in figures 4 and 5.
[[nodiscard]] std::vector<VolumeTest> with_those_of_the_outer_product(
    std::vector<VolumeTest> tests);
/// What section 4.3 says of figures 9 and 10.
[[nodiscard]] std::vector<VolumeTest> of_the_matrix_product();
[[nodiscard]] Claim volume_claim(const VolumeFigure& figure, const std::vector<VolumeTest>& tests);

}  // namespace damocles
