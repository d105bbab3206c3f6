#pragma once

#include <array>
#include <span>
#include <vector>

#include "models/workload.hpp"

namespace damocles {

/// Processors of one relative speed.
struct SpeedGroup {
  double share;  ///< rs_k [1], relative speed of each
  double count;  ///< how many of them
};

/// What the analysis knows of a run: the grid and the relative speeds, equal ones grouped.
///
/// Everything is said in L_k = -ln(1 - A_k), where A_k is the share of the task grid that processor
/// k covers (the tasks all of whose data it holds). The fluid limit is L_k = rs_k tau with e^(-tau)
/// the share of tasks still open, for any shape of grid: see docs/theory.md.
class Problem {
 public:
  Problem(const Workload& workload, std::span<const double> relative_speeds);

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const std::vector<SpeedGroup>& groups() const { return groups_; }
  [[nodiscard]] int dimensions() const { return workload_.dimensions(); }
  [[nodiscard]] double extent(int index) const {
    return static_cast<double>(workload_.extent(index));
  }
  [[nodiscard]] double tasks() const { return static_cast<double>(workload_.tasks()); }
  [[nodiscard]] double lower_bound() const { return lower_bound_; }
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
  double lower_bound_;
};

}  // namespace damocles
