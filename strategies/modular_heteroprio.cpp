#include <algorithm>
#include <map>

#include "strategies/parts/window_above.hpp"

namespace damocles {
namespace {

/// Tasks in buckets by how much faster than at home they are on processors with a memory of their
/// own, those within 10 % of the first of a bucket together. Such processors get tasks of the
/// bucket of the largest factor, those at home of the smallest; of a bucket the highest priority
/// first, and only if it should complete first on one of them. What not all can run goes before, as
/// by modular-heft.
///
/// Source: StarPU handbook, "Modularized Schedulers" (modular-heteroprio); buckets, 10 % and who
/// takes from which end as in its code. Its factor is that of the fastest processor over the
/// slowest, whichever is which; and where neither end fits, with nothing under way, it would wait
/// for ever: then ours places the first of the largest factor where it should complete first.
class ModularHeteroprio final : public WindowAbove {
 public:
  explicit ModularHeteroprio(const Setting& setting)
      : WindowAbove(setting, Lists::one_a_processor),
        graph_(setting.workload.graph()),
        platform_(setting.platform),
        durations_(setting.workload, setting.platform) {
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
  bool place_if(HighestPriority& bucket, bool at_home) {
    const auto choice = times().choose(bucket.first().task);
    return is_at_home(raw(choice.processor)) == at_home && place_first_of(bucket, choice);
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
    double at_home_s = 0;  // of the fastest; 0: none is there
    double away_s = 0;
    for (std::size_t p = 0; p < platform_.processors(); ++p) {
      const double takes_s = durations_.s(p, task);
      if (!durations_.runs(p, task) || takes_s <= 0) return std::nullopt;
      double& fastest_s = is_at_home(p) ? at_home_s : away_s;
      fastest_s = fastest_s > 0 ? std::min(fastest_s, takes_s) : takes_s;
    }
    return at_home_s > 0 && away_s > 0 ? at_home_s / away_s : 1;
  }
  [[nodiscard]] bool is_at_home(std::size_t processor) const {
    return platform_.limits && platform_.limits->gpus[processor].at_home;
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

const Register modular_heteroprio_entry{StrategyEntry{
    .name = "modular-heteroprio",
    .source = "StarPU handbook",
    .summary = "modular-heft; assign the tasks that GPUs accelerate most to GPUs first",
    .options = with_cost_options({room_option(), transfers_option()}),
    .make = make<ModularHeteroprio>,
    .follows_dependencies = true,
    .tells_kinds = true,
    .tasks_only = true,
    .depth = 2,
    .by_priority = true,
    .host_bytes = {.by_data = PriorityLists::bytes_by_data}}};

}  // namespace
}  // namespace damocles
