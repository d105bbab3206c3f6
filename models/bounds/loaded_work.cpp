#include "models/bounds/loaded_work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// Most pairs of x loads, each of which meets at most k earlier ones.
double most_pairs(std::uint64_t x, std::uint64_t k, bool two_sided) {
  const auto loads = static_cast<double>(x);
  const auto most = static_cast<double>(k);
  if (two_sided) {
    const std::uint64_t all = x * x / 4;
    return x < 2 * k ? static_cast<double>(all) : most * (loads - most);
  }
  return x <= k ? loads * (loads - 1) / 2 : most * loads - most * (most + 1) / 2;
}

/// Walks the pairs of a graph: the first two inputs of every task that has them.
class Pairs {
 public:
  explicit Pairs(const TaskGraph& graph)
      : graph_(graph),
        met_by_(graph.data(), none),
        flops_(graph.data(), 0),
        side_(graph.data(), 0) {}

  PairWork count() {
    PairWork work{.two_sided = true};
    for (Index task = 0; task < graph_.tasks(); ++task) {
      if (graph_.inputs(task).empty()) work.free += graph_.flops(task);
    }
    for (Index data = 0; data < graph_.data(); ++data) {
      if (side_[data] != 0) continue;
      side_[data] = 1;
      queue_.assign(1, data);
      // NOLINTNEXTLINE(modernize-loop-convert): the queue grows meanwhile
      for (std::size_t at = 0; at < queue_.size(); ++at) visit(queue_[at], work);
    }
    return work;
  }

 private:
  static constexpr Index none = std::numeric_limits<Index>::max();

  void visit(Index data, PairWork& work) {
    std::uint64_t partners = 0;
    double alone = 0;
    for (const Index task : graph_.users(data)) {
      const auto inputs = graph_.inputs(task);
      if (inputs.size() == 1) alone += graph_.flops(task);
      if (inputs.size() < 2 || (inputs[0] != data && inputs[1] != data)) continue;
      const Index other = inputs[0] == data ? inputs[1] : inputs[0];
      if (met_by_[other] != data) {
        met_by_[other] = data;
        flops_[other] = 0;
        ++partners;
      }
      flops_[other] += graph_.flops(task);
      work.of_pair = std::max(work.of_pair, flops_[other]);
      if (side_[other] == 0) {
        side_[other] = static_cast<signed char>(-side_[data]);
        queue_.push_back(other);
      }
      work.two_sided = work.two_sided && side_[other] != side_[data];
    }
    work.of_data = std::max(work.of_data, alone);
    work.most_partners = std::max(work.most_partners, partners);
  }

  const TaskGraph& graph_;
  std::vector<Index> met_by_;  // the data it was last met as a partner of
  std::vector<double> flops_;  // of the pair with that one
  std::vector<signed char> side_;
  std::vector<Index> queue_;
};

}  // namespace

LoadedWork::LoadedWork(std::vector<double> flops, double slope)
    : flops_(std::move(flops)), slope_(slope) {}

double LoadedWork::operator()(double loads) const {
  const auto last = static_cast<double>(flops_.size() - 1);
  if (loads >= last) return flops_.back() + (loads - last) * slope_;
  const double whole = std::floor(loads);
  const auto at = static_cast<std::size_t>(whole);
  return flops_[at] + (loads - whole) * (flops_[at + 1] - flops_[at]);
}

double LoadedWork::loads_for(double flops) const {
  if (flops <= 0) return 0;
  const auto at = std::lower_bound(flops_.begin(), flops_.end(), flops) - flops_.begin();
  const auto above = static_cast<std::size_t>(at);
  if (above < flops_.size()) {
    const double step = flops_[above] - flops_[above - 1];
    return static_cast<double>(above) - (flops_[above] - flops) / step;
  }
  if (slope_ <= 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(flops_.size() - 1) + (flops - flops_.back()) / slope_;
}

LoadedWork pair_loaded_work(const PairWork& work, std::uint64_t memory) {
  const std::uint64_t k = std::min(memory - std::min<std::uint64_t>(memory, 1), work.most_partners);
  std::vector<double> flops;
  for (std::uint64_t x = 0; x <= (work.two_sided ? 2 * k : k + 1); ++x) {
    flops.push_back(work.of_data * static_cast<double>(x) +
                    work.of_pair * most_pairs(x, k, work.two_sided));
  }
  return {std::move(flops), work.of_data + work.of_pair * static_cast<double>(k)};
}

LoadedWork run_loaded_work(const std::function<double(double)>& tasks_of, double of_task,
                           double of_data, std::uint64_t memory) {
  const auto held = static_cast<double>(memory);
  double run = 1;
  double slope = std::numeric_limits<double>::infinity();
  const std::uint64_t step = std::max<std::uint64_t>(1, memory / 32);
  for (std::uint64_t x = step; x <= 5 * memory; x += step) {
    const auto length = static_cast<double>(x);
    const double gain = tasks_of(held + length) / length;
    if (gain >= slope) continue;
    slope = gain;
    run = length;
  }
  std::vector<double> flops{0};
  for (double x = 1; tasks_of(x + run) - tasks_of(x) <= slope * run || x <= held; ++x) {
    flops.push_back(of_data * x + of_task * tasks_of(x));
  }
  return {std::move(flops), of_data + of_task * slope};
}

double most_box_tasks(double data) { return std::pow(data / 3, 1.5); }

double most_triangles(double edges) { return std::numbers::sqrt2 / 3 * edges * std::sqrt(edges); }

PairWork pair_work(const TaskGraph& graph) { return Pairs(graph).count(); }

}  // namespace damocles
