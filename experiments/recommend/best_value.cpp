#include "experiments/recommend/best_value.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/leading_number.hpp"
#include "models/platforms/scenario.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

/// A number and what it counts: numbers of one unit can be ordered.
struct Magnitude {
  std::string unit;
  double number = 0;
};

std::optional<Magnitude> magnitude_of(const std::string& text) {
  Magnitude result;
  const auto [rest, error] = leading_number(text, result.number);
  if (error != std::errc()) return std::nullopt;
  result.unit = std::string(rest, text.data() + text.size());
  if (result.unit.empty()) return result;
  constexpr std::array units{Unit::bytes, Unit::bytes_per_s, Unit::seconds,
                             Unit::flops, Unit::flops_per_s, Unit::watts};
  for (const Unit unit : units) {
    if (const auto number = parse_quantity(text, unit)) return Magnitude{{}, *number};
  }
  return result;
}

double all_flops(const TaskGraph& graph) {
  double sum = 0;
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) sum += graph.flops(task);
  return sum > 0 ? sum : static_cast<double>(graph.tasks());
}

}  // namespace

BestValue best_value(const std::vector<double>& means, bool ordered) {
  const auto least = std::min_element(means.begin(), means.end());
  BestValue result{.at = static_cast<std::size_t>(least - means.begin())};
  if (!ordered) return result;
  const auto gain_beyond = [&](std::size_t at) {
    const double best =
        *std::min_element(means.begin() + static_cast<std::ptrdiff_t>(at), means.end());
    return means[at] > 0 ? 1 - best / means[at] : 0;
  };
  result.at = 0;
  while (gain_beyond(result.at) > race_tolerance) ++result.at;
  result.gain = gain_beyond(result.at);
  const bool loses =
      std::any_of(means.begin() + static_cast<std::ptrdiff_t>(result.at), means.end(),
                  [&](double mean) { return mean > (1 + race_tolerance) * means[result.at]; });
  if (loses) return result;
  result.kind = result.at + 1 < means.size() ? BestValue::Kind::enough : BestValue::Kind::most;
  return result;
}

bool sort_by_value(std::vector<AdviceAt>& points) {
  std::optional<std::string> unit;
  for (const AdviceAt& point : points) {
    const auto magnitude = magnitude_of(point.value);
    if (!magnitude) return false;
    if (magnitude->number == 0) continue;  // needs no unit
    if (unit && *unit != magnitude->unit) return false;
    unit = magnitude->unit;
  }
  std::stable_sort(points.begin(), points.end(), [](const AdviceAt& a, const AdviceAt& b) {
    return magnitude_of(a.value)->number < magnitude_of(b.value)->number;
  });
  return true;
}

bool same_work(const std::vector<AdviceAt>& points) {
  const double first = all_flops(points.front().experiment.workload.graph());
  return std::all_of(points.begin(), points.end(), [&](const AdviceAt& point) {
    return std::abs(all_flops(point.experiment.workload.graph()) - first) <= 0.01 * first;
  });
}

}  // namespace damocles
