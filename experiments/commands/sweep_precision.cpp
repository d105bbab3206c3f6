#include "experiments/commands/sweep_precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include "experiments/results/result_table.hpp"
#include "experiments/studies/students_t.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t replicates_step = 5;

/// Half of the confidence interval over the mean, of the value with the widest one. Values that do
/// not differ are precise; so is nothing.
double relative_half_width(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) return 0;
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = half_width_of_mean(std::sqrt(squares / (n - 1)), n);
  return half == 0 ? 0 : half / std::abs(mean);
}

/// The widest of all strategies, by their simulated rows that have a result.
double widest_of(const std::vector<const Record*>& rows) {
  const auto counts = [](const Record& row) {
    return row.source == "simulated" && row.status.kind == Status::Kind::ok;
  };
  const bool timed = std::all_of(rows.begin(), rows.end(), [&](const Record* row) {
    return !counts(*row) || row->makespan_lower_bound_s.has_value();
  });
  std::map<std::string, std::vector<double>> values;
  for (const Record* const row : rows) {
    const auto& value = timed ? row->makespan_s : row->loads;
    if (counts(*row) && value) values[row->strategy].push_back(*value);
  }
  double widest = 0;
  for (const auto& [strategy, own] : values) widest = std::max(widest, relative_half_width(own));
  return widest;
}

/// How many replicates a setting should have that has `n`, of this width: the width falls with the
/// root of their number.
std::uint64_t more_replicates(std::uint64_t n, double width, double share, std::uint64_t most) {
  const double needed = std::ceil(static_cast<double>(n) * (width / share) * (width / share));
  const double capped = std::min(needed, 2.0 * static_cast<double>(n));
  const std::uint64_t in_steps = (static_cast<std::uint64_t>(capped) + replicates_step - 1) /
                                 replicates_step * replicates_step;
  return std::min(std::max(in_steps, n + replicates_step), most);
}

/// The rows of these jobs among the first `n` replicates; none where one is not there.
std::optional<std::vector<const Record*>> first_rows(std::span<const Job> jobs, std::uint64_t n,
                                                     const RowsByKey& rows) {
  std::vector<const Record*> result;
  for (const Job& job : jobs) {
    if (job.replicate >= n) continue;
    const auto row = rows.find(job.key);
    if (row == rows.end()) return std::nullopt;
    result.push_back(&row->second);
  }
  return result;
}

/// How many replicates a setting of these jobs asks for.
std::uint64_t asked_replicates(std::span<const Job> jobs, const RowsByKey& rows, double share,
                               std::uint64_t most) {
  std::uint64_t n = std::min(SweepPrecision::first_replicates, most);
  while (n < most) {
    const auto there = first_rows(jobs, n, rows);
    if (!there) break;
    const double width = widest_of(*there);
    if (width <= share) break;
    n = more_replicates(n, width, share, most);
  }
  return n;
}

}  // namespace

std::vector<bool> SweepPrecision::asked(const RowsByKey& rows) const {
  std::vector<bool> result(study_.jobs.size(), false);
  std::size_t begin = 0;
  for (const SweepPoint& point : study_.points) {
    const std::span<const Job> jobs(study_.jobs.data() + begin, point.rows);
    const std::uint64_t n = asked_replicates(jobs, rows, share_, most_);
    for (std::size_t i = 0; i < jobs.size(); ++i) result[begin + i] = jobs[i].replicate < n;
    begin += point.rows;
  }
  return result;
}

std::string SweepPrecision::note_on_imprecise(const std::vector<Record>& records,
                                              const std::vector<bool>& asked) const {
  std::size_t imprecise = 0;
  std::string first;
  std::size_t job = 0;
  auto record = records.begin();
  for (const SweepPoint& point : study_.points) {
    std::vector<const Record*> rows;
    for (const std::size_t end = job + point.rows; job < end; ++job) {
      if (asked[job]) rows.push_back(&*record++);
    }
    if (widest_of(rows) <= share_) continue;
    if (imprecise++ == 0) first = fmt::format("{} on {}", point.workload, point.platform);
  }
  if (imprecise == 0) return "";
  return fmt::format("note: {} not reached {:.6g} % with {} replicates{}: {}",
                     imprecise == 1 ? "1 setting has" : fmt::format("{} settings have", imprecise),
                     100 * share_, most_, imprecise == 1 ? "" : ", the first of them", first);
}

double parse_precision(const std::string& option, const std::string& text) {
  constexpr double least = 0.01;
  constexpr double most = 50;
  std::optional<double> percents;
  if (text.ends_with('%')) percents = parse_number(text.substr(0, text.size() - 1));
  if (percents && *percents >= least && *percents <= most) return *percents / 100;
  throw InvalidInput(fmt::format("{} '{}': give a share of the mean from {}% to {}%, as 1%", option,
                                 text, least, most));
}

}  // namespace damocles
