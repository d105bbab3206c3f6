#include "ode/pair_closure.hpp"

#include <algorithm>

namespace damocles {
namespace {

bool contains(unsigned set, unsigned index) { return (set >> index & 1U) != 0; }

}  // namespace

PairClosure::PairClosure(const Problem& problem)
    : dimensions_(static_cast<unsigned>(problem.dimensions())), tasks_(problem.tasks()) {
  for (unsigned i = 0; i < dimensions_; ++i) extents_[i] = problem.extent(static_cast<int>(i));
  if (problem.square()) {
    subsets_ = {{0U, 1}, {1U, static_cast<double>(dimensions_)}};
    if (dimensions_ == 3) subsets_.push_back({3U, 3});
    return;
  }
  for (unsigned shared = 0; shared + 1 < 1U << dimensions_; ++shared)
    subsets_.push_back({shared, 1});
}

PairClosure::Weights PairClosure::of(const Sides& known) const {
  double covered = 1;
  for (unsigned i = 0; i < dimensions_; ++i) covered *= known[i] / extents_[i];
  Weights result;
  result.fill(1);
  const double open = 1 - covered;
  if (open < 1e-12) return result;
  for (const auto& [shared, count] : subsets_) {
    double both = 1;
    for (unsigned i = 0; i < dimensions_; ++i) {
      // Two different indices of one set are drawn without replacement.
      const double other = extents_[i] > 1 ? std::max(0.0, (known[i] - 1) / (extents_[i] - 1)) : 0;
      both *= known[i] / extents_[i] * (contains(shared, i) ? 1 : other);
    }
    result[shared] = std::max(1e-12, 1 - 2 * covered + both) / (open * open);
  }
  return result;
}

double PairClosure::pairs_within(unsigned shared, const Sides& box) const {
  double pairs = 1;
  for (unsigned i = 0; i < dimensions_; ++i)
    pairs *= box[i] * (contains(shared, i) ? 1 : box[i] - 1);
  return pairs;
}

double PairClosure::pairs_across(unsigned shared, const Sides& inner, const Sides& outer) const {
  double pairs = 1;
  for (unsigned i = 0; i < dimensions_; ++i) {
    pairs *= inner[i] * (contains(shared, i) ? 1 : outer[i] - 1);
  }
  return pairs;
}

/// Chance that a task met now shares these indices with one that was met before: it comes through a
/// new index of dimension i with the chance met[i], its other indices are any of the known ones.
double PairClosure::share_of_met(unsigned shared, const Sides& known, const Sides& met) const {
  double sum = 0;
  for (unsigned through = 0; through < dimensions_; ++through) {
    if (contains(shared, through) || met[through] == 0) continue;
    double chance = met[through];
    for (unsigned i = 0; i < dimensions_; ++i) {
      if (i != through) chance *= contains(shared, i) ? 1 / known[i] : 1 - 1 / known[i];
    }
    sum += chance;
  }
  return sum;
}

/// How many tasks outside the box share these indices with one that a step meets.
double PairClosure::share_met_out(unsigned shared, const Sides& known, const Sides& met) const {
  double sum = 0;
  for (unsigned through = 0; through < dimensions_; ++through) {
    double all = 1;
    double inside = contains(shared, through) ? 0 : 1;
    for (unsigned i = 0; i < dimensions_; ++i) {
      if (contains(shared, i)) continue;
      all *= extents_[i] - 1;
      inside *= i == through ? known[i] : known[i] - 1;
    }
    sum += met[through] * (all - inside);
  }
  return sum;
}

PairClosure::Step PairClosure::step(const Sides& known, const Weights& others) const {
  Sides next = known;
  Sides met{};  // through a new index of which dimension
  double box = 1;
  double larger = 1;
  double meets = 0;
  for (unsigned i = 0; i < dimensions_; ++i) {
    next[i] = std::min(extents_[i], known[i] + 1);
    box *= known[i];
    larger *= next[i];
    if (next[i] > known[i]) meets += met[i] = 1 / std::max(1.0, known[i]);
  }
  const double outside = tasks_ - box;
  const double cells = larger - box;
  if (larger >= tasks_) return {1, 1, cells, 0};
  for (double& chance : met) chance /= meets;
  double together = 0;
  double met_met = 0;
  double met_out = 0;
  double out_out = 0;
  for (const auto& [shared, count] : subsets_) {
    const double weight = count * others[shared];
    const double within = pairs_within(shared, known);
    together +=
        weight * (pairs_within(shared, next) - 2 * pairs_across(shared, known, next) + within);
    out_out += weight * (pairs_within(shared, extents_) -
                         2 * pairs_across(shared, known, extents_) + within);
    if (box == 0) continue;
    met_met += weight * share_of_met(shared, known, met);
    met_out += weight * share_met_out(shared, known, met);
  }
  const double found = cells / outside;
  if (out_out <= 0) return {found, 0, cells, 0};
  // Pairs of different tasks: (outside) (outside - 1) of them lie outside the box.
  const double scale = outside / (outside - 1);
  const double spread = met_out > 0 ? met_met * out_out / (met_out * met_out) / scale - 1 : 0;
  return {found, together / out_out, cells, std::max(0.0, spread)};
}

}  // namespace damocles
