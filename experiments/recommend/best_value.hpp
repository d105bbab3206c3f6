#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/recommend/recommendation.hpp"

namespace damocles {

/// One value of what is varied, and the strategy to use there.
struct AdviceAt {
  std::string value;
  Experiment experiment;
  std::optional<Advice> answer{};  ///< nothing where no strategy runs
  std::string refused{};           ///< why none does

  [[nodiscard]] double mean() const { return answer->race.best().mean; }
};

/// Which value to choose.
struct BestValue {
  enum class Kind : std::uint8_t {
    enough,  ///< a greater one gains no more than the tolerance, and none loses more
    most,    ///< the greatest one that was tried, so an even greater one may gain
    best,    ///< others are worse, or the values have no order
  };
  Kind kind = Kind::best;
  std::size_t at = 0;
  double gain = 0;  ///< of the greater value that gains most, relative; 0 where none gains
};

/// The least value of which no greater one is better by more than the race's tolerance.
/// @param means    what is to be least, by value; at least one
/// @param ordered  the values ascend; else the least mean counts
[[nodiscard]] BestValue best_value(const std::vector<double>& means, bool ordered);

/// Sorts points by their values where all are numbers of one unit, and says whether they are.
[[nodiscard]] bool sort_by_value(std::vector<AdviceAt>& points);

/// Whether the tasks compute the same at all points; else their times say nothing of the values.
[[nodiscard]] bool same_work(const std::vector<AdviceAt>& points);

/// The answer in words, the strategy to use there, and a line for each value.
/// @param points  at least one of them has an answer
[[nodiscard]] std::string values_text(const std::string& key, std::vector<AdviceAt> points);
[[nodiscard]] std::string values_json(const std::string& key, std::vector<AdviceAt> points);

}  // namespace damocles
