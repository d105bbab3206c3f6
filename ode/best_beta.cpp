#include "ode/best_beta.hpp"

#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace damocles {
namespace {

double loads(const Model& model, const Problem& problem, double beta) {
  const auto prediction = model.predict(problem, beta);
  return prediction ? prediction->loads : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<double> best_beta(const Model& model, const Problem& problem) {
  // The first-order formulas turn down again, below zero, once beta rs_k is no longer small: the
  // minimum meant is the first valley.
  constexpr int scan = 48;
  const double last = std::log(problem.tasks());
  double before = std::numeric_limits<double>::infinity();
  double here = loads(model, problem, last / scan);
  for (int i = 1; i < scan; ++i) {
    const double beta = last * i / scan;
    const double after = loads(model, problem, last * (i + 1) / scan);
    // A formula that stops saying anything has no valley there.
    if (here <= before && here < after && std::isfinite(before) && std::isfinite(after)) {
      const auto [best, value] = boost::math::tools::brent_find_minima(
          [&](double b) { return loads(model, problem, b); }, beta - last / scan,
          beta + last / scan, std::numeric_limits<double>::digits / 2);
      return std::isfinite(value) ? std::optional(best) : std::nullopt;
    }
    before = here;
    here = after;
  }
  return std::nullopt;
}

std::optional<BestBeta> solve_best_beta(const Model& model, const Problem& problem) {
  const auto best = best_beta(model, problem);
  const auto equal = best_beta(model, problem.with_equal_speeds());
  if (!best || !equal) return std::nullopt;
  const auto prediction = *model.predict(problem, *best);
  const double at_equal = loads(model, problem, *equal);
  if (!std::isfinite(at_equal)) return std::nullopt;
  return BestBeta{*best, prediction.loads / problem.lower_bound(), prediction.phase1_fraction,
                  *equal, at_equal / problem.lower_bound()};
}

}  // namespace damocles
