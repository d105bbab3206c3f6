#pragma once

#include <cstddef>
#include <cstdint>

#include "models/rng.hpp"
#include "orders/clean_split.hpp"
#include "orders/partitioners.hpp"

namespace damocles {

/// The best of clean_split() and of several runs of a partitioner, each with another seed.
class Bisector {
 public:
  /// @param runs   for each bisection
  /// @param edges  of the whole graph: there are at most 10^6 / edges runs, about a second's
  Bisector(const PartitionerEntry& partitioner, std::size_t runs, std::size_t edges,
           std::uint64_t seed);

  /// @throws NoProgress if the partitioner fails
  [[nodiscard]] Bisection of(const TaskGraph& graph, const Balance& balance);

 private:
  const PartitionerEntry& partitioner_;
  std::size_t runs_;
  Rng seeds_;
};

}  // namespace damocles
