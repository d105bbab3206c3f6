#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "tests/strategies/schedule_search.hpp"

namespace damocles::testing_oracle {

/// A few processors with `memory` data each on one bus that brings a data item every `transfer_s`;
/// or each on one of its own.
struct TinyMachine {
  std::vector<double> flops_per_s;
  std::uint64_t memory;
  double transfer_s;
  double latency_s;
  std::vector<double> own_transfer_s{};  ///< of the bus that each processor has to itself

  [[nodiscard]] std::string text() const {
    return std::to_string(flops_per_s.size()) + " processors, M = " + std::to_string(memory) +
           ", transfer " + std::to_string(transfer_s) +
           (own_transfer_s.empty() ? "" : " and others") + " s, latency " +
           std::to_string(latency_s) + " s";
  }
};

/// The least makespan over all orders, splits and evictions in a relaxation of the engine: the
/// u-th load of a bus arrives latency + u transfer at the earliest, the u-th of one processor u
/// (latency + transfer), as its copies follow one another and each waits; loads take no memory on
/// their way, and a task needs its inputs resident when it starts; then any may leave.
///
/// Loads wait outside memory until their task starts, which then brings all it lacks. So a schedule
/// is a sequence of (task, processor, what stays), in the order of starts, each as early as the
/// processor and the number of loads so far allow; all sequences are searched.
class MakespanSearch {
 public:
  MakespanSearch(const TaskGraph& graph, const TinyMachine& machine)
      : graph_(graph),
        machine_(machine),
        free_s_(machine.flops_per_s.size(), 0),
        held_(machine.flops_per_s.size(), 0),
        loads_(machine.flops_per_s.size(), 0) {
    for (Index t = 0; t < graph.tasks(); ++t) inputs_.push_back(inputs_of(graph, t));
  }

  double least() {
    extend(0, 0);
    return best_;
  }

 private:
  void extend(std::uint32_t done, std::uint64_t loads) {
    const double end = *std::max_element(free_s_.begin(), free_s_.end());
    if (end >= best_) return;
    if (std::popcount(done) == static_cast<int>(graph_.tasks())) {
      best_ = end;
      return;
    }
    for (Index task = 0; task < graph_.tasks(); ++task) {
      if ((done >> task & 1U) != 0) continue;
      for (std::size_t p = 0; p < held_.size(); ++p) run(done, loads, task, p);
    }
  }

  void run(std::uint32_t done, std::uint64_t loads, Index task, std::size_t p) {
    const Mask held = held_[p];
    const double free_s = free_s_[p];
    const Mask missing = inputs_[task] & ~held;
    const std::uint64_t brought = loads + static_cast<std::uint64_t>(std::popcount(missing));
    const std::uint64_t own = loads_[p];
    loads_[p] += static_cast<std::uint64_t>(std::popcount(missing));
    double start = free_s;
    if (missing != 0) {
      const bool shared = machine_.own_transfer_s.empty();
      const double transfer_s = shared ? machine_.transfer_s : machine_.own_transfer_s[p];
      const auto on_bus = static_cast<double>(shared ? brought : loads_[p]);
      start = std::max({start, machine_.latency_s + on_bus * transfer_s,
                        static_cast<double>(loads_[p]) * (machine_.latency_s + transfer_s)});
    }
    free_s_[p] = start + graph_.flops(task) / machine_.flops_per_s[p];
    const Mask others = held & ~inputs_[task];
    const auto room = static_cast<int>(machine_.memory) - std::popcount(inputs_[task]);
    const int stay = std::min(room, std::popcount(others));  // to keep less never helps
    for (Mask kept = others;; kept = (kept - 1) & others) {
      if (std::popcount(kept) == stay) {
        held_[p] = kept | inputs_[task];
        extend(done | 1U << task, brought);
      }
      if (kept == 0) break;
    }
    held_[p] = held;
    free_s_[p] = free_s;
    loads_[p] = own;
  }

  const TaskGraph& graph_;
  const TinyMachine& machine_;
  std::vector<Mask> inputs_;
  std::vector<double> free_s_;
  std::vector<Mask> held_;
  std::vector<std::uint64_t> loads_;  // of each processor
  double best_ = std::numeric_limits<double>::infinity();
};

inline double least_makespan(const TaskGraph& graph, const TinyMachine& machine) {
  return MakespanSearch(graph, machine).least();
}

}  // namespace damocles::testing_oracle
