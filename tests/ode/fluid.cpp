#include "tests/ode/fluid.hpp"

#include <boost/numeric/odeint.hpp>
#include <boost/numeric/odeint/external/eigen/eigen.hpp>
#include <cmath>

namespace damocles {
namespace {

namespace odeint = boost::numeric::odeint;
using State = Eigen::VectorXd;

/// dg_k/dz for x_k = z X_k, z from 0 to 1, so that all processors reach the switch X_k together:
/// dg/dx = -d alpha x^(d-1) g / (1 - x^d), times dx/dz = X_k.
struct RightHandSide {
  int dimensions;
  Eigen::ArrayXd alpha;
  Eigen::ArrayXd end;  // X_k

  void operator()(const State& g, State& slope, double z) const {
    const Eigen::ArrayXd x = z * end;
    const Eigen::ArrayXd lower = x.pow(dimensions - 1);
    slope = (-dimensions * alpha * lower * g.array() * end / (1 - lower * x)).matrix();
  }
};

RightHandSide right_hand_side(int dimensions, std::span<const double> relative_speeds,
                              double beta) {
  const auto p = static_cast<Eigen::Index>(relative_speeds.size());
  RightHandSide result{dimensions, Eigen::ArrayXd(p), Eigen::ArrayXd(p)};
  for (Eigen::Index k = 0; k < p; ++k) {
    const double share = relative_speeds[static_cast<std::size_t>(k)];
    result.alpha[k] = 1 / share - 1;
    result.end[k] = known_fraction(dimensions, beta, share);
  }
  return result;
}

}  // namespace

double open_fraction(int dimensions, double alpha, double x) {
  return std::pow(1 - std::pow(x, dimensions), alpha);
}

double time_fraction(int dimensions, double alpha, double x) {
  return 1 - open_fraction(dimensions, alpha + 1, x);
}

double known_fraction(int dimensions, double beta, double relative_speed) {
  return std::pow(-std::expm1(-beta * relative_speed), 1.0 / dimensions);
}

Eigen::VectorXd integrate_open_fractions(int dimensions, std::span<const double> relative_speeds,
                                         double beta, double tolerance) {
  const auto system = right_hand_side(dimensions, relative_speeds, beta);
  State g = State::Ones(system.alpha.size());
  using Stepper =
      odeint::runge_kutta_dopri5<State, double, State, double, odeint::vector_space_algebra>;
  odeint::integrate_adaptive(odeint::make_controlled<Stepper>(tolerance, tolerance), system, g, 0.0,
                             1.0, 0.01);
  return g;
}

Eigen::VectorXd integrate_open_fractions_fixed(int dimensions,
                                               std::span<const double> relative_speeds, double beta,
                                               int steps) {
  const auto system = right_hand_side(dimensions, relative_speeds, beta);
  State g = State::Ones(system.alpha.size());
  odeint::runge_kutta4<State, double, State, double, odeint::vector_space_algebra> stepper;
  const double step = 1.0 / steps;
  for (int i = 0; i < steps; ++i) stepper.do_step(system, g, i * step, step);
  return g;
}

}  // namespace damocles
