#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/rng.hpp"
#include "models/spec.hpp"
#include "models/task_lines.hpp"

namespace damocles {

/// What `hybrid` decides before the start, from its options.
class StaticStart {
 public:
  /// The largest error: estimates of 0 would leave no zones.
  static constexpr double most_wrong = 0.99;

  /// @throws InvalidInput on an option out of range
  explicit StaticStart(const Spec& spec);

  /// Each estimated speed is the true one times a factor in [1 - error, 1 + error].
  [[nodiscard]] double error() const { return error_; }

  /// Relative speeds as they are estimated: each times a factor drawn in [1 - error, 1 + error].
  ///
  /// @param speeds  true, in any unit, shape (p)
  /// @return        shape (p), sums to 1; where error is 0 nothing is drawn
  [[nodiscard]] std::vector<double> estimated(std::vector<double> speeds, Rng& rng) const;

  /// The zones of a grid under estimated speeds, by the partition that the option `zones` names: of
  /// the outer product `columns` or `nrrp`, of the matrix product `cuboids`; where it names none,
  /// the one that reads fewest.
  ///
  /// @param relative_speeds  as estimated, shape (p), sums to 1
  /// @return                 shape (p)
  [[nodiscard]] std::vector<TaskLines> zones(const Workload& workload,
                                             std::span<const double> relative_speeds) const;

  /// How many tasks of its zone a processor computes whatever happens: the option `share` of them,
  /// or what safe_share() allows.
  [[nodiscard]] std::uint64_t kept(const TaskLines& zone, double relative_speed,
                                   const Workload& workload) const;

  /// Why the options do not fit the workload, or "".
  static std::string misfit(const Spec& spec, const Workload& workload);

 private:
  double error_;
  double assumed_;  // what the share is to be safe against: speeds so far from their estimates
  std::optional<double> share_;
  std::string partition_;
};

/// The largest part of what its estimated speed gives a processor that it computes before all
/// processors together could have computed everything, however the estimates are wrong.
///
/// Let true speeds be x_q (summing to 1, so that all is done at time 1 at best) and estimates
/// proportional to x_q f_q, 1 - e <= f_q <= 1 + e. Its part z = x f / D of the tasks, D the sum of
/// all x_q f_q, takes it z / x = f / D; as sum x_q = 1, 1 / D is the sum of z_q / f_q over all q.
/// So the share may be D / f = 1 / (z + f sum of the others' z_q / f_q), which is least where it is
/// thought too fast (f = 1 + e) and all others too slow (1 - e): 1 / (z + (1 - z) (1 + e) / (1 -
/// e)). It is attained there: no larger share is safe.
///
/// @param estimate  z, its relative speed as estimated [1], in (0, 1]
/// @param error     e, in [0, 1)
/// Source: ours. Checked by tests/models/static_start_test.cpp.
[[nodiscard]] double safe_share(double estimate, double error);

}  // namespace damocles
