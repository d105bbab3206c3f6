#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/workload.hpp"

namespace damocles {

/// Processors of one relative speed.
struct SpeedGroup {
  double share;  ///< rs_k [1], relative speed of each
  double count;  ///< how many of them
};

/// How speeds drift while tasks are computed (dyn.x): after each, s <- max(1, s (1 + u)).
struct Drift {
  double reach;       ///< u is uniform in [-reach, reach]
  double mean_speed;  ///< of all processors at the start [tasks/s]: where the floor of 1 lies
};

/// What the analysis knows of a run: the grid and the relative speeds, equal ones grouped.
///
/// Everything is said in L_k = -ln(1 - A_k), where A_k is the share of the task grid that processor
/// k covers (the tasks all of whose data it holds). The fluid limit is L_k = rs_k tau with e^(-tau)
/// the share of tasks still open, for any shape of grid: see docs/explanation/theory.md.
class Problem {
 public:
  Problem(const Workload& workload, std::span<const double> relative_speeds);
  /// The same with what the platform says of drift. @pre its memory is not limited
  Problem(const Workload& workload, const Platform& platform);

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const std::vector<SpeedGroup>& groups() const { return groups_; }
  /// Nothing where speeds stay as they are. Only the model `ode` asks.
  [[nodiscard]] const std::optional<Drift>& drift() const { return drift_; }
  [[nodiscard]] double processors() const;
  /// The same run on as many processors of equal speed, drift included.
  [[nodiscard]] Problem with_equal_speeds() const;
  /// Speeds that lie within a factor `within` of one another taken for their mean, from the slowest
  /// on; the balanced bound stays. Loads are concave in a speed, about as its square root, so they
  /// rise by at most 1 + (within - 1)^2 / 96: 5e-5 for a factor 1.07. @pre within >= 1
  [[nodiscard]] Problem with_fewer_speeds(double within) const;
  [[nodiscard]] int dimensions() const { return workload_.dimensions(); }
  [[nodiscard]] double extent(int index) const {
    return static_cast<double>(workload_.extent(index));
  }
  [[nodiscard]] double tasks() const { return static_cast<double>(workload_.tasks()); }
  /// Open tasks at which phase 2 starts: the largest whole number of at most e^-beta of all tasks.
  [[nodiscard]] double tasks_left(double beta) const {
    return std::floor(std::exp(-beta) * tasks());
  }
  [[nodiscard]] double balanced_bound() const { return balanced_bound_; }
  /// Whether all extents are equal, as in the paper.
  [[nodiscard]] bool square() const;

  /// Known indices in each dimension when -ln(1 - A) = L: equal, until a dimension is known whole.
  [[nodiscard]] std::array<double, 3> sides(double L) const;
  /// Data held at L: 2n sqrt(A) or 3n^2 A^(2/3) on the paper's grids.
  [[nodiscard]] double data(double L) const;
  /// d data / dL.
  [[nodiscard]] double data_slope(double L) const;
  /// dL/da: what one step, which adds an index in each dimension, adds to L.
  [[nodiscard]] double step(double L) const;

 private:
  Workload workload_;
  std::vector<SpeedGroup> groups_;
  std::optional<Drift> drift_;
  double balanced_bound_;
};

}  // namespace damocles
