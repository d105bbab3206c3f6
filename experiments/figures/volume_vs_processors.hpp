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

inline constexpr std::array<std::size_t, 10> figure_processors{10,  20,  40,  60,  80,
                                                               100, 150, 200, 250, 300};

/// The platform at one p.
[[nodiscard]] std::string figure_platform(std::size_t processors);
[[nodiscard]] std::vector<Question> volume_questions(const VolumeFigure& figure,
                                                     std::uint64_t seed);
/// What every such figure claims: data-aware strategies far below the others, dynamic-2phases
/// lowest, the analysis as good as it, a small spread.
[[nodiscard]] std::vector<Check> volume_checks(const VolumeFigure& figure, const Volumes& volumes);
[[nodiscard]] Claim volume_claim(const VolumeFigure& figure);
/// The setting in words.
[[nodiscard]] std::string volume_setting(const VolumeFigure& figure);

}  // namespace damocles
