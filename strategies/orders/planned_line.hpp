#pragma once

#include <algorithm>
#include <ext/pb_ds/assoc_container.hpp>
#include <functional>
#include <iterator>
#include <map>

namespace damocles {

/// Keeps in each node of a tree of gaps, by start [s], the longest at or below it [s].
template <typename ConstNode, typename Node, typename Compare, typename Allocator>
class LongestGap {
 public:
  using metadata_type = double;  // NOLINT(readability-identifier-naming): so pb_ds calls it
  virtual ~LongestGap() = default;

  void operator()(Node node, ConstNode end) {
    double longest = (*node)->second - (*node)->first;
    for (const Node child : {node.get_l_child(), node.get_r_child()}) {
      if (ConstNode(child) != end) longest = std::max(longest, child.get_metadata());
    }
    const_cast<double&>(node.get_metadata()) = longest;  // NOLINT(*-const-cast): as pb_ds wants it
  }

  /// The start of the first gap from `from_s` on into which so long a task goes; nullptr: none.
  [[nodiscard]] const double* first(double from_s, double duration_s) const {
    return first_below(node_begin(), from_s, duration_s);
  }

 private:
  // The tree's own.
  [[nodiscard]] virtual ConstNode node_begin() const = 0;
  [[nodiscard]] virtual ConstNode node_end() const = 0;

  [[nodiscard]] const double* first_below(ConstNode node, double from_s, double duration_s) const {
    // Lengths are rounded: one that seems a little too short is looked at.
    constexpr double rounding = 1 - 1e-9;
    if (node == node_end() || node.get_metadata() < duration_s * rounding) return nullptr;
    const auto& [start_s, end_s] = **node;
    if (start_s >= from_s) {
      if (const double* const left = first_below(node.get_l_child(), from_s, duration_s)) {
        return left;
      }
      if (start_s + duration_s <= end_s) return &start_s;
    }
    return first_below(node.get_r_child(), from_s, duration_s);
  }
};

/// What is planned for one processor, in time. O(log tasks) a question and a task, as long as gaps
/// that are just too short by rounding are few.
class PlannedLine {
 public:
  /// The earliest start of so long a task from `ready_s` on [s].
  [[nodiscard]] double earliest_s(double ready_s, double duration_s) const {
    auto next = ends_.upper_bound(ready_s);
    double start_s = ready_s;
    if (next != ends_.begin()) start_s = std::max(start_s, std::prev(next)->second);
    if (next == ends_.end() || start_s + duration_s <= next->first) return start_s;
    const double* const gap = gaps_.first(next->first, duration_s);
    return gap != nullptr ? *gap : std::max(start_s, std::prev(ends_.end())->second);
  }
  /// When the last task ends [s].
  [[nodiscard]] double end_s() const { return ends_.empty() ? 0 : std::prev(ends_.end())->second; }
  /// A task is planned from then on. @pre the line is free
  void add(double start_s, double end_s) {
    const auto next = ends_.upper_bound(start_s);
    const double before_s = next == ends_.begin() ? 0 : std::prev(next)->second;
    if (before_s > start_s) return;  // a task of no time as another begins: it changes no gap
    gaps_.erase(before_s);
    if (before_s < start_s) gaps_.insert({before_s, start_s});
    if (next != ends_.end() && end_s < next->first) gaps_.insert({end_s, next->first});
    ends_[start_s] = end_s;  // in the place of one of no time, if there is one
  }

 private:
  std::map<double, double> ends_;  // of tasks, by start
  // Between tasks, and before the first: their ends, by start.
  __gnu_pbds::tree<double, double, std::less<>, __gnu_pbds::rb_tree_tag, LongestGap> gaps_;
};

}  // namespace damocles
