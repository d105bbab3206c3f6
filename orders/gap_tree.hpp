#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace damocles {

/// Gaps of a time line that do not overlap, each from its start to its end [s]: which is the first
/// that is long enough?
///
/// A treap (Aragon and Seidel, FOCS 1989) ordered by start, whose nodes know the longest gap below
/// them. O(log gaps) a change and a question, as long as gaps that are just too short by rounding
/// are few.
class GapTree {
 public:
  /// @pre no other gap has this start
  void insert(double opens_s, double closes_s);
  /// Removes the gap with this start, if there is one.
  void erase(double start_s) { erase(root_, start_s); }
  /// The earliest time from `from_s` on from which a gap lasts long enough; none: nothing.
  [[nodiscard]] std::optional<double> first(double from_s, double duration_s) const {
    return first_below(root_, from_s, duration_s);
  }
  /// By how much the length of a gap may be off, as times are rounded.
  [[nodiscard]] double rounding_s() const { return rounding_s_; }

 private:
  using Index = std::uint32_t;  // of nodes
  static constexpr Index none = std::numeric_limits<Index>::max();

  struct Node {
    double start_s = 0;
    double end_s = 0;
    double longest_s = 0;  // here or below
    Index left = none;
    Index right = none;
  };

  void insert(Index& root, Index fresh);
  void erase(Index& root, double start_s);
  /// Divides a tree into gaps that start before `start_s` and others.
  void split(Index root, double start_s, Index& before, Index& others);
  /// One tree of two, all gaps of the second after those of the first.
  [[nodiscard]] Index merged(Index first, Index second);
  void update(Index root);
  [[nodiscard]] std::optional<double> first_below(Index root, double from_s,
                                                  double duration_s) const;

  std::vector<Node> nodes_;
  std::vector<Index> unused_;
  Index root_ = none;
  double rounding_s_ = 0;
};

}  // namespace damocles
