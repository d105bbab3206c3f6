#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/dependencies.hpp"
#include "orders/implied_waits.hpp"

namespace damocles {

/// What a static schedule plans with, in whatever unit of time.
struct PlannedCosts {
  /// duration(task, processor), infinite where it cannot run; some processor can run each.
  std::function<double(Dependencies::Index, std::size_t)> duration_s;
  /// What passing data from a task to one that waits for it takes, on average over pairs of
  /// processors.
  std::function<double(Dependencies::Index, Dependencies::Index)> transfer_s;
  /// What it takes between these two, over that average.
  std::function<double(std::size_t, std::size_t)> share = [](std::size_t from, std::size_t to) {
    return from == to ? 0.0 : 1.0;
  };
  /// Any number of the processor: between two processors, `share` follows from their two numbers.
  std::function<double(std::size_t)> site = [](std::size_t k) { return static_cast<double>(k); };
};

/// Tasks, who waits for whom, and what all of it takes: what static schedules are made from.
///
/// A wait that passes nothing and follows from others is left out, so that schedules do not depend
/// on whether it was given. Durations of tasks that take the same everywhere are kept once.
class PlannedGraph {
 public:
  using Index = Dependencies::Index;
  struct Neighbour {
    Index task = 0;
    double transfer_s = 0;  ///< of what passes between, on average over pairs of processors
  };

  /// Asks each duration and each transfer once, and `costs.share` once for two sites.
  PlannedGraph(const Dependencies& dependencies, std::size_t tasks, std::size_t processors,
               const PlannedCosts& costs);

  [[nodiscard]] std::size_t tasks() const { return order_.size(); }
  [[nodiscard]] std::size_t processors() const { return processors_; }
  /// All tasks, each after those that it waits for.
  [[nodiscard]] const std::vector<Index>& order() const { return order_; }
  /// The tasks that this one waits for.
  [[nodiscard]] std::span<const Neighbour> before(Index task) const { return before_.of(task); }
  /// The tasks that wait for it.
  [[nodiscard]] std::span<const Neighbour> after(Index task) const { return after_.of(task); }

  [[nodiscard]] double duration_s(Index task, std::size_t processor) const {
    return durations_s_[kinds_[task] * processors_ + processor];
  }
  [[nodiscard]] bool runs(Index task, std::size_t processor) const;
  /// Over the processors that run the task.
  [[nodiscard]] double mean_s(Index task) const { return means_s_[kinds_[task]]; }
  /// Between these two.
  [[nodiscard]] double transfer_s(const Neighbour& neighbour, std::size_t from,
                                  std::size_t to) const {
    return from == to ? 0 : transfer_between_s(neighbour, sites_[from], sites_[to]);
  }
  /// Processors of one site, which is below sites(), pass alike to and from all others.
  [[nodiscard]] std::size_t sites() const { return site_count_; }
  [[nodiscard]] std::size_t site(std::size_t processor) const { return sites_[processor]; }
  /// All processors, ascending, together with those of their site that take as long for every task.
  [[nodiscard]] std::vector<std::vector<std::size_t>> alike() const;
  /// Between two processors of these sites; 0 where a site has no two.
  [[nodiscard]] double transfer_between_s(const Neighbour& neighbour, std::size_t from_site,
                                          std::size_t to_site) const {
    const double share = shares_[from_site * site_count_ + to_site];
    return share == 0 ? 0 : share * neighbour.transfer_s;
  }

 private:
  /// Of each task some others, in compressed rows.
  struct Rows {
    std::vector<std::size_t> begins;
    std::vector<Neighbour> all;

    [[nodiscard]] std::span<const Neighbour> of(Index task) const {
      return {all.data() + begins[task], all.data() + begins[task + 1]};
    }
  };

  void ask_durations(const PlannedCosts& costs, std::size_t tasks);
  void ask_shares(const PlannedCosts& costs);
  void list(const std::vector<PlannedWait>& waits, std::size_t tasks);

  std::size_t processors_;
  std::vector<Index> order_;
  Rows before_;
  Rows after_;
  std::vector<std::size_t> kinds_;   // by task; tasks of one kind take the same everywhere
  std::vector<double> durations_s_;  // by kind and processor
  std::vector<double> means_s_;      // by kind
  std::size_t site_count_ = 0;
  std::vector<std::uint32_t> sites_;  // by processor
  std::vector<double> shares_;        // by two sites
};

/// All tasks: of those that wait for none but taken ones the one of the highest priority is taken
/// next; ties: the lower task. O((tasks + waits) log tasks).
///
/// @param priorities  shape (tasks)
[[nodiscard]] std::vector<PlannedGraph::Index> by_priority(const PlannedGraph& graph,
                                                           const std::vector<double>& priorities);

/// The upward rank: the mean duration, and the longest way of mean durations and transfers behind
/// it; rank(t) = mean(t) + max over u after t of (transfer(t, u) + rank(u)), shape (tasks).
/// Source: Topcuoglu, Hariri & Wu, TPDS 2002, equation 8.
[[nodiscard]] std::vector<double> upward_ranks(const PlannedGraph& graph);

/// The downward rank: the longest way to the task's start; rank(t) = max over u before t of
/// (rank(u) + mean(u) + transfer(u, t)), shape (tasks). Source: the same, equation 10.
[[nodiscard]] std::vector<double> downward_ranks(const PlannedGraph& graph);

/// The static level: the longest way of `weights` to the end, transfers not counted;
/// level(t) = w(t) + max over u after t of level(u), shape (tasks).
/// Source: Adam, Chandy & Dickson, CACM 1974.
[[nodiscard]] std::vector<double> static_levels(const PlannedGraph& graph,
                                                const std::vector<double>& weights);
/// Of each task, shape (tasks).
[[nodiscard]] std::vector<double> mean_durations(const PlannedGraph& graph);

/// What is left behind a task that runs on the processor, if every later task ran where that is
/// least: cost(t, k) = max over u after t of min over q of (cost(u, q) + duration(u, q) +
/// transfer(t, u) from k to q); 0 where nothing is behind it. By task, then processor.
/// O(e (p + sites^2)).
/// Source: Arabnejad & Barbosa, TPDS 2014, equation 5; cost + duration is the best imaginary level
/// of Oh & Ha, Euro-Par 1996.
[[nodiscard]] std::vector<double> optimistic_costs(const PlannedGraph& graph);

}  // namespace damocles
