#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/rng.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/mean_of_draws.hpp"
#include "ode/limited_memory/pace.hpp"
#include "ode/limited_memory/prediction_streams.hpp"
#include "ode/limited_memory/recency_list.hpp"
#include "ode/limited_memory/task_views.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

constexpr Index none = ~Index{0};
/// A mask, for loops without branches.
constexpr Index all_ones_if(bool true_here) { return Index{0} - static_cast<Index>(true_here); }

/// What the options of darts say.
struct ChoiceRules {
  explicit ChoiceRules(const LimitedRun& run)
      : luf(run.eviction == "luf"),
        lose_evicted(run.strategy.word("evicted").value_or(luf ? "back" : "lost") == "lost"),
        pairs(run.strategy.word("inputs") == "3"),
        first_found(run.strategy.word("opti") == "true"),
        ready_first(run.strategy.word("buffer") == "ready"),
        threshold(run.strategy.integer("threshold", 1, std::uint64_t{1} << 31U).value_or(0)) {}

  bool luf;               ///< planned tasks that lose an input are open again; else LRU
  bool lose_evicted;      ///< a data item that was evicted is not chosen again
  bool pairs;             ///< when nothing enables a task, looks one load further
  bool first_found;       ///< any data item that enables a task will do
  bool ready_first;       ///< of the tasks in the buffer, the one that lacks the fewest goes first
  std::size_t threshold;  ///< looks at so many data items; 0: at all
};

/// One processor of the chain.
struct Chooser {
  Chooser(std::size_t number, std::size_t data, Rng& rng)
      : id(number),
        salt(data),
        by_salt(data),
        held(data),
        waiting(data),
        not_lost(data, ~Index{0}) {
    std::iota(salt.begin(), salt.end(), 0U);
    rng.shuffle(std::span<std::uint32_t>(salt));
    for (Index item = 0; item < data; ++item) by_salt[salt[item]] = item;
  }
  std::size_t id;
  std::vector<std::uint32_t> salt;  // order among equal data items
  std::vector<Index> by_salt;       // data items in that order
  RecencyList held;
  RecencyList waiting;  // with a threshold: all, those never loaded first
  std::vector<Index>
      not_lost;             // by data item, a mask: 0 where it was evicted for ever, else all ones
  std::vector<Index> free;  // tasks found to lack nothing, by the way; maybe taken since
  std::vector<Index> list;  // its tasks, as they were planned
  std::size_t taken = 0;    // of them, into the buffer
  std::size_t asked = 0;    // of them, those whose inputs were requested
};

/// darts, decision by decision, without a simulator: a processor decides when its buffer has room
/// and nothing is planned for it. What it chose is in view at once, and loaded when the tasks
/// before have their inputs.
class ChoiceChain {
 public:
  ChoiceChain(const LimitedRun& run, std::uint64_t draw)
      : run_(run),
        rules_(run),
        views_(*run.graph, run.processors, rules_.pairs),
        rng_(0, Draw::prediction, draw, prediction_stream::choices),
        order_(run.tasks()),
        kept_(run.data(), 0),
        uses_(run.data(), 0) {
    std::iota(order_.begin(), order_.end(), Index{0});
    rng_.shuffle(std::span<Index>(order_));
    for (std::size_t k = 0; k < run.processors; ++k) {
      all_.emplace_back(k, run.data(), rng_);
      if (rules_.threshold > 0) put_in_order(all_.back());
    }
  }

