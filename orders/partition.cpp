#include "orders/partition.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "models/error.hpp"
#include "orders/bisector.hpp"
#include "orders/part_graphs.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

constexpr double imbalance = 1.01;

/// Parts by recursive bisection.
class Bisecting {
 public:
  Bisecting(const TaskGraph& graph, std::size_t parts, std::uint64_t seed,
            const PartitionOptions& options)
      : cost_(options.cost),
        graphs_(graph),
        bisector_(partitioner(options.partitioner), options.runs, graph.edges(), seed),
        part_of_(graph.tasks(), 0),
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
    const TaskGraph part = graphs_.of(tasks);
    const Bisection best = bisector_.of(part, {share, imbalance_});
    if (cost_ == PartitionOptions::Cost::data) forget_cut(part, best.side);
    return best.side;
  }

  /// What both sides read costs nothing more.
  void forget_cut(const TaskGraph& part, const std::vector<std::uint32_t>& side) {
    for (Index data = 0; data < part.data(); ++data) {
      graphs_.leave_out(graphs_.data()[data], reads_both(part, side, data));
    }
  }

  PartitionOptions::Cost cost_;
  PartGraphs graphs_;
  Bisector bisector_;
  std::vector<std::uint32_t> part_of_;
  double imbalance_;
};

}  // namespace

bool partition_built() { return why_no_partitioner().empty(); }

std::vector<std::uint32_t> partition(const TaskGraph& graph, std::size_t parts, std::uint64_t seed,
                                     const PartitionOptions& options) {
  if (parts == 0 || parts > std::size_t{std::numeric_limits<int>::max()}) {
    throw InvalidInput("partitioning needs at least 1 part and at most 2147483647");
  }
  if (parts == 1) return std::vector<std::uint32_t>(graph.tasks(), 0);
  return Bisecting(graph, parts, seed, options).result();
}

}  // namespace damocles
