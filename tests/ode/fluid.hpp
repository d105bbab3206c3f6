#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "ode/problem.hpp"

namespace damocles {

/// Share of the tasks not covered by processor k that are still open when it covers the fraction x
/// of each dimension of a square grid of d dimensions.
///
/// Solves dg/dx = -d alpha x^(d-1) g / (1 - x^d), g(0) = 1; the closed form is (1 - x^d)^alpha.
///
/// @param alpha  total speed of the other processors over this one's [1], >= 0: 1/rs_k - 1
/// @param x      fraction of the indices known [1], in [0, 1]
/// Source: HPDC'14 Lemma 1 (d = 2) and section 4.2 (d = 3). Checked by tests/ode/fluid_test.cpp.
[[nodiscard]] double open_fraction(int dimensions, double alpha, double x);

/// Fraction of the total work done when processor k covers x: 1 - (1 - x^d)^(alpha + 1).
/// Source: HPDC'14 Lemmas 2 and 8 (t_k(x) sum of s_i over n^d; Lemma 8 is printed without the n^d).
[[nodiscard]] double time_fraction(int dimensions, double alpha, double x);

/// x_k when e^(-beta) of the tasks are open: (1 - e^(-beta rs_k))^(1/d), exactly and for every k.
[[nodiscard]] double known_fraction(int dimensions, double beta, double relative_speed);

/// Lemma 1 without its closed form: dg_k/dx integrated for every k at once, one component a
/// processor, from 0 to the x_k of the switch, by Boost.Odeint's adaptive Dormand-Prince 5(4) on an
/// Eigen vector.
///
/// @param relative_speeds  shape (p)
/// @param beta             where to stop, >= 0
/// @param tolerance        absolute and relative error a step
/// @return                 g_k at x_k(beta), shape (p)
[[nodiscard]] Eigen::VectorXd integrate_open_fractions(int dimensions,
                                                       std::span<const double> relative_speeds,
                                                       double beta, double tolerance);

/// The same with `steps` equal classical Runge-Kutta steps, to observe the order of convergence.
[[nodiscard]] Eigen::VectorXd integrate_open_fractions_fixed(
    int dimensions, std::span<const double> relative_speeds, double beta, int steps);

}  // namespace damocles
