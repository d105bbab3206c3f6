#include "ode/phase_switch.hpp"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <numbers>

#include "ode/clusters.hpp"

namespace damocles {
namespace {

using Classes = std::vector<FieldClass>;

/// What steps of each class find now.
std::vector<StepSizes> sizes_now(const Problem& problem, const Classes& met, double open) {
  const auto found = found_with(problem, met, open);
  std::vector<StepSizes> result;
  for (std::size_t c = 0; c < met.size(); ++c) {
    const double step = open * problem.tasks() * -std::expm1(-problem.step(met[c].L));
    result.push_back({.found = found[c], .step = std::min(found[c], step)});
  }
  return result;
}

/// Where speeds drift classes come and go: their mean stands for each.
std::vector<StepSizes> mean_sizes(const Classes& met, const std::vector<StepSizes>& sizes) {
  std::vector<double> found;
  std::vector<double> step;
  for (const StepSizes& one : sizes) {
    found.push_back(one.found);
    step.push_back(one.step);
  }
  return {{.found = over_granted(met, found), .step = over_granted(met, step)}};
}

/// Where phase 1 ends if a step finds a cluster or nothing.
struct LastCluster {
  double open;  ///< expected tasks that it leaves
  double tau;   ///< expected sum of L
  double luck;  ///< of the variance of L, over that before the last cluster
};

LastCluster last_cluster(double tasks, double threshold, double cluster) {
  const double t = threshold / cluster;
  if (t >= 1) return {threshold - cluster / 2, std::log(tasks / threshold), 0};
  constexpr double all = std::numbers::pi * std::numbers::pi / 6;
  constexpr double gamma = std::numbers::egamma;
  const double tau = std::log(tasks / cluster) - std::lgamma(t + 1) + gamma * (1 - t);
  const double luck = boost::math::digamma(t + 1) + gamma + (1 - t) * all - 1;
  return {threshold * t / 2, tau, luck};
}

}  // namespace

double over_granted(const Classes& classes, const std::vector<double>& values) {
  double sum = 0;
  double weights = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    sum += classes[c].count * classes[c].share * values[c];
    weights += classes[c].count * classes[c].share;
  }
  return sum / weights;
}

Clusters advance_with_clusters(const Problem& problem, MeanField& field, double last) {
  constexpr double stride = 0.05;  // in tau; the clusters change little meanwhile
  Clusters clusters;
  for (double tau = std::min(stride, last);; tau = std::min(tau + stride, last)) {
    const double open = std::exp(-tau);
    if (open * problem.tasks() <= clusters.smallest && std::isfinite(clusters.smallest)) break;
    const double passed = tau - field.tau();
    field.advance(tau);
    const Classes met = classes(field);
    auto sizes = sizes_now(problem, met, open);
    std::vector<double> together;
    for (const StepSizes& one : sizes) together.push_back(cluster_size(one.found));
    clusters.smallest = std::min(clusters.smallest, over_granted(met, together));
    if (problem.drift()) sizes = mean_sizes(met, sizes);
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      const StepSizes before = clusters.sizes.empty() ? StepSizes{} : clusters.sizes[c];
      const double rate = passed / (open * problem.tasks());
      sizes[c].past = before.past + rate * sizes[c].found;
      sizes[c].luck = before.luck + rate * (sizes[c].found - sizes[c].step);
    }
    clusters.sizes = std::move(sizes);
    if (tau >= last) break;
  }
  return clusters;
}

PhaseSwitch::PhaseSwitch(const Problem& problem, const MeanField& field, const Clusters& clusters,
                         double threshold) {
  const LastCluster last = last_cluster(problem.tasks(), threshold, clusters.smallest);
  open_ = last.open;
  const double open = std::max(threshold, clusters.smallest);
  std::vector<double> regular;  // part of what a step grants that is no luck
  for (const StepSizes& one : clusters.sizes) {
    regular.push_back(one.step / one.found);
    const double more = last.luck * (one.found - one.step) / open;
    deviations_.push_back({.luck = one.luck + more});
  }
  const Classes met = classes(field);
  const double steady = problem.drift() ? regular.front() : over_granted(met, regular);
  tau_ = last.tau + steady * clusters.smallest / open / 2;
  if (problem.drift()) return;
  double leads = 0;
  for (std::size_t c = 0; c < met.size(); ++c) {
    const StepSizes& one = clusters.sizes[c];
    deviations_[c].lead = (one.found / open - one.past) / 2;
    leads += met[c].count * deviations_[c].lead;
  }
  for (std::size_t c = 0; c < met.size(); ++c) deviations_[c].lead -= met[c].share * leads;
}

Classes PhaseSwitch::spread_out(const Classes& classes) const {
  Classes result;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const FieldClass& one = classes[c];
    const Deviation& deviation = deviations_.size() == 1 ? deviations_[0] : deviations_[c];
    const double mean = std::max(one.L / 4, one.L + deviation.lead);
    const double variance = one.share * (1 - one.share) * deviation.luck;
    const double sd = std::min(std::sqrt(std::max(0.0, variance)), 0.9 * mean);
    for (const double L : {mean - sd, mean + sd}) {
      result.push_back({one.count / 2, L, one.share, one.draws});
    }
  }
  return result;
}

}  // namespace damocles
