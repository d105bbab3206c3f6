#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "models/winner_tree.hpp"
#include "strategies/parts/enabled_task_index.hpp"
#include "strategies/parts/open_users.hpp"
#include "strategies/parts/resident_list.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// What the options say.
struct Rules {
  bool starpu;            ///< StarPU's choice of data, not Algorithm 5's
  bool three_inputs;      ///< when nothing is free, look one load further
  bool first_found;       ///< OPTI: any data item that frees a task will do
  std::size_t threshold;  ///< look at so many data items; 0: at all
  bool drop_planned;      ///< planned tasks that lose an input are planned no longer (LUF, line 8)
  bool lose_evicted;      ///< evicted data are never looked at again (Algorithm 5 without LUF)

  explicit Rules(const StrategyContext& context)
      : starpu(word_of(context.spec, "choice", "paper") == "starpu"),
        three_inputs(word_of(context.spec, "inputs", "2") == "3"),
        first_found(flag_of(context.spec, "opti", false)),
        threshold(whole_of(context.spec, "threshold", 0)),
        drop_planned(word_of(context.spec, "eviction", "luf") == "luf"),
        lose_evicted(
            word_of(context.spec, "evicted",
                    drop_planned || context.workload.has_dependencies() ? "back" : "lost") ==
            "lost") {}

  /// Least inputs of the tasks counted one load further on; 0: not counted.
  [[nodiscard]] std::size_t pair_inputs() const { return starpu ? 2 : three_inputs ? 3 : 0; }
};

/// How good a data item is to load next; smaller is better. Equal costs are told apart by `tie` and
/// `last`. With choice=paper these are the highest priority among the open tasks that read the
/// item, and the number of these tasks. With choice=starpu they are the tasks freed together with
/// those one load away, and the work of the open tasks.
struct Rank {
  double cost = std::numeric_limits<double>::infinity();
  std::uint64_t tie = ~std::uint64_t{0};
  double last = 0;
  std::uint32_t salt = ~std::uint32_t{0};

  /// Whether the data item may be chosen.
  [[nodiscard]] bool valid() const { return salt != ~std::uint32_t{0}; }
  /// Better by more than its place in the random order.
  [[nodiscard]] bool beats(const Rank& other) const {
    if (cost != other.cost) return cost < other.cost;
    if (tie != other.tie) return tie < other.tie;
    return last < other.last;
  }
  bool operator==(const Rank&) const = default;
  friend bool operator<(const Rank& a, const Rank& b) {
    if (a.beats(b) || b.beats(a)) return a.beats(b);
    return a.salt < b.salt;
  }
};

/// A number for each double, in the same order; one for both zeros.
std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// One processor as DARTS sees it. What it keeps of data items goes by EnabledTaskIndex::number().
struct Gpu {
  /// Of a data item.
  struct Marks {
    std::uint32_t reserved_uses = 0;  ///< planned tasks that read it
    bool lost = false;                ///< evicted once, and not looked at since
  };

  std::size_t id = 0;
  std::size_t unfinished = 0;  ///< tasks granted to it
  std::deque<Index> planned;   ///< reserved for it, not granted yet
  std::vector<Index> free;     ///< found to lack nothing, by the way; maybe taken since
  std::vector<Marks> marks;    ///< those behind have none
  /// For a threshold: all data, those never loaded in random order, then as they were evicted.
  std::optional<ResidentList> waiting;
  /// Of each data item, no worse than its rank, which falls as tasks that read it are taken.
  WinnerTree<Rank> by_frees{Rank{}};
  WinnerTree<Rank> by_nearly{Rank{}};
};

