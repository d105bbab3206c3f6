// Drawn graphs of planned tasks, for the tests of static schedules.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "models/rng.hpp"
#include "tests/orders/planned_examples.hpp"

namespace damocles {

struct DrawnSizes {
  std::uint64_t tasks = 20;
  std::uint64_t processors = 4;
};

/// 1 to so many tasks and processors, some of which cannot run some tasks; ways that differ. Whole
/// and half numbers, so that nothing is rounded.
inline PlannedExample drawn(Rng& rng, DrawnSizes most, bool chain = false) {
  PlannedExample example;
  const std::size_t tasks = 1 + rng.below(most.tasks);
  const std::size_t processors = 1 + rng.below(most.processors);
  for (PlannedGraph::Index t = 0; t < tasks; ++t) {
    auto& times = example.durations.emplace_back();
    for (std::size_t k = 0; k < processors; ++k) {
      times.push_back(rng.below(6) == 0 ? std::numeric_limits<double>::infinity()
                                        : static_cast<double>(rng.below(9)));
    }
    times[rng.below(processors)] = static_cast<double>(1 + rng.below(9));
    if (chain && t > 0) example.transfers[{t - 1, t}] = static_cast<double>(rng.below(5));
    for (std::uint64_t w = chain || t == 0 ? 0 : rng.below(3); w > 0; --w) {
      example.transfers[{static_cast<PlannedGraph::Index>(rng.below(t)), t}] =
          static_cast<double>(rng.below(5));
    }
  }
  for (std::size_t from = 0; from < processors; ++from) {
    example.shares.emplace_back(processors, 0);
    for (std::size_t to = 0; to < from; ++to) {
      example.shares[from][to] = static_cast<double>(rng.below(5)) / 2;
      example.shares[to][from] = example.shares[from][to];
    }
  }
  return example;
}

inline double passing(const PlannedExample& example, PlannedGraph::Index before,
                      PlannedGraph::Index after, std::size_t from, std::size_t to) {
  return example.share(from, to) * example.transfers.at({before, after});
}

/// Up to 6 processors of which some are alike: whole columns are copied, and a way takes the sum of
/// what its two ends take.
inline PlannedExample drawn_of_few_kinds(Rng& rng) {
  PlannedExample example = drawn(rng, {.tasks = 30, .processors = 6});
  const std::size_t processors = example.shares.size();
  std::vector<double> ends(processors);
  for (double& end : ends) end = static_cast<double>(rng.below(2));
  for (std::size_t k = 0; k < processors; ++k) {
    const std::size_t other = rng.below(k + 1);
    for (auto& times : example.durations) {
      if (times[other] < std::numeric_limits<double>::infinity()) times[k] = times[other];
    }
    for (std::size_t to = 0; to < processors; ++to) {
      example.shares[k][to] = k == to ? 0 : ends[k] + ends[to];
    }
  }
  return example;
}

}  // namespace damocles
