#include "experiments/figures/judging.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "experiments/studies/students_t.hpp"

namespace damocles {

Answer holds_or_not(bool holds, std::string asked, std::string ours) {
  return {holds ? Verdict::confirmed : Verdict::refuted, "", std::move(asked), "", std::move(ours)};
}

bool is_corner(std::size_t failing, std::size_t points) {
  return 10 * failing <= points || (failing == 1 && points >= 5);
}

Answer holds_but(std::size_t failing, std::size_t points, std::string where, std::string asked,
                 std::string ours) {
  Answer answer = holds_or_not(failing == 0, std::move(asked), std::move(ours));
  if (failing == 0) return answer;
  if (is_corner(failing, points)) answer.verdict = Verdict::at_a_corner;
  answer.reason = std::move(where);
  return answer;
}

Sample sample(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return {mean, 0, 0};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double sd = std::sqrt(squares / (n - 1));
  return {mean, sd, half_width_of_mean(sd, n)};
}

Sample paired(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(b.at(i) - a[i]);
  return sample(differences);
}

std::string with_ci(const Sample& sample) {
  return fmt::format("{:.3f} +- {:.3f}", sample.mean, sample.ci95);
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string list(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

void Extremes::see(double value, const std::string& where) {
  if (value < min) {
    min = value;
    at_min = where;
  }
  if (value > max) {
    max = value;
    at_max = where;
  }
}

Volumes::Volumes(const std::vector<Record>& records) {
  for (const auto& record : records) {
    if (!record.volume_ratio) continue;
    rows_[{record.model, record.strategy, record.platform}].push_back(*record.volume_ratio);
  }
}

const std::vector<double>& Volumes::simulated(const std::string& strategy,
                                              const std::string& platform) const {
  return rows_.at({"", strategy, platform});
}

double Volumes::predicted(const std::string& model, const std::string& strategy,
                          const std::string& platform) const {
  return sample(rows_.at({model, strategy, platform})).mean;
}

double Volumes::deviation(const std::string& model, const std::string& strategy,
                          const std::string& platform) const {
  return predicted(model, strategy, platform) / sample(simulated(strategy, platform)).mean - 1;
}

}  // namespace damocles
