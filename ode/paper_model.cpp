#include <cmath>

#include "ode/model.hpp"

namespace damocles {
namespace {

/// Sum over the processors of rs_k^power.
double power_sum(const Problem& problem, double power) {
  double sum = 0;
  for (const auto& group : problem.groups()) sum += group.count * std::pow(group.share, power);
  return sum;
}

/// Theorem 6 (d = 2) and section 4.2 (d = 3) in one form, e = 1 - 1/d:
///   ratio = beta^e - c beta^(e+1) S_(e+1)/S_e + e^(-beta) n (1 - beta^e S_(e+1)) / S_e
/// with S_q = sum rs_k^q, and c = 1/4 for d = 2; for d = 3 the paper prints 1, the expansion gives
/// 1/3. Nothing where that is less than any run loads: there beta rs_k is not small.
std::optional<Prediction> first_order(const Problem& problem, double beta, double c) {
  if (!problem.square() || std::isinf(beta)) return std::nullopt;
  const double n = problem.extent(0);
  const double e = 1 - 1.0 / problem.dimensions();
  const double S = power_sum(problem, e);
  const double S1 = power_sum(problem, e + 1);
  const double phase1 = std::pow(beta, e) - c * std::pow(beta, e + 1) * S1 / S;
  const double phase2 = std::exp(-beta) * n * (1 - std::pow(beta, e) * S1) / S;
  const double bound = problem.balanced_bound();
  if (!(phase1 + phase2 >= 1) || !std::isfinite(phase1 + phase2)) return std::nullopt;
  return Prediction{possible_loads(problem, (phase1 + phase2) * bound),
                    possible_loads(problem, phase1 * bound), -std::expm1(-beta), std::nullopt};
}

}  // namespace

std::optional<Prediction> predict_paper(const Problem& problem, double beta) {
  if (problem.tasks() < problem.processors()) return std::nullopt;
  return first_order(problem, beta, problem.dimensions() == 2 ? 0.25 : 1);
}

std::optional<Prediction> predict_corrected(const Problem& problem, double beta) {
  if (problem.tasks() < problem.processors()) return std::nullopt;
  return first_order(problem, beta, problem.dimensions() == 2 ? 0.25 : 1.0 / 3);
}

namespace {

std::string off_squares(const Problem& problem, double beta) {
  if (auto why = without_work(problem, beta); !why.empty()) return why;
  if (!problem.square()) return "the paper's formulas are of equal extents, m = n = k";
  return std::isinf(beta) ? "the paper's formulas have no limit for beta to infinity" : "";
}

/// First order in beta rs_k, and each datum of phase 2 counted as often as it is met.
ValidatedDomain first_order_domain(double expected_error) {
  return {.expected_error = expected_error,
          .limits = {{DomainQuantity::tasks_a_processor, 25},
                     {DomainQuantity::speed_ratio, 30},
                     {DomainQuantity::left_a_processor, 2},
                     {DomainQuantity::drawn_on_a_line, 0.1},
                     {DomainQuantity::growth, 0.3}}};
}

const Register paper_models{
    Model{.name = "paper",
          .place = 1,
          .summary = "formulas of HPDC'14 as printed (first order in the relative speeds)",
          .predict = predict_paper,
          .why_unavailable = off_squares,
          .domain = first_order_domain(0.08)},
    Model{.name = "corrected",
          .place = 2,
          .summary = "the same with the factor 1/3 that the printed matrix formula lacks",
          .predict = predict_corrected,
          .why_unavailable = off_squares,
          .domain = first_order_domain(0.015)}};

}  // namespace
}  // namespace damocles
