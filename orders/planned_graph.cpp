#include "orders/planned_graph.hpp"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <utility>

#include "models/host_memory.hpp"

namespace damocles {
namespace {

using PlannedTask = PlannedGraph::Index;

double mean_of_able(const std::vector<double>& durations_s) {
  double sum = 0;
  double able = 0;
  for (const double duration_s : durations_s) {
    if (!std::isfinite(duration_s)) continue;
    sum += duration_s;
    able += 1;
  }
  return sum / able;
}

}  // namespace

PlannedGraph::PlannedGraph(const Dependencies& dependencies, std::size_t tasks,
                           std::size_t processors, const PlannedCosts& costs)
    : processors_(processors), order_(dependencies.order(tasks)) {
  const auto all = static_cast<Index>(tasks);
  // Every pair of tasks is held from both ends, also where a joint stands between groups of tasks.
  const MemoryPromise memory(
      (sizeof(PlannedWait) + 2 * sizeof(Neighbour)) * static_cast<double>(dependencies.size()),
      MemoryPromise::Others::wait_for);
  ask_durations(costs, tasks);
  ask_shares(costs);
  std::vector<PlannedWait> waits;
  waits.reserve(dependencies.size());
  for (Index task = 0; task < all; ++task) {
    for (const Index later : dependencies.after(task)) {
      waits.push_back({task, later, costs.transfer_s(task, later)});
    }
  }
  drop_implied_waits(waits, order_);
  list(waits, tasks);
}

void PlannedGraph::ask_durations(const PlannedCosts& costs, std::size_t tasks) {
  std::unordered_multimap<std::size_t, std::size_t> known;  // kinds by the hash of their durations
  std::vector<double> own(processors_);
  kinds_.reserve(tasks);
  for (std::size_t task = 0; task < tasks; ++task) {
    for (std::size_t k = 0; k < processors_; ++k) {
      own[k] = costs.duration_s(static_cast<Index>(task), k);
    }
    const std::size_t hash = boost::hash_range(own.begin(), own.end());
    const auto [first, last] = known.equal_range(hash);
    const auto same = std::find_if(first, last, [&](const auto& one) {
      return std::equal(own.begin(), own.end(), &durations_s_[one.second * processors_]);
    });
    if (same != last) {
      kinds_.push_back(same->second);
      continue;
    }
    kinds_.push_back(means_s_.size());
    known.emplace(hash, means_s_.size());
    durations_s_.insert(durations_s_.end(), own.begin(), own.end());
    means_s_.push_back(mean_of_able(own));
  }
}

void PlannedGraph::ask_shares(const PlannedCosts& costs) {
  std::map<double, std::vector<std::size_t>> members;  // the first two of each site
  std::map<double, std::uint32_t> numbers;
  sites_.reserve(processors_);
  for (std::size_t k = 0; k < processors_; ++k) {
    const double site = costs.site(k);
    const auto number = static_cast<std::uint32_t>(numbers.size());
    sites_.push_back(numbers.try_emplace(site, number).first->second);
    if (auto& known = members[site]; known.size() < 2) known.push_back(k);
  }
  site_count_ = numbers.size();
  shares_.resize(site_count_ * site_count_);
  for (const auto& [from, senders] : members) {
    for (const auto& [to, receivers] : members) {
      double& share = shares_[numbers[from] * site_count_ + numbers[to]];
      if (from != to || senders.size() > 1) share = costs.share(senders.front(), receivers.back());
    }
  }
}

/// @param waits  by `before`, then by `after`
void PlannedGraph::list(const std::vector<PlannedWait>& waits, std::size_t tasks) {
  before_.begins.assign(tasks + 1, 0);
  after_.begins.assign(tasks + 1, 0);
  for (const PlannedWait& wait : waits) {
    ++before_.begins[wait.after + 1];
    ++after_.begins[wait.before + 1];
  }
  std::partial_sum(before_.begins.begin(), before_.begins.end(), before_.begins.begin());
  std::partial_sum(after_.begins.begin(), after_.begins.end(), after_.begins.begin());
  before_.all.resize(waits.size());
  after_.all.reserve(waits.size());
  std::vector<std::size_t> next(before_.begins.begin(), before_.begins.end() - 1);
  for (const PlannedWait& wait : waits) {
    after_.all.push_back({wait.after, wait.transfer_s});
    before_.all[next[wait.after]++] = {wait.before, wait.transfer_s};
  }
}

bool PlannedGraph::runs(Index task, std::size_t processor) const {
  return std::isfinite(duration_s(task, processor));
}

std::vector<std::vector<std::size_t>> PlannedGraph::alike() const {
  std::map<std::vector<double>, std::vector<std::size_t>> known;  // by site and durations
  for (std::size_t k = 0; k < processors_; ++k) {
    std::vector<double> key{static_cast<double>(sites_[k])};
    for (std::size_t at = k; at < durations_s_.size(); at += processors_) {
      key.push_back(durations_s_[at]);
    }
    known[std::move(key)].push_back(k);
  }
  std::vector<std::vector<std::size_t>> result;
  for (auto& [key, processors] : known) result.push_back(std::move(processors));
  return result;
}

std::vector<PlannedTask> by_priority(const PlannedGraph& graph,
                                     const std::vector<double>& priorities) {
  const auto goes_later = [&](PlannedTask a, PlannedTask b) {
    return priorities[a] < priorities[b] || (priorities[a] == priorities[b] && a > b);
  };
  std::priority_queue<PlannedTask, std::vector<PlannedTask>, decltype(goes_later)> ready(
      goes_later);
  std::vector<std::size_t> waits(graph.tasks());
  for (PlannedTask task = 0; task < waits.size(); ++task) {
    waits[task] = graph.before(task).size();
    if (waits[task] == 0) ready.push(task);
  }
  std::vector<PlannedTask> result;
  result.reserve(waits.size());
  while (!ready.empty()) {
    const PlannedTask task = ready.top();
    ready.pop();
    result.push_back(task);
    for (const auto& later : graph.after(task)) {
      if (--waits[later.task] == 0) ready.push(later.task);
    }
  }
  return result;
}

std::vector<double> upward_ranks(const PlannedGraph& graph) {
  std::vector<double> ranks(graph.tasks(), 0);
  for (std::size_t at = ranks.size(); at-- > 0;) {
    const PlannedTask task = graph.order()[at];
    double behind = 0;
    for (const auto& later : graph.after(task)) {
      behind = std::max(behind, later.transfer_s + ranks[later.task]);
    }
    ranks[task] = graph.mean_s(task) + behind;
  }
  return ranks;
}

std::vector<double> downward_ranks(const PlannedGraph& graph) {
  std::vector<double> ranks(graph.tasks(), 0);
  for (const PlannedTask task : graph.order()) {
    for (const auto& other : graph.before(task)) {
      ranks[task] =
          std::max(ranks[task], ranks[other.task] + graph.mean_s(other.task) + other.transfer_s);
    }
  }
  return ranks;
}

std::vector<double> static_levels(const PlannedGraph& graph, const std::vector<double>& weights) {
  std::vector<double> levels(graph.tasks(), 0);
  for (std::size_t at = levels.size(); at-- > 0;) {
    const PlannedTask task = graph.order()[at];
    for (const auto& later : graph.after(task)) {
      levels[task] = std::max(levels[task], levels[later.task]);
    }
    levels[task] += weights[task];
  }
  return levels;
}

std::vector<double> mean_durations(const PlannedGraph& graph) {
  std::vector<double> result(graph.tasks());
  for (PlannedTask task = 0; task < result.size(); ++task) result[task] = graph.mean_s(task);
  return result;
}

std::vector<double> optimistic_costs(const PlannedGraph& graph) {
  const std::size_t processors = graph.processors();
  const std::size_t sites = graph.sites();
  std::vector<double> costs(graph.tasks() * processors, 0);
  // A task, and what is behind it: the least on a processor of each site.
  std::vector<double> least_on(graph.tasks() * sites, std::numeric_limits<double>::infinity());
  std::vector<double> least_from(sites);  // of one task, seen from a processor of each site
  for (std::size_t at = graph.tasks(); at-- > 0;) {
    const PlannedTask task = graph.order()[at];
    double* const cost = &costs[task * processors];
    for (const auto& later : graph.after(task)) {
      const double* const on = &least_on[later.task * sites];
      for (std::size_t from = 0; from < sites; ++from) {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t to = 0; to < sites; ++to) {
          least = std::min(least, on[to] + graph.transfer_between_s(later, from, to));
        }
        least_from[from] = least;
      }
      const double* const behind = &costs[later.task * processors];
      for (std::size_t k = 0; k < processors; ++k) {
        const double here = behind[k] + graph.duration_s(later.task, k);
        cost[k] = std::max(cost[k], std::min(here, least_from[graph.site(k)]));
      }
    }
    for (std::size_t k = 0; k < processors; ++k) {
      double& least = least_on[task * sites + graph.site(k)];
      least = std::min(least, cost[k] + graph.duration_s(task, k));
    }
  }
  return costs;
}

}  // namespace damocles
