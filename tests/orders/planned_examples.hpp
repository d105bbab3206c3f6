#pragma once

#include <map>
#include <utility>
#include <vector>

#include "orders/planned_schedule.hpp"

namespace damocles {

/// Tasks with a duration on each processor, and what passing from one to another takes.
struct PlannedExample {
  std::vector<std::vector<double>> durations;
  std::map<std::pair<PlannedGraph::Index, PlannedGraph::Index>, double> transfers{};
  /// Of a way between two processors over the average; empty: 1.
  std::vector<std::vector<double>> shares{};

  [[nodiscard]] Dependencies dependencies() const {
    std::vector<Dependencies::Wait> waits;
    for (const auto& [edge, cost] : transfers) waits.emplace_back(edge.second, edge.first);
    return Dependencies(durations.size(), waits);
  }
  [[nodiscard]] double share(std::size_t from, std::size_t to) const {
    if (from == to) return 0;
    return shares.empty() ? 1 : shares.at(from).at(to);
  }
  /// The lowest processor that passes alike to and from all others.
  [[nodiscard]] double site(std::size_t k) const {
    std::size_t first = 0;
    const auto differ = [&](std::size_t other) {
      return other != k && other != first && share(first, other) != share(k, other);
    };
    for (std::size_t other = 0; first < k && other < shares.size();) {
      const bool next = differ(other);
      first += next ? 1 : 0;
      other = next ? 0 : other + 1;
    }
    return static_cast<double>(first);
  }
  /// The example outlives it.
  [[nodiscard]] PlannedGraph graph() const {
    using Index = PlannedGraph::Index;
    return {dependencies(),
            durations.size(),
            durations.at(0).size(),
            {.duration_s = [this](Index task, std::size_t k) { return durations.at(task).at(k); },
             .transfer_s =
                 [this](Index a, Index b) {
                   return transfers.at({a, b});
                 },
             .share = [this](std::size_t from, std::size_t to) { return share(from, to); },
             .site = [this](std::size_t k) { return site(k); }}};
  }
};

inline double makespan_s(const std::vector<Placement>& placed) {
  double result = 0;
  for (const Placement& placement : placed) result = std::max(result, placement.end_s);
  return result;
}

/// Topcuoglu, Hariri & Wu, TPDS 2002, figure 2: ten tasks on three processors.
inline const PlannedExample& topcuoglu() {
  static const PlannedExample example{{{14, 16, 9},
                                       {13, 19, 18},
                                       {11, 13, 19},
                                       {13, 8, 17},
                                       {12, 13, 10},
                                       {13, 16, 9},
                                       {7, 15, 11},
                                       {5, 11, 14},
                                       {18, 12, 20},
                                       {21, 7, 16}},
                                      {{{0, 1}, 18},
                                       {{0, 2}, 12},
                                       {{0, 3}, 9},
                                       {{0, 4}, 11},
                                       {{0, 5}, 14},
                                       {{1, 7}, 19},
                                       {{1, 8}, 16},
                                       {{2, 6}, 23},
                                       {{3, 7}, 27},
                                       {{3, 8}, 23},
                                       {{4, 8}, 13},
                                       {{5, 7}, 15},
                                       {{6, 9}, 17},
                                       {{7, 9}, 11},
                                       {{8, 9}, 13}}};
  return example;
}

/// Arabnejad & Barbosa, TPDS 2014, figure 1: ten tasks on three processors.
inline const PlannedExample& arabnejad() {
  static const PlannedExample example{{{22, 21, 36},
                                       {22, 18, 18},
                                       {32, 27, 43},
                                       {7, 10, 4},
                                       {29, 27, 35},
                                       {26, 17, 24},
                                       {14, 25, 30},
                                       {29, 23, 36},
                                       {15, 21, 8},
                                       {13, 16, 33}},
                                      {{{0, 1}, 17},
                                       {{0, 2}, 31},
                                       {{0, 3}, 29},
                                       {{0, 4}, 13},
                                       {{0, 5}, 7},
                                       {{1, 7}, 3},
                                       {{1, 8}, 30},
                                       {{2, 6}, 16},
                                       {{3, 7}, 11},
                                       {{3, 8}, 7},
                                       {{4, 8}, 57},
                                       {{5, 7}, 5},
                                       {{6, 9}, 9},
                                       {{7, 9}, 42},
                                       {{8, 9}, 7}}};
  return example;
}

/// Kwok & Ahmad, ACM Computing Surveys 31(4), 1999, figure 3: nine tasks, here on four processors
/// alike.
inline const PlannedExample& kwok() {
  const auto alike = [](double s) { return std::vector<double>(4, s); };
  static const PlannedExample example{
      {alike(2), alike(3), alike(3), alike(4), alike(5), alike(4), alike(4), alike(4), alike(1)},
      {{{0, 1}, 4},
       {{0, 2}, 1},
       {{0, 3}, 1},
       {{0, 4}, 1},
       {{0, 6}, 10},
       {{1, 5}, 1},
       {{1, 6}, 1},
       {{2, 7}, 1},
       {{3, 7}, 1},
       {{5, 8}, 5},
       {{6, 8}, 6},
       {{7, 8}, 5}}};
  return example;
}

/// Maheswaran et al., JPDC 1999, their example for Sufferage: four tasks on four machines.
inline const PlannedExample& maheswaran() {
  static const PlannedExample example{
      {{40, 48, 134, 50}, {50, 82, 88, 89}, {55, 68, 94, 93}, {52, 60, 78, 108}}};
  return example;
}

}  // namespace damocles
