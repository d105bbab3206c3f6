#include "orders/panels.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// A number of 64 bits for each data item (SplitMix64), so that sets can be told apart by their
/// XOR.
std::uint64_t salt(Index data) {
  std::uint64_t x = (data + std::uint64_t{1}) * 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// Rows of indices in one array.
struct Rows {
  std::vector<std::size_t> begin;
  std::vector<Index> entries;

  [[nodiscard]] std::span<const Index> operator[](std::size_t row) const {
    return {entries.data() + begin[row], entries.data() + begin[row + 1]};
  }
};

/// For each data item, the data that its tasks read beside it, as a pivot: distinct, in order of
/// tasks.
Rows streamed_past(const TaskGraph& graph, const Pivots& pivots) {
  Rows rows{{0}, {}};
  std::vector<Index> met_by(graph.data(), Pivots::none);
  for (std::size_t x = 0; x < graph.data(); ++x) {
    const auto pivot = static_cast<Index>(x);
    for (const Index task : graph.users(pivot)) {
      if (pivots.of_task[task] != pivot) continue;
      for (const Index other : graph.inputs(task)) {
        if (other == pivot || met_by[other] == pivot) continue;
        met_by[other] = pivot;
        rows.entries.push_back(other);
      }
    }
    rows.begin.push_back(rows.entries.size());
  }
  return rows;
}

Rows transposed(const Rows& rows, std::size_t columns) {
  Rows result{std::vector<std::size_t>(columns + 1, 0), std::vector<Index>(rows.entries.size())};
  for (const Index column : rows.entries) ++result.begin[column + 1];
  for (std::size_t c = 0; c < columns; ++c) result.begin[c + 1] += result.begin[c];
  std::vector<std::size_t> next(result.begin.begin(), result.begin.end() - 1);
  for (std::size_t row = 0; row + 1 < rows.begin.size(); ++row) {
    for (const Index column : rows[row]) result.entries[next[column]++] = static_cast<Index>(row);
  }
  return result;
}

/// The growing of panels: what each open pivot still lacks of the data that stream anyway.
class Grouping {
 public:
  Grouping(const TaskGraph& graph, const Pivots& pivots, const PanelShape& shape)
      : graph_(graph),
        shape_(shape),
        others_(streamed_past(graph, pivots)),
        pivots_(transposed(others_, graph.data())),
        streams_(graph.data(), 0),
        full_(graph.data()),
        lack_(graph.data()) {
    std::vector<bool> is_pivot(graph.data(), false);
    for (const Index pivot : pivots.of_task) {
      if (pivot != Pivots::none) is_pivot[pivot] = true;
    }
    state_.assign(graph.data(), State::grouped);
    for (std::size_t x = 0; x < graph.data(); ++x) {
      if (!is_pivot[x]) continue;
      state_[x] = State::open;
      open_.push_back(static_cast<Index>(x));
      left_ += graph.bytes(static_cast<Index>(x));
      widest_ = std::max(widest_, graph.bytes(static_cast<Index>(x)));
      for (const Index other : others_[x]) {
        full_[x].bytes += graph.bytes(other);
        full_[x].set ^= salt(other);
      }
    }
    lack_ = full_;
    slots_.assign(std::bit_ceil(2 * open_.size() + 1), 0);
  }

  std::vector<std::vector<Index>> panels() {
    std::vector<std::vector<Index>> result;
    while (const auto seed = nearest_open()) {
      ++panel_;
      for (const Index x : open_) {
        lack_[x] = full_[x];
        state_[x] = State::open;
      }
      served_.clear();
      touched_.clear();
      room_ = width();
      result.emplace_back();
      take(*seed, result.back());
      while (const auto next = best_next()) take(*next, result.back());
      std::erase_if(open_, [&](Index x) { return state_[x] == State::grouped; });
    }
    return result;
  }

 private:
  enum class State : unsigned char { open, touched, grouped };
  struct Lack {
    std::uint64_t bytes = 0;
    std::uint64_t set = 0;  // XOR of the salts of what is lacking
  };
  /// Pivots that lack the same.
  struct Bundle {
    std::size_t slot;     // in the hash table
    std::uint64_t bytes;  // of the pivots
    Index first;          // the lowest of them
  };

  /// An equal share of what is left, a whole number of data where all have one size: with ceilings
  /// first, so that the turn between two panels, which costs the wider of the two, is cheapest.
  [[nodiscard]] std::uint64_t width() const {
    const std::uint64_t unit = graph_.uniform_bytes().value_or(1);
    const std::uint64_t panels = shape_.panels > panel_ ? shape_.panels - panel_ + 1 : 1;
    const std::uint64_t share = (left_ / unit + panels - 1) / panels * unit;
    return std::clamp(share, widest_, std::max(widest_, shape_.most_bytes));
  }

  /// The open pivot that lacks least of what streamed for the last panel, lowest first.
  [[nodiscard]] std::optional<Index> nearest_open() const {
    if (open_.empty()) return std::nullopt;
    return *std::min_element(open_.begin(), open_.end(),
                             [&](Index a, Index b) { return lack_[a].bytes < lack_[b].bytes; });
  }

  void take(Index pivot, std::vector<Index>& panel) {
    state_[pivot] = State::grouped;
    panel.push_back(pivot);
    room_ -= std::min(room_, graph_.bytes(pivot));
    left_ -= graph_.bytes(pivot);
    const std::size_t served_before = served_.size();
    for (const Index other : others_[pivot]) {
      if (streams_[other] == panel_) continue;
      streams_[other] = panel_;
      for (const Index x : pivots_[other]) {
        if (state_[x] == State::grouped) continue;
        lack_[x].bytes -= graph_.bytes(other);
        lack_[x].set ^= salt(other);
        if (state_[x] == State::open) touched_.push_back(x);
        state_[x] = State::touched;
        if (lack_[x].bytes == 0) served_.push_back(x);
      }
    }
    std::sort(served_.begin() + static_cast<std::ptrdiff_t>(served_before), served_.end());
  }

  [[nodiscard]] bool fits(Index x) const { return graph_.bytes(x) <= room_; }

  /// A pivot that lacks nothing, else one of the bundle with most pivots per byte it lacks.
  std::optional<Index> best_next() {
    while (!served_.empty()) {
      const Index x = served_.front();
      served_.pop_front();
      if (state_[x] != State::grouped && fits(x)) return x;
    }
    std::erase_if(touched_, [&](Index x) { return state_[x] == State::grouped || !fits(x); });
    bundle_touched();
    std::optional<Index> best;
    double best_ratio = 0;
    for (const Bundle& bundle : bundles_) {
      const std::uint64_t lacking = lack_[bundle.first].bytes;
      const double ratio = static_cast<double>(std::min(bundle.bytes, room_)) /
                           static_cast<double>(std::max<std::uint64_t>(1, lacking));
      if (ratio > best_ratio || (best && ratio == best_ratio && bundle.first < *best)) {
        best = bundle.first;
        best_ratio = ratio;
      }
    }
    if (best) return best;
    // Nothing open shares anything with the panel: begin another part beside it.
    for (const Index x : open_) {
      if (state_[x] == State::open && fits(x)) return x;
    }
    return std::nullopt;
  }

  /// Gathers the touched pivots that lack the same: a hash table whose slots are never cleared, as
  /// a slot counts only if its bundle names it back. The XOR of salts is its own hash.
  void bundle_touched() {
    bundles_.clear();
    for (const Index x : touched_) {
      std::size_t slot = lack_[x].set & (slots_.size() - 1);
      const auto used = [&] {
        return slots_[slot] < bundles_.size() && bundles_[slots_[slot]].slot == slot;
      };
      while (used() && lack_[bundles_[slots_[slot]].first].set != lack_[x].set) {
        slot = (slot + 1) & (slots_.size() - 1);
      }
      if (!used()) {
        slots_[slot] = static_cast<Index>(bundles_.size());
        bundles_.push_back({slot, 0, x});
      }
      Bundle& bundle = bundles_[slots_[slot]];
      bundle.bytes += graph_.bytes(x);
      bundle.first = std::min(bundle.first, x);
    }
  }

  const TaskGraph& graph_;
  PanelShape shape_;
  std::uint64_t left_ = 0;    // size of the pivots not grouped yet [B]
  std::uint64_t widest_ = 0;  // size of the largest pivot [B]
  std::uint64_t room_ = 0;
  Rows others_;                       // streamed past each pivot
  Rows pivots_;                       // that each data item streams past
  std::vector<std::size_t> streams_;  // number of the last panel a data item streams past
  std::vector<Lack> full_;
  std::vector<Lack> lack_;
  std::vector<State> state_;
  std::vector<Index> open_;  // ascending; those grouped in this panel still among them
  std::deque<Index> served_;
  std::vector<Index> touched_;
  std::vector<Bundle> bundles_;
  std::vector<Index> slots_;  // numbers of bundles; a power of two, twice the pivots at least
  std::size_t panel_ = 0;
};

using Sides = std::vector<signed char>;

/// Puts what is read beside a data item, as far as it has no side yet (0), on the other and into
/// the queue; false where some is on the same.
bool split_readers_of(Index data, const TaskGraph& graph, Sides& side, std::vector<Index>& queue) {
  for (const Index task : graph.users(data)) {
    for (const Index other : graph.inputs(task)) {
      if (other == data) continue;
      if (side[other] == side[data]) return false;
      if (side[other] != 0) continue;
      side[other] = static_cast<signed char>(-side[data]);
      queue.push_back(other);
    }
  }
  return true;
}

/// A side (1 or -1) for each data item, or nothing where some task reads more than one of a side.
std::optional<Sides> two_sides(const TaskGraph& graph) {
  if (graph.widest() > 2) return std::nullopt;
  Sides side(graph.data(), 0);
  std::vector<Index> queue;
  for (std::size_t first = 0; first < graph.data(); ++first) {
    if (side[first] != 0) continue;
    side[first] = 1;
    queue.assign(1, static_cast<Index>(first));
    // NOLINTNEXTLINE(modernize-loop-convert): the queue grows meanwhile
    for (std::size_t at = 0; at < queue.size(); ++at) {
      if (!split_readers_of(queue[at], graph, side, queue)) return std::nullopt;
    }
  }
  return side;
}

}  // namespace

std::vector<Pivots> choices_of_pivots(const TaskGraph& graph) {
  const auto side = two_sides(graph);
  const std::size_t choices = std::clamp<std::size_t>(graph.widest(), 1, 3);
  std::vector<Pivots> result(choices);
  for (std::size_t choice = 0; choice < choices; ++choice) {
    auto& of_task = result[choice].of_task;
    of_task.assign(graph.tasks(), Pivots::none);
    for (std::size_t t = 0; t < graph.tasks(); ++t) {
      const auto inputs = graph.inputs(static_cast<Index>(t));
      if (inputs.empty()) continue;
      of_task[t] = inputs[std::min(choice, inputs.size() - 1)];
      if (side && (*side)[of_task[t]] != (choice == 0 ? 1 : -1)) {
        of_task[t] = inputs[inputs.size() - 1 - std::min(choice, inputs.size() - 1)];
      }
    }
  }
  return result;
}

std::vector<std::vector<Index>> group_in_panels(const TaskGraph& graph, const Pivots& pivots,
                                                const PanelShape& shape) {
  return Grouping(graph, pivots, shape).panels();
}

}  // namespace damocles
