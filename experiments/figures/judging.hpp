#pragma once

#include <array>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/figures/claims.hpp"

namespace damocles {

/// "Accurate", "correctly fits": within 5 %.
inline constexpr double accurate = 0.05;

/// Those that HPDC'14's figures compare by the number of processors and by how speeds differ.
inline const std::vector<std::string> hpdc14_strategies{"random", "sorted", "dynamic",
                                                        "dynamic-2phases"};

/// One sentence of a figure, and the check that answers it, given what was run.
template <typename Run>
struct Test {
  Sentence sentence;
  std::function<Answer(const Run&)> answer;
};

template <typename Run>
[[nodiscard]] std::vector<Sentence> sentences_of(const std::vector<Test<Run>>& tests) {
  std::vector<Sentence> sentences;
  for (const auto& test : tests) sentences.push_back(test.sentence);
  return sentences;
}

template <typename Run>
[[nodiscard]] std::vector<Answer> answers_to(const std::vector<Test<Run>>& tests, const Run& run) {
  std::vector<Answer> answers;
  for (const auto& test : tests) answers.push_back(test.answer(run));
  return answers;
}

/// Confirmed or refuted.
[[nodiscard]] Answer holds_or_not(bool holds, std::string asked, std::string ours);
/// Whether so few of the points fail that the rest is confirmed: at most a tenth, or one of at
/// least five.
[[nodiscard]] bool is_corner(std::size_t failing, std::size_t points);
/// Confirmed where no point fails, at a corner where few do, refuted else. `where` names them.
[[nodiscard]] Answer holds_but(std::size_t failing, std::size_t points, std::string where,
                               std::string asked, std::string ours);

/// Mean, standard deviation and half-width of the 95 % confidence interval (Student's t).
struct Sample {
  double mean;
  double sd;
  double ci95;
};
[[nodiscard]] Sample sample(const std::vector<double>& values);
/// Of the differences b - a, run by run: both ran on the same speeds.
[[nodiscard]] Sample paired(const std::vector<double>& a, const std::vector<double>& b);
/// As `2.531 +- 0.012`, with the confidence interval.
[[nodiscard]] std::string with_ci(const Sample& sample);
/// As `1.3 %`.
[[nodiscard]] std::string percent(double share);
/// As `a, b, c`.
[[nodiscard]] std::string list(const std::vector<std::string>& words);

/// The smallest and the largest of the values it saw, and where.
struct Extremes {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  std::string at_min;
  std::string at_max;

  void see(double value, const std::string& where);
};

/// The volume ratios in a run's rows, by what they belong to.
class Volumes {
 public:
  explicit Volumes(const std::vector<Record>& records);

  /// One value a replicate.
  [[nodiscard]] const std::vector<double>& simulated(const std::string& strategy,
                                                     const std::string& platform) const;
  /// Mean over the platforms that were drawn.
  [[nodiscard]] double predicted(const std::string& model, const std::string& strategy,
                                 const std::string& platform) const;
  /// The prediction over the simulated mean, less 1.
  [[nodiscard]] double deviation(const std::string& model, const std::string& strategy,
                                 const std::string& platform) const;

 private:
  std::map<std::array<std::string, 3>, std::vector<double>> rows_;  // by model, or "" where run
};

}  // namespace damocles
