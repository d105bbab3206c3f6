#include "ode/endgame_model.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <limits>

#include "models/bounds/grid_bound.hpp"

namespace damocles {
namespace {

constexpr std::size_t walked = 400;  // open tasks from which turns are followed one by one
constexpr double node_ratio = 1.2;

double covered(const Problem& problem, const std::array<double, 3>& sides) {
  double share = 1;
  for (int i = 0; i < problem.dimensions(); ++i) {
    share *= sides[static_cast<std::size_t>(i)] / problem.extent(i);
  }
  return std::min(1.0, share);
}

/// The box after so many more steps.
std::array<double, 3> grown(const Problem& problem, std::array<double, 3> sides, double steps) {
  for (int i = 0; i < problem.dimensions(); ++i) {
    double& side = sides[static_cast<std::size_t>(i)];
    side = std::min(problem.extent(i), side + steps);
  }
  return sides;
}

/// Steps of a search that are taken as one, odd: in large boxes one changes next to nothing, and a
/// search among few open tasks may take as many steps as the box has sides.
double alike(const Problem& problem, const std::array<double, 3>& sides) {
  constexpr double part = 1.0 / 512;  // of what is covered and of what is not
  double steps = std::numeric_limits<double>::infinity();
  for (int i = 0; i < problem.dimensions(); ++i) {
    const double side = sides[static_cast<std::size_t>(i)];
    const double left = problem.extent(i) - side;
    if (left > 0) steps = std::min(steps, part * std::min(side, left));
  }
  return steps < 1 || std::isinf(steps) ? 1 : 2 * std::floor((steps - 1) / 2) + 1;
}

}  // namespace

EndgameModel::EndgameModel(const Problem& problem) : problem_(problem), correlation_(problem) {
  const double all = problem.tasks();
  for (double r = 1; r < all; r = std::max(r + 1, std::round(r * node_ratio))) add_node(r);
  add_node(all);
  walk();
}

void EndgameModel::add_node(double open) {
  using boost::math::digamma;
  const std::size_t node = open_.size();
  const std::size_t groups = problem_.groups().size();
  const double tau = digamma(problem_.tasks() + 1) - digamma(open + 1);
  open_.push_back(open);
  tau_.push_back(tau);
  fields_.push_back(correlation_.total(tau, tau));
  taken_.emplace_back(groups);
  double turns = 0;
  Turn mean;
  for (std::size_t g = 0; g < groups; ++g) {
    const auto& group = problem_.groups()[g];
    const Turn here = turn(g, group.share * tau, node);
    taken_[node][g] = here;
    const double weight = group.count * group.share / here.tasks;
    turns += weight;
    mean.tasks += weight * here.tasks;
    mean.excess += weight * here.excess;
  }
  mean.tasks /= turns;
  mean.excess /= turns;
  mean_.push_back(mean);
}

StepLaw EndgameModel::step(const Correlation::Excess& field, const std::array<double, 3>& from,
                           const std::array<double, 3>& to, double open) const {
  const auto dimensions = static_cast<unsigned>(problem_.dimensions());
  const unsigned full = (1U << dimensions) - 1;
  const double before = covered(problem_, from);
  const double mean = open * (covered(problem_, to) - before) / (1 - before);
  // Who shares what with a task found through a new index of dimension i: cells outside the box,
  // weighted with how much likelier they are open than independence says.
  double together = 0;
  double alone = 0;
  double growth = 0;
  std::array<double, 3> grows{};
  for (unsigned i = 0; i < dimensions; ++i) {
    grows[i] = (to[i] - from[i]) / std::max(to[i], 1e-300);
    growth += grows[i];
  }
  for (unsigned i = 0; i < dimensions; ++i) {
    if (grows[i] <= 0) continue;
    double with = 0;
    double all = 0;
    for (unsigned shared = 0; shared < full; ++shared) {
      double box = 1;
      double cells = 1;
      for (unsigned j = 0; j < dimensions; ++j) {
        if ((shared >> j & 1U) != 0) continue;
        cells *= problem_.extent(static_cast<int>(j)) - 1;
        box *= j == i ? from[j] : std::max(0.0, from[j] - 1);
      }
      const double weight = std::exp(field[shared]);
      const bool found = (shared >> i & 1U) != 0;
      if (found) with += weight * box;
      all += weight * std::max(0.0, found ? cells : cells - box);
    }
    const double share = grows[i] / growth;
    together += share * (all > 0 ? with / all : 0);
    alone += share * share;
  }
  const double excess = (open - 1) * together + (1 - alone) * mean * (open - 1) / open - mean;
  return {mean, std::max(excess, -0.999999)};
}

Turn EndgameModel::turn(std::size_t g, double L, std::size_t node) const {
  const double tau = tau_[node];
  const double open = open_[node];
  Correlation::Excess field = fields_[node];
  const auto own = correlation_.of(g, tau, tau);
  for (std::size_t i = 0; i < field.size(); ++i) field[i] -= own[i];

  auto side = problem_.sides(L);
  const double data = box_data(problem_.workload(), side);
  Turn result;
  double searching = 1;  // chance that the search goes on
  while (searching > 1e-9) {
    const double steps = alike(problem_, side);
    const auto middle = grown(problem_, side, std::floor(steps / 2));
    const auto next = grown(problem_, middle, 1);
    const double share = covered(problem_, next);
    const bool all = share > 1 - 1e-12;
    const StepLaw law = all ? StepLaw{open, 0} : step(field, middle, next, open);
    const double nothing = all ? 0 : law.nothing();
    const double found = searching * (1 - std::pow(nothing, steps));
    const double gained = box_data(problem_.workload(), next) - data;
    // Whoever knows all takes all that is left: what the others need L = 1 + 1/2 + ... + 1/r for.
    const double added = all ? std::log((open + 0.5) / 0.56) : -std::log1p(-share) - L;
    const double taken_steps = steps == 1 ? searching : found / (1 - nothing);
    result.tasks += taken_steps * law.mean;
    result.data += found * gained;
    result.data_square += found * gained * gained;
    result.L += found * added;
    result.L_square += found * added * added;
    result.excess += found * law.excess;
    searching -= found;
    side = steps == 1 ? next : grown(problem_, side, steps);
    if (all) break;
  }
  return result;
}

void EndgameModel::walk() {
  const auto last = static_cast<std::size_t>(std::min(problem_.tasks(), 2.0 * walked));
  starts_.assign(last + 1, 0);
  std::size_t node = nodes() - 1;
  for (std::size_t r = last; r > 0; --r) {
    const auto open = static_cast<double>(r);
    while (node > 0 && open_[node] > open) --node;
    const std::size_t above = std::min(node + 1, nodes() - 1);
    const double part = above == node ? 0 : (open - open_[node]) / (open_[above] - open_[node]);
    const auto between = [&](double a, double b) { return a + part * (b - a); };
    // Turns that start above `last` reach every number below equally often.
    const double tasks = between(mean_[node].tasks, mean_[above].tasks);
    if (r > last / 2 || r == last) starts_[r] = pace(node) / tasks;
    const auto law = StepLaw::finding(tasks, between(mean_[node].excess, mean_[above].excess));
    const auto chances = law.found(r);
    for (std::size_t b = 1; b <= r; ++b) {
      if (r - b <= last / 2) starts_[r - b] += starts_[r] * chances[b - 1];
    }
  }
}

double EndgameModel::pace(std::size_t node) const {
  const auto biased = [&](std::size_t at) {
    const auto& turn = mean_[at];
    return 1 + StepLaw::finding(turn.tasks, turn.excess).mean + turn.excess;
  };
  const std::size_t low = node == 0 ? 0 : node - 1;
  const std::size_t high = std::min(node + 1, nodes() - 1);
  const double slope = (biased(high) - biased(low)) / std::max(1.0, open_[high] - open_[low]);
  return std::clamp(1 - slope / 2, 0.5, 1.5);
}

double EndgameModel::lowest(std::size_t node) const {
  // Turns start at whole numbers; r stands for what lies between r - 1 and r.
  if (node == 0) return 0;
  if (node == nodes()) return open_.back();
  return std::floor((open_[node - 1] + open_[node]) / 2);
}

double EndgameModel::turns(std::size_t g, std::size_t node, double low, double high) const {
  const double own = problem_.groups()[g].share / taken_[node][g].tasks;
  const std::size_t half = starts_.size() / 2;
  if (high > static_cast<double>(half)) return (high - low) * own * pace(node);
  double sum = 0;
  for (double r = std::floor(low) + 1; r < high + 1; ++r) {
    const double part = std::min(high, r) - std::max(low, r - 1);
    if (part > 0) sum += part * starts_[static_cast<std::size_t>(r)];
  }
  return sum * mean_[node].tasks * own;
}

double EndgameModel::biased_take(double open) const {
  return between(open, [&](std::size_t node) {
    const auto& turn = mean_[node];
    return 1 + StepLaw::finding(turn.tasks, turn.excess).mean + turn.excess;
  });
}

double EndgameModel::biased_take(std::size_t g, double open) const {
  return between(open,
                 [&](std::size_t node) { return 1 + law(g, node).mean + taken_[node][g].excess; });
}

double EndgameModel::open_after(double threshold) const {
  // Turns start equally often at each number above the threshold.
  return std::max(0.0, threshold - biased_take(std::max(1.0, threshold)) / 2);
}

}  // namespace damocles
