#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "ode/correlation.hpp"
#include "ode/problem.hpp"
#include "ode/step_law.hpp"

namespace damocles {

/// What one turn of a processor brings: it adds indices until it finds open tasks, and takes them.
struct Turn {
  double tasks = 0;        ///< expected tasks taken
  double data = 0;         ///< expected data loaded
  double data_square = 0;  ///< expectation of its square
  double L = 0;            ///< expected addition to L
  double L_square = 0;     ///< expectation of its square
  double excess = 0;       ///< of the step that finds tasks, expected
};

/// Phase 1 turn by turn where open tasks are clustered (docs/explanation/theory.md, section 8).
class EndgameModel {
 public:
  /// `problem` outlives it.
  explicit EndgameModel(const Problem& problem);

  /// Numbers of open tasks at which turns are looked at, ascending from 1 to all tasks.
  [[nodiscard]] std::size_t nodes() const { return open_.size(); }
  [[nodiscard]] double open(std::size_t node) const { return open_[node]; }
  [[nodiscard]] double tau(std::size_t node) const { return tau_[node]; }
  /// A turn of group g that starts at L with open(node) tasks open.
  [[nodiscard]] Turn turn(std::size_t g, double L, std::size_t node) const;
  /// What a step of group g finds, if it finds anything, in the fluid's course.
  [[nodiscard]] StepLaw law(std::size_t g, std::size_t node) const {
    return StepLaw::finding(taken_[node][g].tasks, taken_[node][g].excess);
  }
  /// In the fluid's course.
  [[nodiscard]] const Turn& taken(std::size_t g, std::size_t node) const { return taken_[node][g]; }
  /// Where the open tasks that a node stands for begin; lowest(nodes()) is where the last end.
  [[nodiscard]] double lowest(std::size_t node) const;
  /// Expected turns of one processor of group g that start with more than `low` and at most `high`
  /// tasks open, numbers for which the node stands.
  [[nodiscard]] double turns(std::size_t g, std::size_t node, double low, double high) const;
  /// Expected open tasks after the turn that takes them to `threshold` or below.
  [[nodiscard]] double open_after(double threshold) const;
  /// E[B^2] / E[B] of the turns at r open tasks, and of group g's.
  [[nodiscard]] double biased_take(double open) const;
  [[nodiscard]] double biased_take(std::size_t g, double open) const;

  /// A quantity given at the nodes, between them: linear in ln r.
  template <typename At>
  [[nodiscard]] double between(double open, At&& at) const {
    std::size_t node = 0;
    while (node + 2 < nodes() && open_[node + 1] < open) ++node;
    const double part = std::clamp(
        std::log(open / open_[node]) / std::log(open_[node + 1] / open_[node]), 0.0, 1.0);
    const double low = at(node);
    return part == 0 ? low : low + part * (at(node + 1) - low);
  }

 private:
  [[nodiscard]] StepLaw step(const Correlation::Excess& field, const std::array<double, 3>& from,
                             const std::array<double, 3>& to, double open) const;
  /// Tasks taken at a number of open tasks, by all turns that start above it: each number is passed
  /// once, and turns that start higher up take more.
  [[nodiscard]] double pace(std::size_t node) const;
  void add_node(double open);
  void walk();

  const Problem& problem_;
  Correlation correlation_;
  std::vector<double> open_;
  std::vector<double> tau_;
  std::vector<Correlation::Excess> fields_;  // of all processors, shape (nodes)
  std::vector<std::vector<Turn>> taken_;     // in the fluid's course, shape (nodes, groups)
  std::vector<Turn> mean_;                   // over all processors' turns, shape (nodes)
  std::vector<double> starts_;               // chance that a turn starts at r = 1, 2, ...
};

}  // namespace damocles
