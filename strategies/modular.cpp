// StarPU's modularized schedulers: combinations of a few components (StarPU handbook, "Modularized
// Schedulers").
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "strategies/parts/central_queue.hpp"
#include "strategies/parts/central_window.hpp"
#include "strategies/parts/drawn_by_speed.hpp"
#include "strategies/parts/one_by_one.hpp"
#include "strategies/parts/own_queues.hpp"

namespace damocles {
namespace {

/// The ready task of the highest priority goes where it should complete first, as by dmda, while
/// fewer than 30 tasks are listed there. Otherwise it waits, and all others wait with it.
class ModularHeft final : public PriorityWindow {
 public:
  explicit ModularHeft(const StrategyContext& context) : PriorityWindow(context, 1) {}
};

/// modular-heft that looks at five tasks of the highest priority. It places the one whose placement
/// matters most. StarPU's code never compares the first of the five with the others; ours does.
class ModularHeft2 final : public PriorityWindow {
 public:
  explicit ModularHeft2(const StrategyContext& context) : PriorityWindow(context, 5) {}
};

/// modular-heft that decides the memory node only. Processors that share a memory, as the cores of
/// the host, draw from one list, the highest priority first.
class ModularHeftPrio final : public PriorityWindow {
 public:
  explicit ModularHeftPrio(const StrategyContext& context)
      : PriorityWindow(context, 1, Lists::one_a_memory) {}
};

/// Tasks in buckets by how much faster than in host memory they are on processors with a memory of
/// their own, those within 10 % of the first of a bucket together. Such processors get tasks of the
/// bucket of the largest factor, those in host memory of the smallest; of a bucket the highest
/// priority first, and only if it should complete first on one of them. What not all can run goes
/// before, as by modular-heft.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-heteroprio); buckets, 10 % and who
/// takes from which end as in its code. Its factor is that of the fastest processor over the
/// slowest, whichever is which; and where neither end fits, with nothing under way, it would wait
/// for ever: then ours places the first of the largest factor where it should complete first.
class ModularHeteroprio final : public CentralWindow {
 public:
  explicit ModularHeteroprio(const StrategyContext& context)
      : CentralWindow(context, Lists::one_a_processor),
        graph_(context.workload.graph()),
        platform_(context.platform),
        durations_(context.workload, context.platform) {
    submit_all();
  }

 private:
  void enter(Index task) override {
    const auto factor = acceleration(task);
    HighestPriority& bucket = factor ? bucket_of(*factor) : not_by_all_;
    bucket.push(graph_.priority(task), came_++, task);
  }
  bool place_one() override {
    if (not_by_all_.size() > 0) {
      const Index task = not_by_all_.first().task;
      if (place_first_of(not_by_all_, times().choose(task))) return true;
    }
    const auto filled = [](const auto& bucket) { return bucket.second.size() > 0; };
    const auto most = std::find_if(buckets_.rbegin(), buckets_.rend(), filled);
    if (most == buckets_.rend()) return false;
    if (place_if(most->second, false)) return true;
    const auto fewest = std::find_if(buckets_.begin(), buckets_.end(), filled);
    if (place_if(fewest->second, true)) return true;
    return times().idle() &&
           place_first_of(most->second, times().choose(most->second.first().task));
  }

  /// Places the first of the bucket if it should complete first on such a processor.
  bool place_if(HighestPriority& bucket, bool in_host_memory) {
    const auto choice = times().choose(bucket.first().task);
    return is_in_host_memory(raw(choice.processor)) == in_host_memory &&
           place_first_of(bucket, choice);
  }
  bool place_first_of(HighestPriority& bucket, const CompletionTimes::Choice& choice) {
    if (!has_room(choice.processor)) return false;
    const Index task = bucket.first().task;
    bucket.take_first();
    put(task, choice);
    return true;
  }
  /// Nothing where not all processors run it, or it takes no time.
  [[nodiscard]] std::optional<double> acceleration(Index task) const {
    double in_host_memory_s = 0;  // of the fastest; 0: none is there
    double away_s = 0;
    for (std::size_t p = 0; p < platform_.processors(); ++p) {
      const double takes_s = durations_.s(p, task);
      if (!durations_.runs(p, task) || takes_s <= 0) return std::nullopt;
      double& fastest_s = is_in_host_memory(p) ? in_host_memory_s : away_s;
      fastest_s = fastest_s > 0 ? std::min(fastest_s, takes_s) : takes_s;
    }
    return in_host_memory_s > 0 && away_s > 0 ? in_host_memory_s / away_s : 1;
  }
  [[nodiscard]] bool is_in_host_memory(std::size_t processor) const {
    return platform_.machine && platform_.machine->processors[processor].in_host_memory;
  }
  HighestPriority& bucket_of(double factor) {
    constexpr double alike = 0.1;
    for (auto& [first, bucket] : buckets_) {
      if (factor >= first * (1 - alike) && factor <= first * (1 + alike)) return bucket;
    }
    return buckets_[factor];
  }