/// DARTS: the data that frees the most tasks is loaded, and those tasks are planned.
///
/// Exact and incremental: the same choices as Algorithm 5 taken literally (tests/strategies/
/// darts_oracle.hpp), at the cost of the tasks whose missing inputs change. Random ties: each
/// processor prefers data in a random order of its own, and random tasks come in one random order.
/// After a random task, open tasks that happen to lack nothing are planned before another data item
/// is looked for. A task without inputs depends on no data item, and is taken only as a random
/// task.
///
/// choice=starpu ranks by transfer time over the time of the tasks freed, then by most tasks freed,
/// most tasks one load away, most work left, lowest id; and where nothing is free takes the first
/// task one load away of the data that has most of them, then most work left, else the open task of
/// highest priority. (StarPU puts the highest priority among the tasks freed before the tasks one
/// load away: not done here.) Sums of flops are exact where these are whole numbers below 2^53 in
/// sum; else ties may fall otherwise.
///
/// Where tasks wait for others only those that are ready are open. Of data that free as many tasks
/// the one goes first of whose open users one has the highest priority (COMPAS'23, section 4.3),
/// and where nothing is free the ready task of the highest priority is taken, not a random one
/// (nothing is said of it there; StarPU's code does so). Evicted data may be chosen again, as
/// what another processor wrote leaves the memory too. An idle processor that finds no open task
/// takes one that is planned for another: the last one of the processor that has the most, so that
/// nobody waits while others have tasks to spare. A processor takes a further task only when the
/// inputs of all it has are there: a deep buffer would choose before better tasks are released.
///
/// Source: IPDPS'22, Algorithm 5, section V-E (3inputs), V-F (OPTI), V-C (threshold).
class Darts final : public Strategy {
 public:
  explicit Darts(const StrategyContext& context)
      : graph_(context.workload.graph()),
        rules_(context),
        enabled_(graph_, context.platform.processors(), rules_.pair_inputs()),
        counts_looks_(context.platform.machine && context.platform.machine->decision_s > 0) {
    Rng rng = context.rng;
    const bool ordered = context.workload.has_dependencies();
    for (std::size_t k = 0; k < context.platform.processors(); ++k) {
      gpus_.emplace_back().id = k;
      draw_order(gpus_.back(), rng);
      if (ordered) planned_.push_back(0);
    }
    std::vector<Index> order(graph_.tasks());
    std::iota(order.begin(), order.end(), Index{0});
    if (rules_.starpu || ordered) {
      std::stable_sort(order.begin(), order.end(),
                       [&](Index a, Index b) { return graph_.priority(a) > graph_.priority(b); });
    } else {
      rng.shuffle(std::span(order));
    }
    open_.emplace(graph_, std::move(order));
  }

  std::optional<ProcessorId> on_ready(TaskId task) override {
    give_back(static_cast<Index>(raw(task)));
    return std::nullopt;
  }
  [[nodiscard]] bool consume_wakeup() override { return std::exchange(woke_, false); }
  [[nodiscard]] bool waits_for_inputs() const override { return planned_.size() > 0; }

  /// Where decisions take time, even one that grants nothing waits until those before have ended.
  [[nodiscard]] bool exhausted() const override {
    return !counts_looks_ && open_->empty() && planned_tasks_ == 0;
  }
  [[nodiscard]] bool may_grant(ProcessorId processor) const override {
    const Gpu& gpu = gpus_[raw(processor)];
    return counts_looks_ || !open_->empty() || !gpu.planned.empty() ||
           (gpu.unfinished == 0 && planned_tasks_ > 0);
  }

  void request(ProcessorId processor, Grant& grant) override {
    Gpu& gpu = gpus_[raw(processor)];
    if (gpu.planned.empty() && !open_->empty()) plan(gpu);
    if (gpu.planned.empty() && gpu.unfinished == 0) take_from_longest(gpu);
    if (gpu.planned.empty()) return;
    const Index task = gpu.planned.front();
    gpu.planned.pop_front();
    --planned_tasks_;
    note_planned(gpu);
    ++gpu.unfinished;
    for (const Index input : graph_.inputs(task)) --marks(gpu, input).reserved_uses;
    grant.tasks.add(TaskId{task});
  }

  void on_finished(ProcessorId processor, TaskId) override { --gpus_[raw(processor)].unfinished; }

  void on_loaded(ProcessorId processor, DataId data) override {
    const auto d = static_cast<Index>(raw(data));
    Gpu& gpu = gpus_[raw(processor)];
    if (!enabled_.in_view(gpu.id, d)) show(gpu, d);
  }

  void on_evicted(ProcessorId processor, DataId data) override {
    const auto d = static_cast<Index>(raw(data));
    Gpu& gpu = gpus_[raw(processor)];
    enabled_.hide(gpu.id, d);
    if (rules_.lose_evicted) {
      marks(gpu, d).lost = true;
    } else if (gpu.waiting) {
      gpu.waiting->touch(data);  // line 9: pushed to dataNotInMem
    }
    if (rules_.drop_planned && known_marks(gpu, d).reserved_uses > 0) drop_planned(gpu, d);
  }

