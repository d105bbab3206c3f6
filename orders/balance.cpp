#include "orders/balance.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace damocles {
namespace {

using Index = TaskGraph::Index;
using Package = std::vector<Index>;

/// A difference of loads below this share of their sum is rounding: loads are sums in an order that
/// moves change, so without it a task could go to and fro for ever.
constexpr double sum_rounding = 1e-9;

/// The task to take the tail of `package` from such that its load is at most `amount`.
Package::iterator tail(Package& package, double amount, const std::vector<double>& load_of) {
  auto from = package.end();
  double taken = 0;
  while (from != package.begin() && taken + load_of[*std::prev(from)] <= amount) {
    taken += load_of[*--from];
  }
  return from;
}

}  // namespace

void balance(std::vector<std::vector<Index>>& packages, const TaskGraph& graph) {
  if (packages.size() < 2) return;
  std::vector<double> load_of = graph.parts().flops;
  if (std::all_of(load_of.begin(), load_of.end(), [&](double f) { return f == load_of[0]; })) {
    std::fill(load_of.begin(), load_of.end(), 1.0);
  }
  std::vector<double> load;
  for (const auto& package : packages) {
    load.push_back(std::accumulate(package.begin(), package.end(), 0.0,
                                   [&](double sum, Index task) { return sum + load_of[task]; }));
  }
  const double total = std::accumulate(load.begin(), load.end(), 0.0);
  const double mean = total / static_cast<double>(load.size());
  for (;;) {
    const auto [least, most] = std::minmax_element(load.begin(), load.end());
    Package& small = packages[static_cast<std::size_t>(least - load.begin())];
    Package& large = packages[static_cast<std::size_t>(most - load.begin())];
    const double gap = *most - *least - sum_rounding * total;
    if (gap <= 0) return;
    auto first = tail(large, std::min(*most - mean, mean - *least), load_of);
    auto last = large.end();
    if (first == last) {
      const auto narrows = [&](Index task) { return load_of[task] > 0 && load_of[task] < gap; };
      const auto found = std::find_if(large.rbegin(), large.rend(), narrows);
      if (found == large.rend()) return;
      last = found.base();
      first = std::prev(last);
    }
    for (auto task = first; task != last; ++task) {
      *most -= load_of[*task];
      *least += load_of[*task];
    }
    small.insert(small.end(), first, last);
    large.erase(first, last);
  }
}

}  // namespace damocles