  /// Infinite loads where choices undo each other for ever: a buffer that holds more than fits into
  /// memory opens the tasks again that it planned.
  [[nodiscard]] LimitedPrediction outcome(std::uint64_t draw) {
    const auto next = [&](std::size_t k, std::size_t) { return take(all_[k]); };
    const auto loads = [&](std::size_t k, std::size_t unfinished) {
      return request(all_[k], unfinished);
    };
    LimitedPrediction result =
        paced_run(run_, {.next = next, .loads = loads}, Taken::when_there_is_room, draw);
    if (choices_ > most_choices()) {
      return {.loads = std::numeric_limits<double>::infinity(), .makespan_s = 0};
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t most_choices() const { return 4 * run_.tasks() + 1000; }

  /// A task that is planned for the processor, after a decision where none is.
  std::optional<TaskLoads> take(Chooser& one) {
    if (one.taken == one.list.size() && views_.left() > 0 && ++choices_ <= most_choices()) {
      choose(one);
    }
    if (one.taken == one.list.size()) return std::nullopt;
    return TaskLoads{.task = one.list[one.taken++]};
  }
  /// What the first task lacks whose inputs were not requested, and room for it; nothing: there is
  /// no room yet.
  std::optional<TaskLoads> request(Chooser& one, std::size_t unfinished) {
    const std::size_t done = one.taken - unfinished;
    if (rules_.ready_first) bring_readiest_forward(one);
    const Index task = one.list[one.asked];
    const auto inputs = run_.graph->inputs(task);
    TaskLoads loads{.task = task, .needed = lacks(one, task)};
    if (!may_make_room(one, done, loads.needed)) return std::nullopt;
    for (const Index data : inputs) {
      if (one.held.holds(data)) continue;
      if (one.held.size() >= run_.memory) evict(one, done);
      one.held.add(data);
      if (!views_.in_view(one.id, data)) views_.show(one.id, data, one.free);
    }
    for (const Index data : inputs) one.held.touch(data);
    ++one.asked;
    return loads;
  }

  [[nodiscard]] std::uint32_t lacks(const Chooser& one, Index task) const {
    const auto inputs = run_.graph->inputs(task);
    return static_cast<std::uint32_t>(std::count_if(
        inputs.begin(), inputs.end(), [&](Index data) { return !one.held.holds(data); }));
  }
  void bring_readiest_forward(Chooser& one) const {
    const auto first = one.list.begin() + static_cast<std::ptrdiff_t>(one.asked);
    const auto end = one.list.begin() + static_cast<std::ptrdiff_t>(one.taken);
    const auto readiest = std::min_element(
        first, end, [&](Index a, Index b) { return lacks(one, a) < lacks(one, b); });
    std::rotate(first, readiest, readiest + 1);
  }
  static void put_in_order(Chooser& one) {
    for (const Index data : one.by_salt) one.waiting.add(data);
  }

  [[nodiscard]] bool may_choose(const Chooser& one, Index data) const {
    return !views_.in_view(one.id, data) && one.not_lost[data] != 0;
  }
  /// Whether it is better to load than the other: enables more open tasks, or is read by more.
  [[nodiscard]] bool beats(const Chooser& one, Index data, Index other) const {
    if (rules_.first_found) return false;
    const Index frees = views_.frees(one.id, data);
    const Index others = views_.frees(one.id, other);
    if (frees != others) return frees > others;
    return views_.users(data) > views_.users(other);
  }
  /// The data item out of view that enables most open tasks; ties: that most open tasks read. Each
  /// criterion has a loop of its own, which the compiler turns into vector instructions.
  [[nodiscard]] std::optional<Index> best_data(const Chooser& one) const {
    if (rules_.threshold > 0) return best_of_first(one);
    const std::size_t items = run_.data();
    const Index* const frees = views_.all_frees(one.id).data();
    const Index* const users = views_.all_users().data();
    const Index* const not_lost = one.not_lost.data();
    const Index* const salt = one.salt.data();
    Index most_freed = 0;
    for (std::size_t i = 0; i < items; ++i) {
      most_freed = std::max(most_freed, frees[i] & not_lost[i]);
    }
    if (most_freed == 0) return std::nullopt;
    const Index least_freed = rules_.first_found ? 1 : most_freed;
    Index least_users = 0;
    for (std::size_t i = 0; i < items && !rules_.first_found; ++i) {
      least_users =
          std::max(least_users, users[i] & all_ones_if((frees[i] & not_lost[i]) >= least_freed));
    }
    Index first = none;
    for (std::size_t i = 0; i < items; ++i) {
      const Index enough = all_ones_if((frees[i] & not_lost[i]) >= least_freed);
      first = std::min(first, salt[i] | ~(enough & all_ones_if(users[i] >= least_users)));
    }
    return one.by_salt[first];
  }
  /// The same of the first data items that wait and that open tasks read; ties: the first.
  [[nodiscard]] std::optional<Index> best_of_first(const Chooser& one) const {
    std::optional<Index> best;
    std::size_t seen = 0;
    (void)one.waiting.oldest_if([&](Index data) {
      if (!may_choose(one, data) || views_.users(data) == 0) return false;
      if (seen++ == rules_.threshold) return true;
      if (views_.frees(one.id, data) > 0 && (!best || beats(one, data, *best))) best = data;
      return false;
    });
    return best;
  }
  /// The data item that most open tasks lack with one more.
  [[nodiscard]] std::optional<Index> nearest_data(const Chooser& one) const {
    std::optional<Index> best;
    for (Index data = 0; data < run_.data(); ++data) {
      const Index nearly = views_.nearly_frees(one.id, data);
      if (!may_choose(one, data) || nearly == 0) continue;
      const Index most = best ? views_.nearly_frees(one.id, *best) : 0;
      if (nearly > most || (nearly == most && one.salt[data] < one.salt[*best])) best = data;
    }
    return best;
  }

  void choose(Chooser& one) {
    chosen_.clear();
    if (!rules_.lose_evicted) {
      chosen_.swap(one.free);
      std::sort(chosen_.begin(), chosen_.end());
    }
    if (!std::any_of(chosen_.begin(), chosen_.end(),
                     [&](Index task) { return views_.is_free(one.id, task); })) {
      chosen_.clear();
      if (const auto data = best_data(one)) {
        views_.show(one.id, *data, chosen_);
      } else {
        choose_a_task(one);
      }
    }
    for (const Index task : chosen_) {
      if (!views_.is_free(one.id, task)) continue;
      views_.set_open(task, false);
      one.list.push_back(task);
    }
  }
  /// Where no data item enables a task: one that lacks two inputs, or any open task; and all that
  /// lack nothing then.
  void choose_a_task(Chooser& one) {
    Index task = 0;
    if (const auto near = nearest_data(one)) {
      task = views_.first_nearly_free(one.id, *near);
    } else {
      while (!views_.is_open(order_[at_])) at_ = (at_ + 1) % order_.size();
      task = order_[at_];
    }
    for (const Index data : run_.graph->inputs(task)) views_.show(one.id, data, chosen_);
    if (rules_.lose_evicted) chosen_.clear();
    chosen_.insert(chosen_.begin(), task);
  }

  /// Its next task may replace all that neither it nor the running task reads, a later one what no
  /// task of the buffer reads.
  /// @param done  of its tasks have ended
  [[nodiscard]] static bool is_for_next(const Chooser& one, std::size_t done) {
    return done + 1 >= one.asked;
  }
  void mark_kept(const Chooser& one, std::size_t done, char kept) {
    const std::size_t end = is_for_next(one, done) ? one.asked + 1 : one.taken;
    for (std::size_t t = done; t < end; ++t) {
      for (const Index data : run_.graph->inputs(one.list[t])) kept_[data] = kept;
    }
  }
  bool may_make_room(const Chooser& one, std::size_t done, std::size_t items) {
    if (one.held.size() + items <= run_.memory) return true;
    std::size_t left = one.held.size() + items - run_.memory;
    mark_kept(one, done, 1);
    (void)one.held.oldest_if([&](Index data) {
      if (kept_[data] == 0) --left;
      return left == 0;
    });
    mark_kept(one, done, 0);
    return left == 0;
  }
  /// By LUF the data item goes that the fewest tasks of the buffer read, then the fewest that are
  /// planned, which are open again; by LRU the one used least recently.
  /// @pre may_make_room()
  void evict(Chooser& one, std::size_t done) {
    constexpr std::uint64_t buffered = std::uint64_t{1} << 32U;
    const std::size_t later = std::max(one.taken, one.asked + 1);
    for (std::size_t t = one.asked + 1; rules_.luf && t < one.list.size(); ++t) {
      for (const Index data : run_.graph->inputs(one.list[t])) {
        uses_[data] += t < later ? buffered : 1;
      }
    }
    mark_kept(one, done, 1);
    std::optional<Index> victim;
    (void)one.held.oldest_if([&](Index data) {
      if (kept_[data] == 0 && (!victim || uses_[data] < uses_[*victim])) victim = data;
      return victim && uses_[*victim] == 0;
    });
    mark_kept(one, done, 0);
    for (std::size_t t = one.asked + 1; rules_.luf && t < one.list.size(); ++t) {
      for (const Index data : run_.graph->inputs(one.list[t])) uses_[data] = 0;
    }
    one.held.remove(*victim);
    views_.hide(one.id, *victim);
    if (rules_.lose_evicted) {
      one.not_lost[*victim] = 0;
    } else if (rules_.threshold > 0) {
      one.waiting.touch(*victim);
    }
    if (rules_.luf) open_again(one, *victim, later);
  }
  void open_again(Chooser& one, Index data, std::size_t from) {
    auto kept = one.list.begin() + static_cast<std::ptrdiff_t>(from);
    for (auto at = kept; at != one.list.end(); ++at) {
      const auto inputs = run_.graph->inputs(*at);
      if (std::find(inputs.begin(), inputs.end(), data) == inputs.end()) {
        *kept++ = *at;
        continue;
      }
      views_.set_open(*at, true);
      for (Chooser& other : all_) {
        if (views_.is_free(other.id, *at)) other.free.push_back(*at);
      }
    }
    one.list.erase(kept, one.list.end());
  }

  const LimitedRun& run_;
  ChoiceRules rules_;
  TaskViews views_;
  Rng rng_;
  std::vector<Index> order_;  // of tasks, where one is drawn
  std::size_t at_ = 0;
  std::vector<Chooser> all_;
  std::vector<Index> chosen_;
  std::vector<char> kept_;           // scratch, by data item
  std::vector<std::uint64_t> uses_;  // scratch, by data item
  std::size_t choices_ = 0;
};

/// The strategy draws its ties: the mean of some chains.
LimitedPrediction predict_choice_chain(const LimitedRun& run) {
  const std::uint64_t chains = run.tasks() > 100'000 ? 1 : run.tasks() > 20'000 ? 4 : 16;
  return mean_of_draws(run, chains, [](const LimitedRun& one, std::uint64_t draw) {
    return ChoiceChain(one, draw).outcome(draw);
  });
}

std::string why_too_small(const LimitedRun& run) {
  return run.memory < 6 ? "the chain of darts takes memory for 6 data items or more" : "";
}

/// Where the study found it wrong: where the buffer holds most of what is in memory, and with rules
/// by which runs differ most.
std::string why_off(const LimitedRun& run) {
  constexpr std::size_t least = 15;
  if (run.processors > 1 && run.memory < least) {
    return fmt::format("memory of {} data items on several GPUs, validated from {}", run.memory,
                       least);
  }
  if (run.depth >= run.memory) {
    return fmt::format("memory of {} data items with a buffer of {} tasks", run.memory, run.depth);
  }
  const ChoiceRules rules(run);
  if (!rules.luf) return "eviction=lru, with which one prediction in ten is more than 15 % off";
  if (rules.lose_evicted) return "evicted=lost, with which one in ten is more than 9 % off";
  return rules.first_found ? "opti=true, with which one in ten is more than 8 % off" : "";
}

const Register choice_chain_model{LimitedModel{
    .name = "choice-chain", .place = 40, .summary = "the decisions of darts, one by one"}};

const Register choice_chain_predictor{
    LimitedPredictor{.name = "darts",
                     .model = "choice-chain",
                     .evictions = {"luf", "lru"},
                     .options = {"buffer", "evicted", "inputs", "opti", "threshold"},
                     .alone = {.loads = 0.01, .makespan = 0.005},
                     .several = {.loads = 0.035, .makespan = 0.015},
                     .alone_elsewhere = {.loads = 0.02, .makespan = 0.02},
                     .several_elsewhere = {.loads = 0.03, .makespan = 0.025},
                     .different_speeds = {.loads = 0.03, .makespan = 0.02},
                     .why_unavailable = why_too_small,
                     .predict = predict_choice_chain,
                     .why_wrong = why_off}};

}  // namespace
}  // namespace damocles
