#include "orders/bisector.hpp"

#include <algorithm>

namespace damocles {
namespace {

/// Edges that the runs of a partitioner for one bisection may look at together: about a second.
constexpr std::size_t edges_allowed = 1'000'000;

}  // namespace

Bisector::Bisector(const PartitionerEntry& partitioner, std::size_t runs, std::size_t edges,
                   std::uint64_t seed)
    : partitioner_(partitioner),
      runs_(std::min(runs, edges_allowed / std::max<std::size_t>(edges, 1))),
      seeds_(seed, Draw::strategy, 0) {}

Bisection Bisector::of(const TaskGraph& graph, const Balance& balance) {
  Bisection best = clean_split(graph, balance);
  for (std::size_t run = 0; run < runs_ && best.cut_bytes > 0; ++run) {
    auto found = judged(graph, partitioner_.bisect(graph, balance, seeds_.next()), balance);
    if (found.better_than(best)) best = std::move(found);
  }
  return best;
}

}  // namespace damocles
