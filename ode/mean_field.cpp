#include "ode/mean_field.hpp"

#include <algorithm>
#include <boost/numeric/odeint/algebra/vector_space_algebra.hpp>
#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/generation/generation_controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation/generation_runge_kutta_dopri5.hpp>
#include <boost/numeric/odeint/stepper/generation/make_controlled.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>

// After those, whose templates it specialises.
#include <boost/numeric/odeint/external/eigen/eigen.hpp>
#include <cmath>

namespace damocles {
namespace {

namespace odeint = boost::numeric::odeint;

}  // namespace

MeanField::MeanField(const SpeedLaw& law, double tasks, double beta)
    : law_(law), tasks_(tasks), beta_(beta), state_(State::Zero(law.speed.size(), columns)) {
  state_.col(mass) = law.initial;
  state_.col(start) = law.initial * law.speed;
}

Eigen::ArrayXd MeanField::shares(const Eigen::Ref<const State>& state) const {
  const auto f = state.col(mass);
  const double mean = (f * law_.speed).sum();
  // What a processor now on this rung is expected to have: its speed at the start, less what all
  // have lost. The rest of the total is the others'.
  const double lost = mean / state.col(start).sum();
  // Where hardly anybody is, rounding is all there is to divide: there, what the rung itself has.
  constexpr double nobody = 1e-12;
  const double highest = law_.speed.maxCoeff();
  const Eigen::ArrayXd expected =
      ((state.col(start) * lost + nobody * law_.speed) / (f.max(0.0) + nobody))
          .max(0.0)
          .min(highest);
  const Eigen::ArrayXd raw = law_.speed / (law_.processors * mean + law_.speed - expected);
  return raw / (law_.processors * (f * raw).sum());
}

void MeanField::slope(const Flat& at, Flat& result, double tau, bool phase2) const {
  const Eigen::Index rungs = law_.speed.size();
  const Eigen::Map<const State> state(at.data(), rungs, columns);
  Eigen::Map<State> rate(result.data(), rungs, columns);
  const Eigen::ArrayXd r = shares(state);
  // Tasks a unit of tau, and the time they take here.
  const double granted = tasks_ * std::exp(-tau);
  const Eigen::ArrayXd duration = granted * r / law_.speed;
  const Eigen::ArrayXd climb = duration * law_.climb;
  const Eigen::ArrayXd fall = duration * law_.fall;
  rate = -(state.colwise() * (climb + fall));
  rate.bottomRows(rungs - 1) += state.topRows(rungs - 1).colwise() * climb.head(rungs - 1);
  rate.topRows(rungs - 1) += state.bottomRows(rungs - 1).colwise() * fall.tail(rungs - 1);
  if (phase2) {
    const Eigen::ArrayXd drawn = r * std::exp(beta_ - tau);
    rate.col(D) += drawn * state.col(mass);
    rate.col(D2) += 2 * drawn * state.col(D);
    rate.col(LD) += drawn * state.col(L);
  } else {
    rate.col(L) += r * state.col(mass);
    rate.col(L2) += 2 * r * state.col(L);
  }
  result[result.size() - 1] = granted / (law_.processors * (state.col(mass) * law_.speed).sum());
}

template <typename Integrate>
void MeanField::run(double tau, const Integrate& integrate) {
  Flat flat(state_.size() + 1);
  flat.head(state_.size()) = state_.reshaped().matrix();
  flat[state_.size()] = time_;
  // The right-hand side jumps at the switch: each phase is integrated by itself.
  for (const bool phase2 : {false, true}) {
    const double end = phase2 ? tau : std::min(tau, beta_);
    if (end <= tau_) continue;
    const auto system = [&](const Flat& at, Flat& result, double now) {
      result.resize(at.size());
      slope(at, result, now, phase2);
    };
    integrate(system, flat, tau_, end);
    tau_ = end;
  }
  state_ = flat.head(state_.size()).reshaped(state_.rows(), columns).array();
  time_ = flat[state_.size()];
}

void MeanField::advance(double tau, double tolerance) {
  using Stepper =
      odeint::runge_kutta_dopri5<Flat, double, Flat, double, odeint::vector_space_algebra>;
  run(tau, [&](const auto& system, Flat& flat, double from, double to) {
    odeint::integrate_adaptive(odeint::make_controlled<Stepper>(tolerance, tolerance), system, flat,
                               from, to, std::min(0.01, to - from));
  });
}

void MeanField::advance_fixed(double tau, int steps) {
  run(tau, [&](const auto& system, Flat& flat, double from, double to) {
    odeint::runge_kutta4<Flat, double, Flat, double, odeint::vector_space_algebra> stepper;
    const double step = (to - from) / steps;
    for (int i = 0; i < steps; ++i) stepper.do_step(system, flat, from + i * step, step);
  });
}

}  // namespace damocles