  [[nodiscard]] std::uint64_t inspected_items() const override { return looked_at_; }

  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId processor, DataId data) const override {
    return known_marks(gpus_[raw(processor)], static_cast<Index>(raw(data))).reserved_uses;
  }

  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, DataId data) override {
    const Gpu& gpu = gpus_[raw(processor)];
    if (reserved_uses(processor, data) == 0) return never;
    const auto users = graph_.users(static_cast<Index>(raw(data)));
    const auto at = std::find_if(gpu.planned.begin(), gpu.planned.end(), [&](Index task) {
      return std::binary_search(users.begin(), users.end(), task);
    });
    return static_cast<std::uint64_t>(at - gpu.planned.begin());
  }

 private:
  /// Puts the data in the processor's random order, that of their numbers with choice=starpu.
  void draw_order(Gpu& gpu, Rng& rng) {
    std::vector<Index> order(graph_.data());
    std::iota(order.begin(), order.end(), Index{0});
    if (!rules_.starpu) rng.shuffle(std::span(order));
    enabled_.set_order(gpu.id, order);
    if (rules_.threshold == 0) return;
    gpu.waiting.emplace(graph_.data());
    for (const Index data : order) gpu.waiting->push_back(DataId{data});
  }

  [[nodiscard]] Gpu::Marks& marks(Gpu& gpu, Index data) {
    const Index number = enabled_.numbered(gpu.id, data);
    if (number >= gpu.marks.size()) gpu.marks.resize(number + 1);
    return gpu.marks[number];
  }
  [[nodiscard]] Gpu::Marks known_marks(const Gpu& gpu, Index data) const {
    const Index number = enabled_.number(gpu.id, data);
    return number < gpu.marks.size() ? gpu.marks[number] : Gpu::Marks{};
  }

  /// @pre nothing is planned for the processor
  void plan(Gpu& gpu) {
    if (!rules_.lose_evicted && plan_free(gpu)) return;
    enabled_.for_each_changed(gpu.id, [&](Index number) { rank_anew(gpu, number); });
    if (counts_looks_) looked_at_ += looks(gpu);
    if (const auto data = best_data(gpu)) {
      fresh_ = enabled_.show(gpu.id, *data);
      plan_fresh(gpu);
      return;
    }
    const auto near = nearly_free(gpu);
    const Index task = near ? *near : open_->first();
    fresh_.push_back(task);
    plan_fresh(gpu);
    for (const Index input : graph_.inputs(task)) {
      if (!enabled_.in_view(gpu.id, input)) show(gpu, input);
    }
  }

  /// Plans the open tasks found to lack nothing; true if there were any.
  bool plan_free(Gpu& gpu) {
    std::sort(gpu.free.begin(), gpu.free.end());
    gpu.free.erase(std::unique(gpu.free.begin(), gpu.free.end()), gpu.free.end());
    for (const Index task : gpu.free) {
      if (open_->contains(task) && enabled_.is_free(gpu.id, task)) fresh_.push_back(task);
    }
    gpu.free.clear();
    const bool any = !fresh_.empty();
    plan_fresh(gpu);
    return any;
  }

  void plan_fresh(Gpu& gpu) {
    for (const Index task : fresh_) {
      take(task);
      gpu.planned.push_back(task);
      for (const Index input : graph_.inputs(task)) ++marks(gpu, input).reserved_uses;
    }
    planned_tasks_ += fresh_.size();
    fresh_.clear();
    note_planned(gpu);
  }

  /// The processor is idle and no task is open: it takes the last task planned for the processor
  /// that has the most.
  void take_from_longest(Gpu& gpu) {
    if (planned_.size() == 0) return;
    Gpu& longest = gpus_[planned_.best()];
    if (longest.planned.empty()) return;
    const Index task = longest.planned.back();
    longest.planned.pop_back();
    note_planned(longest);
    gpu.planned.push_back(task);
    for (const Index input : graph_.inputs(task)) {
      --marks(longest, input).reserved_uses;
      ++marks(gpu, input).reserved_uses;
      if (!enabled_.in_view(gpu.id, input)) show(gpu, input);
    }
  }

  /// How many tasks are planned for the processor has changed.
  void note_planned(const Gpu& gpu) {
    if (planned_.size() == 0) return;
    planned_.set(gpu.id, -static_cast<std::int64_t>(gpu.planned.size()));
  }

  void take(Index task) {
    open_->close(task);
    enabled_.take(task);
  }
  void give_back(Index task) {
    woke_ = true;
    open_->open(task);
    for (const std::uint32_t k : enabled_.give_back(task)) gpus_[k].free.push_back(task);
    // What the task accesses has more open users now.
    for (const Index input : graph_.inputs(task)) enabled_.note_watched(input);
  }

  void show(Gpu& gpu, Index data) {
    const auto& free = enabled_.show(gpu.id, data);
    gpu.free.insert(gpu.free.end(), free.begin(), free.end());
  }

  /// Line 8 of Algorithm 6: tasks that lost `data` go back to all.
  void drop_planned(Gpu& gpu, Index data) {
    std::vector<Index> dropped;
    std::erase_if(gpu.planned, [&](Index task) {
      const auto inputs = graph_.inputs(task);
      const bool reads = std::find(inputs.begin(), inputs.end(), data) != inputs.end();
      if (reads) dropped.push_back(task);
      return reads;
    });
    planned_tasks_ -= dropped.size();
    note_planned(gpu);
    for (const Index task : dropped) {
      for (const Index input : graph_.inputs(task)) --marks(gpu, input).reserved_uses;
      give_back(task);
    }
    // Their other inputs stay in view: what is not in memory is read by a granted task, as the
    // first of the tasks planned for a data item is granted at once.
  }

  void rank_anew(Gpu& gpu, Index number) {
    const EnabledTaskIndex::Item& item = enabled_.numbered_item(gpu.id, number);
    bool changed = put(gpu.by_frees, number, rank(gpu, item));
    bool watched = gpu.by_frees.key(number).valid();
    if (rules_.pair_inputs() > 0) {
      changed = put(gpu.by_nearly, number, nearly_rank(gpu, item)) || changed;
      watched = watched || gpu.by_nearly.key(number).valid();
    }
    if (changed) enabled_.watch(gpu.id, item.data, watched);
  }

  /// Whether it is another rank than before.
  static bool put(WinnerTree<Rank>& keys, Index number, const Rank& rank) {
    while (keys.size() <= number) keys.push_back(Rank{});
    if (keys.key(number) == rank) return false;
    keys.set(number, rank);
    return true;
  }

  /// The data item of the best rank, where one is valid.
  std::optional<Index> best_of(Gpu& gpu, WinnerTree<Rank>& keys) {
    while (keys.size() > 0) {
      const auto number = static_cast<Index>(keys.best());
      const Rank known = keys.key(number);
      if (!known.valid()) break;
      rank_anew(gpu, number);
      if (!(known < keys.key(number))) return enabled_.numbered_item(gpu.id, number).data;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool lost(const Gpu& gpu, Index data) const {
    return rules_.lose_evicted && known_marks(gpu, data).lost;
  }

  [[nodiscard]] Rank rank(const Gpu& gpu, const EnabledTaskIndex::Item& item) {
    const Index data = item.data;
    if (item.frees == 0 || lost(gpu, data)) return {};
    if (rules_.first_found) return {0, 0, 0, item.place};
    if (!rules_.starpu) {
      return {-static_cast<double>(item.frees), ordered_bits(-open_->urgency(data)),
              -static_cast<double>(open_->users(data)), item.place};
    }
    return {static_cast<double>(graph_.bytes(data)) / item.flops,
            static_cast<std::uint64_t>(~item.frees) << 32U | ~item.nearly, -open_->work(data),
            item.place};
  }

  [[nodiscard]] Rank nearly_rank(const Gpu& gpu, const EnabledTaskIndex::Item& item) const {
    if (item.nearly == 0 || lost(gpu, item.data)) return {};
    return {-static_cast<double>(item.nearly), 0, rules_.starpu ? -open_->work(item.data) : 0,
            item.place};
  }

  /// The data to load, or nothing where none frees a task.
  std::optional<Index> best_data(Gpu& gpu) {
    return rules_.threshold > 0 ? best_of_first(gpu) : best_of(gpu, gpu.by_frees);
  }

  /// The best of the first `threshold` data of the list that are not in view and that some open
  /// task reads; of equal ones the first.
  [[nodiscard]] std::optional<Index> best_of_first(const Gpu& gpu) {
    std::optional<Index> best;
    Rank best_rank;
    std::size_t seen = 0;
    DataId stopped{};
    (void)gpu.waiting->find(
        [&](DataId id) {
          const auto data = static_cast<Index>(raw(id));
          if (enabled_.in_view(gpu.id, data) || open_->users(data) == 0 || lost(gpu, data)) {
            return false;
          }
          if (seen++ == rules_.threshold) return true;
          const Rank other = rank(gpu, enabled_.item(gpu.id, data));
          if (other.valid() && (!best || other.beats(best_rank))) {
            best = data;
            best_rank = other;
          }
          return false;
        },
        stopped);
    return best;
  }

  /// What Algorithm 5 looks at to choose a data item: the open tasks of every data item that is not
  /// there, of the first `threshold` of them where there is one; with OPTI one data item is enough.
  [[nodiscard]] std::uint64_t looks(const Gpu& gpu) const {
    std::size_t data_left = rules_.first_found     ? 1
                            : rules_.threshold > 0 ? rules_.threshold
                                                   : graph_.data();
    std::uint64_t tasks = 0;
    for (std::size_t d = 0; d < graph_.data() && data_left > 0; ++d) {
      const auto data = static_cast<Index>(d);
      if (enabled_.in_view(gpu.id, data) || open_->users(data) == 0 || lost(gpu, data)) continue;
      tasks += open_->users(data);
      --data_left;
    }
    return tasks;
  }

  /// A task that lacks two inputs, of the data that most such tasks lack.
  std::optional<Index> nearly_free(Gpu& gpu) {
    const auto best = best_of(gpu, gpu.by_nearly);
    if (!best) return std::nullopt;
    const auto users = graph_.users(*best);
    return *std::find_if(users.begin(), users.end(), [&](Index task) {
      return enabled_.is_nearly_free_by(gpu.id, task, *best);
    });
  }

  const TaskGraph& graph_;
  Rules rules_;
  EnabledTaskIndex enabled_;
  std::deque<Gpu> gpus_;
  std::optional<OpenUsers> open_;  ///< in the order in which one is picked where nothing is free
  std::vector<Index> fresh_;       ///< about to be planned
  std::size_t planned_tasks_ = 0;  ///< for all processors
  bool counts_looks_;
  std::uint64_t looked_at_ = 0;
  /// Of each processor, the tasks planned for it, below 0; empty where no task waits for another.
  WinnerTree<std::int64_t> planned_{0};
  bool woke_ = false;  // see consume_wakeup()
};

const Register darts_entry{StrategyEntry{
    .name = "darts",
    .source = "IPDPS'22, Alg. 5 and 6",
    .summary = "Load the data item that enables most tasks, then run them; for scarce memory",
    .paper_names = {"DARTS+LUF", ""},
    .aliases = {{"DARTS", "eviction=lru"},
                {"DARTS+LUF-3inputs", "inputs=3"},
                {"DARTS+LUF+OPTI", "opti=true"},
                {"DARTS+LUF+OPTI-3inputs", "inputs=3,opti=true"}},
    .options =
        {{"choice",
          "how to rank data items: paper (default): most enabled tasks, then most users, then at random; "
          "starpu: as StarPU's code does",
          OptionValues::words({"paper", "starpu"})},
         {"inputs",
          "3: if no data item enables a task, load the one that brings most tasks within one load (3inputs; "
          "default 2)",
          OptionValues::words({"2", "3"})},
         {"opti",
          "true: take the first data item found that enables a task, for faster decisions (OPTI; default false)",
          OptionValues::true_or_false()},
         {"evicted",
          "back (default with luf, and for graphs with dependencies): "
          "an evicted data item may be chosen again; lost (default otherwise, as in Algorithm 5): never",
          OptionValues::words({"back", "lost"})},
         {"threshold",
          "rank only this many data items, for faster decisions: those never loaded, "
          "then those evicted longest ago (default: all)",
          OptionValues::whole(1, std::uint64_t{1} << 31U)}},
    .make = make<Darts>,
    .supports_dependencies = true,
    .loads_implicit = true,
    .eviction = "luf",
    .host_bytes = {.by_data = EnabledTaskIndex::bytes_by_data},
    .representative = true}};

}  // namespace
}  // namespace damocles
