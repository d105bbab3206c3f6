#include "models/bounds/area_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace damocles {
namespace {

/// What is below this, of numbers about 1, is rounding.
constexpr double nothing = 1e-12;

/// The linear program of dual_prices() as a simplex tableau, the times in units of the
/// largest: a column for each x_kq, then T, then the slack of each kind of processors; a row for
/// each kind of tasks, then one for each of processors, then the costs.
class Tableau {
 public:
  explicit Tableau(const Areas& areas)
      : tasks_(areas.times.size()),
        kinds_(areas.processors.size()),
        columns_(tasks_ * kinds_ + 1 + kinds_),
        rows_(tasks_ + kinds_ + 1, std::vector<double>(columns_ + 1, 0)),
        runs_(columns_, true),
        basic_(tasks_ + kinds_) {
    double largest = 0;
    for (const auto& times : areas.times) {
      for (const double time : times)
        largest = std::isfinite(time) ? std::max(largest, time) : largest;
    }
    for (std::size_t k = 0; k < tasks_; ++k) {
      for (std::size_t q = 0; q < kinds_; ++q) {
        runs_[x(k, q)] = std::isfinite(areas.times[k][q]);
        if (!runs_[x(k, q)]) continue;
        rows_[k][x(k, q)] = 1;
        rows_[capacity(q)][x(k, q)] = areas.times[k][q] / largest;
      }
      rows_[k][columns_] = 1;
    }
    for (std::size_t q = 0; q < kinds_; ++q) {
      rows_[capacity(q)][makespan()] = -areas.processors[q];
      rows_[capacity(q)][slack(q)] = 1;
      basic_[capacity(q)] = slack(q);
    }
    rows_.back()[makespan()] = 1;
    begin(areas);
  }

  /// Until no column is worth a pivot; or, should rounding let it go in circles, for so long.
  void solve() {
    for (std::size_t left = 64 * columns_; left > 0; --left) {
      const std::size_t enters = cheapest();
      if (enters == columns_) return;
      const std::size_t leaves = leaving(enters);
      if (leaves == basic_.size()) return;
      pivot(leaves, enters);
    }
  }

  /// The dual variables of the capacities, which are the costs of their slacks.
  [[nodiscard]] std::vector<double> worth() const {
    std::vector<double> result;
    for (std::size_t q = 0; q < kinds_; ++q) {
      result.push_back(std::max(0.0, rows_.back()[slack(q)]));
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t x(std::size_t k, std::size_t q) const { return k * kinds_ + q; }
  [[nodiscard]] std::size_t makespan() const { return tasks_ * kinds_; }
  [[nodiscard]] std::size_t slack(std::size_t q) const { return makespan() + 1 + q; }
  [[nodiscard]] std::size_t capacity(std::size_t q) const { return tasks_ + q; }

  /// The first basis: each kind of tasks where it takes least, and T what the last then needs.
  void begin(const Areas& areas) {
    std::vector<double> load(kinds_, 0);
    for (std::size_t k = 0; k < tasks_; ++k) {
      const auto& times = areas.times[k];
      const auto q =
          static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
      load[q] += times[q] / areas.processors[q];
      pivot(k, x(k, q));
    }
    const auto last = std::max_element(load.begin(), load.end()) - load.begin();
    pivot(capacity(static_cast<std::size_t>(last)), makespan());
  }

  /// Bland's rule: of the columns that would lower T the first; columns_ where none would.
  [[nodiscard]] std::size_t cheapest() const {
    for (std::size_t column = 0; column < columns_; ++column) {
      if (runs_[column] && rows_.back()[column] < -nothing) return column;
    }
    return columns_;
  }
  /// Of the rows that would be exhausted first, that of the first column. There is one, but for
  /// rounding, as T cannot fall for ever.
  [[nodiscard]] std::size_t leaving(std::size_t enters) const {
    std::size_t first = basic_.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t row = 0; row < basic_.size(); ++row) {
      if (rows_[row][enters] <= nothing) continue;
      const double ratio = rows_[row][columns_] / rows_[row][enters];
      const bool ties = first < basic_.size() && ratio == least && basic_[row] < basic_[first];
      if (ratio < least || ties) {
        first = row;
        least = ratio;
      }
    }
    return first;
  }
  void pivot(std::size_t row, std::size_t enters) {
    auto& with = rows_[row];
    const double by = with[enters];
    for (double& entry : with) entry /= by;
    for (std::size_t other = 0; other < rows_.size(); ++other) {
      const double factor = rows_[other][enters];
      if (other == row || factor == 0) continue;
      for (std::size_t column = 0; column <= columns_; ++column) {
        rows_[other][column] -= factor * with[column];
      }
    }
    basic_[row] = enters;
  }

  std::size_t tasks_;
  std::size_t kinds_;
  std::size_t columns_;
  std::vector<std::vector<double>> rows_;  // the last column: what the basic variables are
  std::vector<bool> runs_;                 // columns that there are
  std::vector<std::size_t> basic_;         // of each row
};

/// What the tasks take of each kind of processors: K kinds of them, summed.
Areas areas_of(const TaskGraph& graph, const Durations& durations,
               const std::vector<Durations::Alike>& kinds) {
  Areas areas;
  for (const auto& kind : kinds) areas.processors.push_back(kind.count);
  const auto& of = graph.parts().task_kinds;
  std::vector<std::vector<double>> times(std::max<std::size_t>(1, graph.parts().kind_names.size()),
                                         std::vector<double>(kinds.size(), 0));
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    auto& sums = times[of.empty() ? 0 : of[task]];
    for (std::size_t q = 0; q < kinds.size(); ++q) sums[q] += durations.s(kinds[q].first, task);
  }
  for (auto& sums : times) {
    if (*std::min_element(sums.begin(), sums.end()) > 0) areas.times.push_back(std::move(sums));
  }
  return areas;
}

/// The bound by these worths; 0 where all are 0.
double bound_by(const std::vector<double>& worth, const TaskGraph& graph,
                const Durations& durations, const std::vector<Durations::Alike>& kinds) {
  double seconds = 0;
  for (std::size_t q = 0; q < kinds.size(); ++q) seconds += kinds[q].count * worth[q];
  if (!(seconds > 0)) return 0;
  double needed = 0;
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t q = 0; q < kinds.size(); ++q) {
      if (!durations.runs(kinds[q].first, task)) continue;
      least = std::min(least, durations.s(kinds[q].first, task) * worth[q]);
    }
    needed += least;
  }
  return needed / seconds;
}

}  // namespace

std::vector<double> dual_prices(const Areas& areas) {
  Tableau tableau(areas);
  tableau.solve();
  return tableau.worth();
}

double area_bound_s(const TaskGraph& graph, const Durations& durations) {
  const auto kinds = durations.alike();
  std::vector<double> by_rate;
  for (const auto& kind : kinds) by_rate.push_back(kind.rate);
  const double least = bound_by(by_rate, graph, durations, kinds);
  const Areas areas = areas_of(graph, durations, kinds);
  // A tableau of 10^6 numbers takes a second; so many kinds are not told apart.
  constexpr std::size_t most = 4096;
  if (areas.times.empty() || areas.times.size() * kinds.size() > most) return least;
  return std::max(least, bound_by(dual_prices(areas), graph, durations, kinds));
}

}  // namespace damocles
