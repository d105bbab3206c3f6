#include "orders/memory_pieces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "orders/bisector.hpp"
#include "orders/gain_order.hpp"
#include "orders/part_graphs.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// A half may have so many times its share: a straight cut is rarely where the share says.
constexpr double piece_imbalance = 1.1;

class Pieces {
 public:
  Pieces(const TaskGraph& graph, std::uint64_t memory_bytes, std::uint64_t seed,
         const PartitionOptions& options)
      : graph_(graph),
        memory_bytes_(memory_bytes),
        whole_(graph, PartGraphs::Weights::alike),
        lacking_(graph, PartGraphs::Weights::alike),
        bisector_(partitioner(options.partitioner), options.runs, graph.edges(), seed),
        is_there_(graph.data(), 0),
        seen_(graph.data(), 0) {}

  void place(const std::vector<Index>& tasks) {
    const TaskGraph part = whole_.of(tasks);
    const std::uint64_t reads =
        std::accumulate(part.parts().bytes.begin(), part.parts().bytes.end(), std::uint64_t{0});
    if (tasks.size() == 1 || reads <= memory_bytes_) return append(tasks);
    auto halves = cut(part, tasks, static_cast<double>(reads) / static_cast<double>(memory_bytes_));
    if (shared_bytes(halves[1]) > shared_bytes(halves[0])) std::swap(halves[0], halves[1]);
    for (const auto& half : halves) place(half);
  }

  std::vector<Index> order() && { return std::move(order_); }

 private:
  std::array<std::vector<Index>, 2> cut(const TaskGraph& part, const std::vector<Index>& tasks,
                                        double times_memory) {
    const double pieces = std::max(2.0, std::ceil(times_memory * times_memory));
    const double share = std::floor(pieces / 2) / pieces;
    const auto side = bisector_.of(part, {share, piece_imbalance}).side;
    std::array<std::vector<Index>, 2> halves;
    for (std::size_t i = 0; i < tasks.size(); ++i) halves[side[i]].push_back(tasks[i]);
    if (halves[0].empty() || halves[1].empty()) {  // a partitioner may leave a side without tasks
      const auto middle = tasks.begin() + static_cast<std::ptrdiff_t>(tasks.size() / 2);
      halves = {std::vector(tasks.begin(), middle), std::vector(middle, tasks.end())};
    }
    return halves;
  }

  /// Of the data that the tasks and the latest piece read.
  std::uint64_t shared_bytes(const std::vector<Index>& tasks) {
    std::uint64_t bytes = 0;
    ++looks_;
    for (const Index task : tasks) {
      for (const Index data : graph_.inputs(task)) {
        if (std::exchange(seen_[data], looks_) != looks_ && is_there_[data] != 0) {
          bytes += graph_.bytes(data);
        }
      }
    }
    return bytes;
  }

  void append(const std::vector<Index>& tasks) {
    const TaskGraph part = lacking_.of(tasks);
    constexpr auto all_fits = std::numeric_limits<std::uint64_t>::max();
    for (const Index task : gain_order(part, all_fits, 0)) order_.push_back(tasks[task]);
    for (const Index data : there_) note(data, false);
    there_.clear();
    for (const Index task : tasks) {
      for (const Index data : graph_.inputs(task)) {
        if (is_there_[data] != 0) continue;
        there_.push_back(data);
        note(data, true);
      }
    }
  }

  void note(Index data, bool there) {
    is_there_[data] = there ? 1 : 0;
    lacking_.leave_out(data, there);
  }

  const TaskGraph& graph_;
  std::uint64_t memory_bytes_;
  PartGraphs whole_;
  PartGraphs lacking_;  // without what the latest piece reads
  Bisector bisector_;
  std::vector<std::uint8_t> is_there_;  // by data: whether the latest piece reads it
  std::vector<Index> there_;            // those
  std::vector<std::uint64_t> seen_;     // by data: the latest look at it
  std::uint64_t looks_ = 0;
  std::vector<Index> order_;
};

}  // namespace

std::vector<Index> in_pieces(const TaskGraph& graph, std::span<const Index> tasks,
                             std::uint64_t memory_bytes, std::uint64_t seed,
                             const PartitionOptions& options) {
  if (tasks.empty()) return {};
  Pieces pieces(graph, memory_bytes, seed, options);
  pieces.place({tasks.begin(), tasks.end()});
  return std::move(pieces).order();
}

}  // namespace damocles
