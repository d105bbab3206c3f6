#pragma once

#include <Eigen/Core>
#include <functional>

#include "ode/speed_law.hpp"

namespace damocles {

/// The mean field at one instant: what the processors on each rung of the speed law have met.
///
/// With tau = -ln(share of tasks open), a processor of the share r of the total speed meets
/// dL = r dtau, L = -ln(1 - covered share). Speeds that drift make L random: its first two moments
/// are carried along with the law of the speeds, and so are those of D, the share of the tasks of
/// phase 2 that the processor draws. docs/explanation/theory.md, section 11.
class MeanField {
 public:
  /// The columns of the state, one entry a rung; moments are times `mass`.
  enum Column { mass, start, L, L2, D, D2, LD, columns };
  using State = Eigen::ArrayXXd;  ///< shape (rungs, columns)

  /// `law` outlives it. @param tasks  of the workload  @param beta  of the switch; > 0, may be
  /// infinite
  MeanField(const SpeedLaw& law, double tasks, double beta);

  [[nodiscard]] double tau() const { return tau_; }
  /// Time, in tasks at the mean speed of the start.
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] const State& state() const { return state_; }
  /// r on each rung [1]; times mass and processors they sum to 1.
  [[nodiscard]] Eigen::ArrayXd shares() const { return shares(state_); }
  [[nodiscard]] double processors() const { return law_.processors; }

  /// Integrates to tau >= tau() by Boost.Odeint's adaptive Dormand-Prince 5(4).
  void advance(double tau, double tolerance = 1e-8);
  /// The same by `steps` equal classical Runge-Kutta steps, to observe the order.
  void advance_fixed(double tau, int steps);

 private:
  using Flat = Eigen::VectorXd;  ///< state and time, as Odeint wants it

  /// Of the total speed, where the others have of theirs what is left on average.
  [[nodiscard]] Eigen::ArrayXd shares(const Eigen::Ref<const State>& state) const;
  void slope(const Flat& at, Flat& result, double tau, bool phase2) const;
  template <typename Integrate>
  void run(double tau, const Integrate& integrate);

  const SpeedLaw& law_;
  double tasks_;
  double beta_;
  double tau_ = 0;
  double time_ = 0;
  State state_;
};

}  // namespace damocles