  const TaskGraph& graph_;
  const Platform& platform_;
  Durations durations_;
  std::map<double, HighestPriority> buckets_;  // by the factor of the first that came
  HighestPriority not_by_all_;
  std::int64_t came_ = 0;
};

/// Tasks go to one processor after the other, whoever enabled them. Within a queue the highest
/// priority goes first. A processor without tasks steals from its next neighbour that has one for
/// it.
class ModularWs : public OwnQueues {
 public:
  explicit ModularWs(const StrategyContext& context) : OwnQueues(context, Order::by_priority) {
    submit_all();
  }

 private:
  ProcessorId place(Index) override { return in_turn(); }
  [[nodiscard]] bool steals() const override { return true; }
  std::optional<Index> steal(ProcessorId thief) override { return steal_from_neighbour(thief); }
};

using RandomFirstCome = SharedOutBySpeed<PriorityLists::Order::as_they_came>;
using RandomByPriority = SharedOutBySpeed<PriorityLists::Order::by_priority>;

/// A row of the table below.
struct Modular {
  std::string name;
  std::string summary;
  std::unique_ptr<Strategy> (*make)(const StrategyContext&);
  /// 2, or 4 where a queue of two more tasks is below each processor (-prefetching).
  std::uint64_t depth;
  bool by_priority = true;
  HostBytes host_bytes{};
  std::vector<StrategyOption> options{};
  std::vector<std::array<std::string, 2>> other_names{};  ///< StrategyEntry::aliases
};

StrategyEntry modular(Modular row) {
  return {.name = std::move(row.name),
          .source = "StarPU handbook",
          .summary = std::move(row.summary),
          .aliases = std::move(row.other_names),
          .options = std::move(row.options),
          .make = row.make,
          .supports_dependencies = true,
          .heterogeneous = true,
          .loads_implicit = true,
          .depth = row.depth,
          .by_priority = row.by_priority,
          .host_bytes = row.host_bytes};
}

/// The row of a policy with a queue for each processor.
StrategyEntry modular_queues(Modular row) {
  row.host_bytes.by_data = PriorityLists::bytes_by_data;
  return modular(std::move(row));
}

/// The row of a policy with such queues below a window, which places tasks by completion time.
StrategyEntry modular_window(Modular row) {
  row.options = with_cost_options({room_option(), transfers_option()});
  StrategyEntry entry = modular_queues(std::move(row));
  entry.loads_ahead = true;
  entry.by_residency = true;
  return entry;
}

const Register modular_schedulers{
    // Tasks in the order in which they became ready, each to the first processor that can run it.
    // StarPU's eager does the same where no task has a priority.
    modular({.name = "modular-eager",
             .summary = "Share one ready queue in FIFO order",
             .make = make<OneByOne<CentralQueue<FirstCome>>>,
             .depth = 2,
             .by_priority = false}),
    // The EAGER of COLOC'21 and IPDPS'22. `eager` takes as many tasks ahead as the machine needs.
    modular({.name = "modular-eager-prefetching",
             .summary = "modular-eager with four tasks per worker instead of two",
             .make = make<CentralQueue<FirstCome>>,
             .depth = 4,
             .by_priority = false}),
    modular_window(
        {.name = "modular-heft",
         .summary =
             "Assign by priority to the earliest completion time, while few tasks wait there",
         .make = make<ModularHeft>,
         .depth = 2}),
    modular_window({.name = "modular-heft-prio",
                    .summary = "modular-heft with one queue per memory node",
                    .make = make<ModularHeftPrio>,
                    .depth = 2}),
    modular_window(
        {.name = "modular-heft2",
         .summary = "modular-heft; of five tasks, assign the one whose placement matters most",
         .make = make<ModularHeft2>,
         .depth = 2}),
    modular_window(
        {.name = "modular-heteroprio",
         .summary = "modular-heft; assign the tasks that GPUs accelerate most to GPUs first",
         .make = make<ModularHeteroprio>,
         .depth = 2}),
    // In StarPU's modular-eager-prio the queue and its readers are one component. A task can then
    // go straight to a waiting processor. Ours are one component anyway.
    modular({.name = "modular-prio-prefetching",
             .summary = "prio with four tasks per worker instead of two",
             .make = make<CentralQueue<HighestPriority>>,
             .depth = 4,
             .other_names = {{"modular-eager-prio", ""}}}),
    modular_queues({.name = "modular-random-prefetching",
                    .summary = "random-by-speed with four tasks per worker instead of two",
                    .make = make<RandomFirstCome>,
                    .depth = 4,
                    .by_priority = false}),
    modular_queues({.name = "modular-random-prio",
                    .summary = "random-by-speed; run the highest priority first",
                    .make = make<OneByOne<RandomByPriority>>,
                    .depth = 2}),
    modular_queues({.name = "modular-random-prio-prefetching",
                    .summary = "modular-random-prio with four tasks per worker instead of two",
                    .make = make<RandomByPriority>,
                    .depth = 4}),
    modular_queues(
        {.name = "modular-ws",
         .summary = "Distribute round-robin, run by priority; idle workers steal from neighbours",
         .make = make<OneByOne<ModularWs>>,
         .depth = 2})};

}  // namespace
}  // namespace damocles
