#include "orders/lookahead_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "orders/child_ends.hpp"

namespace damocles {
namespace {

using AheadTask = PlannedGraph::Index;
constexpr double no_end_s = std::numeric_limits<double>::infinity();

/// Of each task those that wait for it, by falling rank.
std::vector<AheadTask> children_by_rank(const PlannedGraph& graph, AheadTask task,
                                        const std::vector<double>& ranks) {
  std::vector<AheadTask> children;
  for (const auto& later : graph.after(task)) children.push_back(later.task);
  std::stable_sort(children.begin(), children.end(),
                   [&](AheadTask a, AheadTask b) { return ranks[a] > ranks[b]; });
  return children;
}

/// What a processor would be taken for beside what is placed.
class Taken {
 public:
  explicit Taken(std::size_t processor) : processor_(processor) {}

  [[nodiscard]] std::size_t processor() const { return processor_; }
  void add(const Placement& one) {
    times_.push_back(one);
    line_.add(one.start_s, one.end_s);
  }
  /// The earliest start from then on of so long a task that overlaps none of it.
  [[nodiscard]] double earliest_s(double start_s, double duration_s) const {
    if (times_.size() > few && line_.measures(duration_s)) {
      return line_.earliest_s(start_s, duration_s);
    }
    const auto hit = std::find_if(times_.begin(), times_.end(), [&](const Placement& other) {
      return start_s < other.end_s && other.start_s < start_s + duration_s;
    });
    return hit == times_.end() ? start_s : hit->end_s;  // or later, as a further question tells
  }

 private:
  static constexpr std::size_t few = 16;

  std::size_t processor_;
  std::vector<Placement> times_;
  PlannedLine line_;
};

/// The task on one processor, and its children, as they would be placed next.
class Choice {
 public:
  explicit Choice(const Placement& here) : all_{here} { take(here); }

  [[nodiscard]] const Placement& here() const { return all_.front(); }
  /// When the last child ends; 0 where it has none.
  [[nodiscard]] double last_s() const { return last_s_; }
  /// The task, then its children.
  [[nodiscard]] const Placement& at(std::size_t i) const { return all_[i]; }
  void add(const Placement& child) {
    all_.push_back(child);
    last_s_ = std::max(last_s_, child.end_s);
    take(child);
  }
  /// The processors of the task and its children.
  [[nodiscard]] const std::vector<Taken>& taken() const { return taken_; }

 private:
  void take(const Placement& one) {
    const std::size_t k = raw(one.processor);
    auto at = std::find_if(taken_.begin(), taken_.end(),
                           [&](const Taken& taken) { return taken.processor() == k; });
    if (at == taken_.end()) at = taken_.emplace(at, k);
    at->add(one);
  }

  std::vector<Placement> all_;
  std::vector<Taken> taken_;
  double last_s_ = 0;
};

class Lookahead {
 public:
  explicit Lookahead(const PlannedGraph& graph)
      : graph_(graph),
        ranks_(upward_ranks(graph)),
        schedule_(graph),
        alike_(graph.alike()),
        position_(graph.tasks(), not_here),
        taken_for_(graph.processors(), 0) {}

  std::vector<Placement> run() && {
    for (const AheadTask task : by_priority(graph_, ranks_)) {
      schedule_.place(task, best_of(task));
    }
    return std::move(schedule_).take();
  }

 private:
  static constexpr std::uint32_t not_here = std::numeric_limits<std::uint32_t>::max();

  Placement best_of(AheadTask task) {
    choices_.clear();
    for (std::size_t k = 0; k < graph_.processors(); ++k) {
      if (graph_.runs(task, k)) choices_.emplace_back(schedule_.in_gap(task, k));
    }
    const std::vector<AheadTask> children = children_by_rank(graph_, task, ranks_);
    std::uint32_t placed = 0;
    position_[task] = placed++;
    for (const AheadTask child : children) {
      place(child);
      position_[child] = placed++;
    }
    position_[task] = not_here;
    for (const AheadTask child : children) position_[child] = not_here;

    const auto ends = [](const Choice& choice) {
      return std::pair{choice.last_s(), choice.here().end_s};
    };
    return std::min_element(choices_.begin(), choices_.end(),
                            [&](const auto& a, const auto& b) { return ends(a) < ends(b); })
        ->here();
  }

