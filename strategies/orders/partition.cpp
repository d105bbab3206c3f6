#include "strategies/orders/partition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "models/error.hpp"
#include "models/rng.hpp"
#include "strategies/orders/clean_split.hpp"
#include "strategies/orders/zoltan_bisection.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

constexpr double imbalance = 1.01;

/// Edges that the runs of Zoltan for one bisection may look at together: about a second.
constexpr std::size_t edges_allowed = 1'000'000;

/// Parts by recursive bisection.
class Bisecting {
 public:
  Bisecting(const TaskGraph& graph, std::size_t parts, std::uint64_t seed,
            const PartitionOptions& options)
      : graph_(graph),
        cost_(options.cost),
        runs_(std::min(options.runs, edges_allowed / std::max<std::size_t>(graph.edges(), 1))),
        seeds_(seed, Draw::strategy, 0),
        part_of_(graph.tasks(), 0),
        is_cut_(graph.data(), 0),
        local_(graph.data(), 0),
        // A part is cut out in so many steps, whose excesses multiply.
        imbalance_(std::pow(imbalance, 1.0 / static_cast<double>(std::bit_width(parts - 1)))) {
    std::vector<Index> all(graph.tasks());
    std::iota(all.begin(), all.end(), Index{0});
    bisect(all, 0, static_cast<std::uint32_t>(parts));
  }

  std::vector<std::uint32_t> result() && { return std::move(part_of_); }

 private:
  /// Parts [first, first + parts) for these tasks.
  void bisect(const std::vector<Index>& tasks, std::uint32_t first, std::uint32_t parts) {
    if (parts == 1 || tasks.empty()) {
      for (const Index task : tasks) part_of_[task] = first;
      return;
    }
    const std::uint32_t left = parts / 2;
    const auto side = best_split(tasks, static_cast<double>(left) / parts);
    std::array<std::vector<Index>, 2> halves;
    for (std::size_t i = 0; i < tasks.size(); ++i) halves[side[i]].push_back(tasks[i]);
    bisect(halves[0], first, left);
    bisect(halves[1], first + left, parts - left);
  }

  std::vector<std::uint32_t> best_split(const std::vector<Index>& tasks, double share) {
    const TaskGraph part = cut_out(tasks);
    const Balance balance{share, imbalance_};
    Bisection best = clean_split(part, balance);
    for (std::size_t run = 0; run < runs_ && best.cut_bytes > 0; ++run) {
      auto found = judged(part, bisect_by_zoltan(part, share, imbalance_, seeds_.next()), balance);
      if (found.better_than(best)) best = std::move(found);
    }
    if (cost_ == PartitionOptions::Cost::data) forget_cut(part, best.side);
    return best.side;
  }

  /// These tasks with the data that they read and that still cost something, in their order.
  TaskGraph cut_out(const std::vector<Index>& tasks) {
    used_.clear();
    for (const Index task : tasks) {
      for (const Index data : graph_.inputs(task)) {
        if (is_cut_[data] == 0) used_.push_back(data);
      }
    }
    std::sort(used_.begin(), used_.end());
    used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
    TaskGraph::Parts parts;
    for (const Index data : used_) {
      local_[data] = static_cast<Index>(parts.bytes.size());
      parts.bytes.push_back(graph_.bytes(data));
    }
    std::vector<Index> reads;
    for (const Index task : tasks) {
      reads.clear();
      for (const Index data : graph_.inputs(task)) {
        if (is_cut_[data] == 0) reads.push_back(local_[data]);
      }
      parts.add_task(reads, graph_.flops(task));
    }
    return TaskGraph(std::move(parts));
  }

  /// What both sides read costs nothing more.
  void forget_cut(const TaskGraph& part, const std::vector<std::uint32_t>& side) {
    for (Index data = 0; data < part.data(); ++data) {
      is_cut_[used_[data]] = reads_both(part, side, data) ? 1 : 0;
    }
  }

  const TaskGraph& graph_;
  PartitionOptions::Cost cost_;
  std::size_t runs_;
  Rng seeds_;
  std::vector<std::uint32_t> part_of_;
  std::vector<std::uint8_t> is_cut_;  // by data
  std::vector<Index> used_;           // the data of the graph cut out last
  std::vector<Index> local_;          // by data: its number there
  double imbalance_;
};

}  // namespace

bool partition_built() { return zoltan_built(); }

std::vector<std::uint32_t> partition(const TaskGraph& graph, std::size_t parts, std::uint64_t seed,
                                     const PartitionOptions& options) {
  if (parts == 0 || parts > std::size_t{std::numeric_limits<int>::max()}) {
    throw InvalidInput("partitioning needs at least 1 part and at most 2147483647");
  }
  if (parts == 1) return std::vector<std::uint32_t>(graph.tasks(), 0);
  return Bisecting(graph, parts, seed, options).result();
}

}  // namespace damocles
