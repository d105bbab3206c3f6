#pragma once

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/claims.hpp"

namespace damocles {

/// "Indistinguishable on the figure", "accurate": a line of the paper's figures is about 5 % wide.
inline constexpr double line_width = 0.05;

/// One statement of a claim: whether it holds, and the numbers that say so. Without an answer it is
/// a number to be known, which decides nothing.
struct Check {
  std::optional<bool> holds;
  std::string numbers;
};

/// Confirmed where every statement holds. Its line: "yes: ...; no: ...; also: ...".
[[nodiscard]] Finding judged(const std::vector<Check>& checks);

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
