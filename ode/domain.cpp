#include "ode/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace damocles {
namespace {

double fastest(const Problem& problem) {
  double share = 0;
  for (const auto& group : problem.groups()) share = std::max(share, group.share);
  return share;
}

double slowest(const Problem& problem) {
  double share = 1;
  for (const auto& group : problem.groups()) share = std::min(share, group.share);
  return share;
}

double shortest(const Problem& problem) {
  double side = problem.extent(0);
  for (int i = 1; i < problem.dimensions(); ++i) side = std::min(side, problem.extent(i));
  return side;
}

double longest(const Problem& problem) {
  double side = problem.extent(0);
  for (int i = 1; i < problem.dimensions(); ++i) side = std::max(side, problem.extent(i));
  return side;
}

/// How a quantity is measured, and said.
struct Measured {
  double (*of)(const Problem& problem, double beta);
  bool at_least;       ///< the bound is the smallest value, else the largest
  const char* value;   ///< in words, of one run
  const char* domain;  ///< in words, of the bound
};

/// In the order of DomainQuantity.
constexpr std::array<Measured, 8> quantities{{
    {[](const Problem& p, double) { return p.tasks() / p.processors(); }, true,
     "{:.3g} tasks a processor", "{:g} or more tasks a processor"},
    {[](const Problem& p, double) { return fastest(p) / slowest(p); }, false, "speeds of 1:{:.3g}",
     "speeds up to 1:{:g}"},
    {[](const Problem& p, double) { return longest(p) / shortest(p); }, false, "sides of 1:{:.3g}",
     "sides up to 1:{:g}"},
    {[](const Problem& p, double) { return shortest(p); }, true, "a side of {:g} blocks",
     "sides of {:g} or more blocks"},
    {[](const Problem& p, double beta) { return p.tasks_left(beta) / p.processors(); }, true,
     "{:.3g} tasks a processor left to phase 2", "{:g} or more tasks a processor left to phase 2"},
    {[](const Problem& p, double beta) {
       return p.tasks_left(beta) / p.tasks() * longest(p) / p.processors();
     },
     false, "{:.3g} phase-2 tasks of a processor in a row or column of the grid",
     "at most {:g} phase-2 tasks of a processor in a row or column of the grid"},
    {[](const Problem& p, double beta) { return std::min(beta, std::log(p.tasks())) * fastest(p); },
     false, "beta times the largest share of the speed of {:.3g}",
     "beta times the largest share of the speed at most {:g}"},
    {[](const Problem& p, double) { return p.tasks(); }, false, "{:.3g} tasks",
     "at most {:g} tasks"},
}};

const Measured& measured(DomainQuantity quantity) {
  return quantities.at(static_cast<std::size_t>(quantity));
}

}  // namespace

std::string why_outside(const ValidatedDomain& domain, const Problem& problem, double beta) {
  // One processor loads everything once.
  if (problem.processors() == 1) return "";
  if (problem.drift() && !domain.drift) return "speeds that drift, validated for constant ones";
  for (const auto& [quantity, bound] : domain.limits) {
    const Measured& how = measured(quantity);
    const double value = how.of(problem, beta);
    if (how.at_least ? value >= bound : value <= bound) continue;
    return fmt::format("{}, validated {} {}{:g}", fmt::format(fmt::runtime(how.value), value),
                       how.at_least ? "from" : "up to",
                       std::string_view(how.value).find("1:") != std::string_view::npos ? "1:" : "",
                       bound);
  }
  return "";
}

std::string in_words(const ValidatedDomain& domain) {
  std::string text = domain.drift ? "" : "constant speeds";
  for (const auto& [quantity, bound] : domain.limits) {
    text += text.empty() ? "" : ", ";
    text += fmt::format(fmt::runtime(measured(quantity).domain), bound);
  }
  return text.empty() ? "all runs" : text;
}

}  // namespace damocles
