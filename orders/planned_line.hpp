#pragma once

#include <algorithm>
#include <iterator>
#include <map>

#include "orders/gap_tree.hpp"

namespace damocles {

/// What is planned for one processor, in time. O(log tasks) a question and a task, as long as gaps
/// that are just too short by rounding are few.
class PlannedLine {
 public:
  /// The earliest start of so long a task from `ready_s` on [s].
  [[nodiscard]] double earliest_s(double ready_s, double duration_s) const {
    if (!measures(duration_s)) return earliest_of_no_time_s(ready_s, duration_s);
    const auto start_s = gaps_.first(ready_s, duration_s);
    return start_s ? *start_s : std::max(ready_s, end_s_);
  }
  /// Whether a task of that duration takes time, as times are rounded.
  [[nodiscard]] bool measures(double duration_s) const { return duration_s > gaps_.rounding_s(); }
  /// When the last task ends [s].
  [[nodiscard]] double end_s() const { return end_s_; }
  /// A task is planned from then on. @pre the line is free
  void add(double start_s, double end_s) {
    const auto next = ends_.upper_bound(start_s);
    const double before_s = next == ends_.begin() ? 0 : std::prev(next)->second;
    if (before_s > start_s) return;  // a task of no time as another begins: it changes no gap
    gaps_.erase(before_s);
    if (before_s < start_s) gaps_.insert(before_s, start_s);
    if (next != ends_.end() && end_s < next->first) gaps_.insert(end_s, next->first);
    ends_[start_s] = end_s;  // in the place of one of no time, if there is one
    end_s_ = std::prev(ends_.end())->second;
  }

 private:
  /// It also fits between tasks that follow each other without a gap.
  [[nodiscard]] double earliest_of_no_time_s(double ready_s, double duration_s) const {
    const auto next = ends_.upper_bound(ready_s);
    double start_s = ready_s;
    if (next != ends_.begin()) start_s = std::max(start_s, std::prev(next)->second);
    if (next == ends_.end() || start_s + duration_s <= next->first) return start_s;
    const auto gap = gaps_.first(next->first, duration_s);
    return gap ? *gap : std::max(start_s, end_s_);
  }

  std::map<double, double> ends_;  // of tasks, by start
  GapTree gaps_;                   // between tasks, and before the first
  double end_s_ = 0;               // of the last task
};

}  // namespace damocles