  /// Where it ends first, in each choice.
  void place(AheadTask child) {
    schedule_.data_everywhere(child, data_s_);
    passing_.clear();
    for (const auto& other : graph_.before(child)) {
      if (position_[other.task] != not_here) passing_.push_back(other);
    }
    firsts_.assign(choices_.size(), {.end_s = no_end_s});
    for (const std::vector<std::size_t>& processors : alike_) ask(child, processors);
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      ask_taken(child, choices_[c], firsts_[c]);
      choices_[c].add(firsts_[c]);
    }
  }

  /// On processors alike that a choice leaves as they are.
  void ask(AheadTask child, const std::vector<std::size_t>& processors) {
    const double duration_s = graph_.duration_s(child, processors.front());
    if (!std::isfinite(duration_s)) return;
    const std::size_t site = graph_.site(processors.front());
    by_time_.clear();
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      double from_s = 0;
      for (const auto& other : passing_) {
        const Placement& sender = choices_[c].at(position_[other.task]);
        const std::size_t sends = graph_.site(raw(sender.processor));
        from_s = std::max(from_s, sender.end_s + graph_.transfer_between_s(other, sends, site));
      }
      by_time_.emplace_back(from_s, c);
    }
    std::sort(by_time_.begin(), by_time_.end());
    ChildEnds ends(schedule_, processors, duration_s, data_s_);
    for (const auto& [from_s, c] : by_time_) {
      ++choice_;
      for (const Taken& taken : choices_[c].taken()) taken_for_[taken.processor()] = choice_;
      keep_first(firsts_[c],
                 ends.first(from_s, [&](std::size_t k) { return taken_for_[k] == choice_; }));
    }
  }

  /// On processors of the task and of children before this one.
  void ask_taken(AheadTask child, const Choice& choice, Placement& first) const {
    for (const Taken& taken : choice.taken()) {
      const std::size_t k = taken.processor();
      if (!graph_.runs(child, k)) continue;
      double from_s = data_s_[k];
      for (const auto& other : passing_) {
        const Placement& sender = choice.at(position_[other.task]);
        from_s =
            std::max(from_s, sender.end_s + graph_.transfer_s(other, raw(sender.processor), k));
      }
      const double duration_s = graph_.duration_s(child, k);
      if (from_s + duration_s > first.end_s) continue;  // wherever its gap is
      keep_first(first, in_gap_beside(taken, from_s, duration_s));
    }
  }

  [[nodiscard]] Placement in_gap_beside(const Taken& taken, double from_s,
                                        double duration_s) const {
    while (true) {
      const double start_s = schedule_.earliest_s(taken.processor(), from_s, duration_s);
      from_s = taken.earliest_s(start_s, duration_s);
      if (from_s == start_s) {
        return {ProcessorId{static_cast<std::uint32_t>(taken.processor())}, start_s,
                start_s + duration_s};
      }
    }
  }

  /// Ties: the lower processor.
  static void keep_first(Placement& first, const Placement& other) {
    if (std::pair{other.end_s, raw(other.processor)} <
        std::pair{first.end_s, raw(first.processor)}) {
      first = other;
    }
  }

  const PlannedGraph& graph_;
  std::vector<double> ranks_;
  PlannedSchedule schedule_;
  std::vector<std::vector<std::size_t>> alike_;
  // Of the task that is placed now:
  std::vector<Choice> choices_;          // one for each processor that runs it
  std::vector<std::uint32_t> position_;  // by task, in each choice
  // Of the child that is placed now:
  std::vector<double> data_s_;                           // by processor, beside what choices pass
  std::vector<PlannedGraph::Neighbour> passing_;         // those of the choice that pass to it
  std::vector<Placement> firsts_;                        // by choice
  std::vector<std::pair<double, std::size_t>> by_time_;  // when what is passed is there, choice
  std::vector<std::uint64_t> taken_for_;                 // by processor, the latest `choice_`
  std::uint64_t choice_ = 0;
};

}  // namespace

std::vector<Placement> lookahead_schedule(const PlannedGraph& graph) {
  return Lookahead(graph).run();
}

}  // namespace damocles
