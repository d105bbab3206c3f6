#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "models/task_graph.hpp"
#include "strategies/parts/bit_rows.hpp"

namespace damocles {

/// For each processor: which data are in its view, and how many open tasks each other data item
/// would free there, kept up to date as data come and go and tasks are taken.
///
/// That is n(D) of IPDPS'22 Algorithm 5. A processor keeps only the data that concern it: those
/// that open tasks lack alone there (or with one more, where pairs are counted). They are numbered
/// in the order in which they came to. A change of view costs O(inputs of the users of the data
/// item); it costs less where many are missing, as no more than three are looked for. Taking a task
/// or giving it back visits the processors on which it counts: it goes through the views of 64
/// processors at a time. Which data changed is remembered until asked, so that whoever ranks
/// the data can do so once a decision.
class EnabledTaskIndex {
 public:
  using Index = TaskGraph::Index;

  /// For each data item on each processor [B]: its number; whether it is in view, and is watched.
  static constexpr double bytes_by_data = sizeof(Index) + 2.0 / 8;
  static constexpr Index none = std::numeric_limits<Index>::max();

  /// What a data item is to a processor.
  struct Item {
    Index data = none;
    Index place = none;        ///< in the processor's own order, see set_order()
    std::uint32_t frees = 0;   ///< open tasks that lack it alone
    std::uint32_t nearly = 0;  ///< open tasks that lack it and one more, if these are counted
    Index next = none;         ///< that changed, as this one did; `none`: it did not
    std::uint32_t known = 0;   ///< what it freed when it was last visited; `none`: it was named
    double flops = 0;          ///< of the tasks that it frees, if the others are counted
  };

  /// Nothing in view. All tasks are open or, where some wait for others, none. Tasks that lack two
  /// inputs are counted as well (Item::nearly) if they have at least `pair_inputs` inputs; 0: not
  /// at all. `graph` must outlive this.
  EnabledTaskIndex(const TaskGraph& graph, std::size_t processors, std::size_t pair_inputs);

  /// The order of the data for which the processor's Item::place stands; without it that of the
  /// graph. @pre every data item once, fewer than 2^31
  void set_order(std::size_t k, std::span<const Index> order);

  [[nodiscard]] bool in_view(std::size_t k, Index data) const { return in_view_.column(k)[data]; }
  /// What the data item is to the processor. While it is in view, no task is counted.
  [[nodiscard]] const Item& item(std::size_t k, Index data) const {
    static const Item nothing;
    const Index at = number(k, data);
    return at == none ? nothing : numbered_item(k, at);
  }
  /// Whether the task is open and lacks nothing.
  [[nodiscard]] bool is_free(std::size_t k, Index task) const;
  /// Whether the task is open, lacks `data` and one more, and counts in Item::nearly.
  [[nodiscard]] bool is_nearly_free_by(std::size_t k, Index task, Index data) const;

  /// How many data items have concerned the processor.
  [[nodiscard]] std::size_t items(std::size_t k) const { return processors_[k].items.size(); }
  [[nodiscard]] const Item& numbered_item(std::size_t k, Index number) const {
    return processors_[k].items[number];
  }
  /// The number of a data item there, or `none`.
  [[nodiscard]] Index number(std::size_t k, Index data) const {
    const Index at = processors_[k].numbers[data];
    return at < unnumbered ? at : none;
  }
  /// The same of one that concerns it from now on.
  Index numbered(std::size_t k, Index data) { return numbered(processors_[k], data); }

  /// Brings `data` into view; the open tasks that lack nothing now, ascending, until the next call.
  /// @pre !in_view(k, data)
  const std::vector<Index>& show(std::size_t k, Index data) {
    move_users(k, data, 1);
    in_view_.set(data, k);
    return free_;
  }
  /// Takes `data` out of view. @pre in_view(k, data)
  void hide(std::size_t k, Index data) {
    in_view_.clear(data, k);
    move_users(k, data, ~std::uint32_t{0});
  }
  /// The task is open no longer. @pre it is open
  void take(Index task) {
    open_[task] = 0;
    count(task, ~std::uint32_t{0});
  }
  /// The task is open again; the processors where it lacks nothing, until the next call.
  /// @pre it is not open
  const std::vector<std::uint32_t>& give_back(Index task) {
    open_[task] = 1;
    count(task, 1);
    return free_;
  }

  /// Whether a processor is to be told when something else makes a data item better to load.
  void watch(std::size_t k, Index data, bool watched) {
    watched ? watched_.set(data, k) : watched_.clear(data, k);
  }
  /// Lists `data` among the changed on all processors that watch it.
  void note_watched(Index data);
  /// Calls visit(number) for each data item whose counts are others than at the last call (where
  /// pairs are counted, have changed since), and for each that note_watched() named.
  template <typename Visit>
  void for_each_changed(std::size_t k, Visit&& visit) {
    Processor& at = processors_[k];
    for (Index number = std::exchange(at.changed, no_other); number != no_other;) {
      Item& item = at.items[number];
      const Index next = std::exchange(item.next, none);
      if (pair_inputs_ > 0 || item.frees != item.known) visit(number);
      item.known = item.frees;
      number = next;
    }
  }

 private:
  static constexpr Index no_other = none - 1;
  static constexpr Index unnumbered = Index{1} << 31U;  // and behind, by place

  struct Processor {
    std::vector<Index> numbers;  // by data; or `unnumbered` and its place
    std::vector<Item> items;     // by number
    Index changed = no_other;    // number of the first of them
  };
  /// Inputs that a task lacks, up to most_ of them.
  struct Missing {
    std::size_t count = 0;
    std::array<Index, 3> data{};
  };

  [[nodiscard]] bool is_pair(Index task) const {
    return pair_inputs_ > 0 && graph_.inputs(task).size() >= pair_inputs_;
  }
  [[nodiscard]] Missing missing(BitRows::Column in_view, Index task, Index except) const;
  void move_users(std::size_t k, Index data, std::uint32_t closer);
  void move_pair(Processor& at, Index data, const Missing& others, std::uint32_t closer);
  void count(Index task, std::uint32_t by);
  [[nodiscard]] std::array<std::uint64_t, 3> lacking(Index task, std::uint64_t word) const;
  static Index numbered(Processor& at, Index data) {
    const Index number = at.numbers[data];
    return number < unnumbered ? number : give_number(at, data);
  }
  static Index give_number(Processor& at, Index data);
  void change_frees(Processor& at, Index data, Index task, std::uint32_t by);
  static void change_nearly(Processor& at, Index data, std::uint32_t by);
  static void note(Processor& at, Index number) {
    Index& next = at.items[number].next;
    if (next == none) next = std::exchange(at.changed, number);
  }

  const TaskGraph& graph_;
  std::size_t pair_inputs_;
  std::size_t most_;  // missing inputs of a task that are looked for: it counts if it lacks fewer
  std::vector<std::uint8_t> open_;  // by task
  BitRows in_view_;                 // by data and processor
  BitRows watched_;
  std::vector<Processor> processors_;
  std::vector<std::uint32_t> free_;  // tasks or processors, see show() and give_back()
};

}  // namespace damocles
