#include "experiments/execution/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/studies/students_t.hpp"
#include "experiments/studies/summary.hpp"

namespace damocles {
namespace {

/// Rows that differ by no more than rounding are equal.
constexpr double rounding = 1e-12;

std::vector<Record> rows_of(const std::vector<Record>& records, const std::string& strategy,
                            const std::string& source) {
  std::vector<Record> rows;
  std::copy_if(records.begin(), records.end(), std::back_inserter(rows), [&](const Record& row) {
    return row.strategy == strategy && row.source == source &&
           row.status.kind != Status::Kind::failed;
  });
  return rows;
}

/// Half of the 95 % interval of the difference of two means.
double half_width(const Record& a, const Record& b) {
  const auto n_a = static_cast<double>(*a.n);
  const auto n_b = static_cast<double>(*b.n);
  if (!a.sd && !b.sd) return 0;
  const double sd_a = a.sd ? *a.sd : *b.sd;
  const double sd_b = b.sd ? *b.sd : *a.sd;
  return students_t_975(n_a + n_b - 2) * std::sqrt(sd_a * sd_a / n_a + sd_b * sd_b / n_b);
}

std::optional<double> makespan_error(const std::vector<Record>& simulated,
                                     const std::vector<Record>& executed,
                                     const TimeScale& time_scale) {
  double sum = 0;
  std::size_t pairs = 0;
  for (const Record& run : executed) {
    const auto twin = std::find_if(simulated.begin(), simulated.end(), [&](const Record& row) {
      return row.replicate == run.replicate;
    });
    const double scale = time_scale(*run.replicate);
    if (twin == simulated.end() || !run.makespan_s || scale <= 0) continue;
    if (!(*twin->makespan_s > 0)) continue;
    sum += *run.makespan_s / (*twin->makespan_s * scale) - 1;
    ++pairs;
  }
  if (pairs == 0) return std::nullopt;
  return sum / static_cast<double>(pairs);
}

}  // namespace

bool Agreement::agrees_with_simulation() const {
  return std::abs(difference) <= allowed + rounding;
}

std::string Agreement::verdict() const {
  const bool predicted_well = in_band.value_or(true);
  if (!agrees_with_simulation()) return predicted_well ? "outside simulated" : "outside both";
  if (!predicted_well) return "outside predicted";
  if (!makespan_error) return "volume agrees";
  return std::abs(*makespan_error) <= time_tolerance ? "agrees" : "volume agrees, time does not";
}

std::vector<Agreement> agreements(const std::vector<Record>& records, const std::string& model,
                                  const TimeScale& time_scale) {
  std::vector<Agreement> result;
  for (const Record& first : records) {
    const bool known = std::any_of(result.begin(), result.end(), [&](const Agreement& other) {
      return other.strategy == first.strategy;
    });
    if (known) continue;
    const auto simulated = rows_of(records, first.strategy, "simulated");
    const auto executed = rows_of(records, first.strategy, "executed");
    if (simulated.empty() || executed.empty()) continue;
    Agreement row;
    row.strategy = first.strategy;
    row.simulated = summarise(simulated).front();
    row.executed = summarise(executed).front();
    if (row.simulated.volume_ratio && row.executed.volume_ratio) {
      const double mean = *row.simulated.volume_ratio;
      row.difference = *row.executed.volume_ratio / mean - 1;
      row.allowed = half_width(row.simulated, row.executed) / mean;
    } else if (row.executed.loads != row.simulated.loads) {
      row.difference = 1;  // where nobody reads anything, nothing is loaded
    }
    row.makespan_error = makespan_error(simulated, executed, time_scale);
    for (const Record& prediction : summarise(rows_of(records, first.strategy, "predicted"))) {
      if (prediction.model != model || !prediction.volume_ratio || !row.executed.volume_ratio) {
        continue;
      }
      row.predicted = prediction;
      if (!prediction.sd) continue;
      row.in_band = std::abs(*row.executed.volume_ratio - *prediction.volume_ratio) <=
                    2 * *prediction.sd + rounding;
    }
    result.push_back(std::move(row));
  }
  return result;
}

}  // namespace damocles
