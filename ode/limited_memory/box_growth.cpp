// The model box-growth: dynamic and dynamic-2phases, whose boxes of known indices are drawn.

#include "ode/limited_memory/box_growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/cache_hint.hpp"
#include "models/rng.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/mean_of_draws.hpp"
#include "ode/limited_memory/prediction_streams.hpp"
#include "ode/limited_memory/shared_queue.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// The indices of one dimension that a processor knows: the first of an order that is drawn.
class KnownIndices {
 public:
  KnownIndices(std::size_t extent, Rng& rng) : order_(extent), mask_(extent, 0) {
    std::iota(order_.begin(), order_.end(), Index{0});
    rng.shuffle(std::span(order_));
  }

  /// One more, if there is one.
  std::optional<Index> learn() {
    if (known_ == order_.size()) return std::nullopt;
    mask_[order_[known_]] = 1;
    return order_[known_++];
  }
  /// The oldest first.
  [[nodiscard]] std::span<const Index> known() const { return {order_.data(), known_}; }
  /// Those known before this one was learnt.
  [[nodiscard]] std::span<const Index> older(std::optional<Index> learnt) const {
    return known().first(learnt ? known_ - 1 : known_);
  }
  /// Calls visit(index) for each that is known, in the order of their numbers.
  template <typename Visit>
  void for_each_ascending(Visit&& visit) const {
    for (std::size_t index = 0; index < mask_.size(); ++index) {
      if (mask_[index] != 0) visit(static_cast<Index>(index));
    }
  }

 private:
  std::vector<Index> order_;
  std::vector<char> mask_;
  std::size_t known_ = 0;
};

/// The boxes of `dynamic` on a grid of tasks: at each step a processor learns a random new index of
/// each dimension, asks ahead for the data items that complete its box, and gets the open tasks of
/// the box. Once few tasks are open, `dynamic-2phases` gives one of them at random instead.
class GrowingBoxes {
 public:
  /// @param draw        which draw of indices
  /// @param phase2_at  open tasks
  GrowingBoxes(const LimitedRun& run, std::uint64_t draw, double phase2_at)
      : workload_(run.workload),
        phase2_at_(phase2_at),
        open_(run.tasks(), 1),
        left_(run.tasks()),
        pool_rng_(0, Draw::prediction, run.processors, prediction_stream::grown_boxes + draw) {
    for (std::size_t k = 0; k < run.processors; ++k) {
      Rng rng(0, Draw::prediction, k, prediction_stream::grown_boxes + draw);
      Box& box = boxes_.emplace_back();
      for (int d = 0; d < workload_->dimensions(); ++d)
        box.known.emplace_back(workload_->extent(d), rng);
    }
  }

  [[nodiscard]] double tasks_left() const { return static_cast<double>(left_); }
  /// No step is taken any more.
  void switch_now() { phase2_at_ = tasks_left(); }

  /// The next task of the processor, nothing where none is open.
  std::optional<Index> next(std::size_t processor) {
    Box& box = boxes_[processor];
    if (box.next == box.granted.size()) ask(box);
    if (box.next == box.granted.size()) return std::nullopt;
    return box.granted[box.next++];
  }
  /// The next data item that the processor asks ahead for, in memory or not.
  std::optional<Index> next_ahead(std::size_t processor) {
    Box& box = boxes_[processor];
    if (box.next_ahead == box.ahead.size()) return std::nullopt;
    return box.ahead[box.next_ahead++];
  }

 private:
  struct Box {
    std::vector<KnownIndices> known{};  // by dimension
    std::vector<Index> granted{};       // in the last step that found any
    std::size_t next = 0;
    std::vector<Index> ahead{};  // data items of the steps since the tasks before
    std::size_t next_ahead = 0;
  };

  /// Steps until one finds tasks, unless all are taken.
  void ask(Box& box) {
    box.granted.clear();
    box.ahead.clear();
    box.next = box.next_ahead = 0;
    while (left_ > 0 && box.granted.empty()) {
      if (tasks_left() <= phase2_at_) return draw_open(box);
      workload_->dimensions() == 2 ? grow_rectangle(box) : grow_cuboid(box);
    }
  }
  void grow_rectangle(Box& box) {
    KnownIndices& rows = box.known[0];
    KnownIndices& columns = box.known[1];
    const auto i = rows.learn();
    const auto j = columns.learn();
    if (i) {
      ask_ahead(box, workload_->data_a(*i));
      columns.for_each_ascending([&](Index column) { claim(box, *i, column); });
    }
    if (j) {
      ask_ahead(box, workload_->data_b(*j));
      for (const Index row : rows.older(i)) claim(box, row, *j);
    }
  }
  void grow_cuboid(Box& box) {
    KnownIndices& rows = box.known[0];
    KnownIndices& columns = box.known[1];
    KnownIndices& inner = box.known[2];
    const auto i = rows.learn();
    const auto j = columns.learn();
    const auto l = inner.learn();
    const auto plane = [&](auto&& item, auto of_first, auto first, auto of_second, auto second) {
      for (std::size_t at = 0; first && at < of_second.size(); ++at) {
        ask_ahead(box, item(*first, of_second[at]));
      }
      for (std::size_t at = 0; second && at < of_first.size(); ++at) {
        ask_ahead(box, item(of_first[at], *second));
      }
    };
    plane([&](Index a, Index b) { return workload_->data_A(a, b); }, rows.older(i), i,
          inner.known(), l);
    plane([&](Index a, Index b) { return workload_->data_B(a, b); }, inner.older(l), l,
          columns.known(), j);
    plane([&](Index a, Index b) { return workload_->data_C(a, b); }, rows.older(i), i,
          columns.known(), j);
    if (i) {
      for (const Index column : columns.known()) claim_line(box, *i, column);
    }
    for (const Index row : rows.older(i)) {
      if (j) claim_line(box, row, *j);
      if (!l) continue;
      for (const Index column : columns.older(j)) claim(box, row, column, *l);
    }
  }
  void claim_line(Box& box, Index row, Index column) {
    box.known[2].for_each_ascending([&](Index inner) { claim(box, row, column, inner); });
  }

  void draw_open(Box& box) {
    if (pool_.empty()) {
      for (std::size_t task = 0; task < open_.size(); ++task) {
        if (open_[task] != 0) pool_.push_back(static_cast<Index>(task));
      }
      pool_rng_.shuffle(std::span(pool_));
    }
    box.granted.push_back(pool_.back());
    pool_.pop_back();
    --left_;
  }
  static void ask_ahead(Box& box, DataId item) {
    box.ahead.push_back(static_cast<Index>(raw(item)));
  }
  void claim(Box& box, Index row, Index column, Index inner = 0) {
    const auto task = raw(workload_->task(row, column, inner));
    if (open_[task] == 0) return;
    open_[task] = 0;
    --left_;
    box.granted.push_back(static_cast<Index>(task));
    // Soon they are looked at one by one, and lie far apart.
    prefetch_line(workload_->graph().inputs(box.granted.back()).front());
  }

  const Workload* workload_;
  double phase2_at_;        // open tasks
  std::vector<char> open_;  // by task
  std::size_t left_;
  std::vector<Box> boxes_;
  Rng pool_rng_;
  std::vector<Index> pool_;  // open tasks in random order, of phase 2
};

/// One draw of a run that may go back to where it stood.
class DrawnGrowth {
 public:
  DrawnGrowth(const LimitedRun& run, std::uint64_t draw, double phase2_at)
      : boxes_(run, draw, phase2_at),
        drawn_(
            run, [this](std::size_t processor) { return boxes_.next(processor); },
            Taken::when_there_is_room, draw,
            [this](std::size_t processor) { return boxes_.next_ahead(processor); }) {}

  LimitedPrediction to_the_end() { return *drawn_.go_on(); }
  /// Of switches at each of these thresholds. @pre none so far
  std::vector<LimitedPrediction> switches(const std::vector<double>& ascending) {
    std::vector<LimitedPrediction> found(ascending.size());
    for (std::size_t at = ascending.size(); at-- > 0;) {
      const bool same_step = at + 1 < ascending.size() && boxes_.tasks_left() <= ascending[at];
      found[at] = same_step ? found[at + 1] : switch_at(ascending[at]);
    }
    return found;
  }

 private:
  LimitedPrediction switch_at(double tasks_left) {
    if (const auto ended = drawn_.go_on([&] { return boxes_.tasks_left() <= tasks_left; })) {
      return *ended;
    }
    const GrowingBoxes boxes = boxes_;
    const BufferedRun::State state = drawn_.state();
    boxes_.switch_now();
    const LimitedPrediction outcome = to_the_end();
    boxes_ = boxes;
    drawn_.go_back_to(state);
    return outcome;
  }

  GrowingBoxes boxes_;
  BufferedRun drawn_;
};

std::size_t draws_of(const LimitedRun& run) {
  return run.tasks() > 100'000 ? 1 : std::min<std::size_t>(16, run.most_draws);
}

double tasks_left_to_phase2(const LimitedRun& run) {
  const double most = std::numeric_limits<double>::max();
  if (const auto left = run.strategy.number("tasks-left", 0, most)) return *left;
  const auto beta = run.strategy.number("beta", 0, most);
  return beta ? std::exp(-*beta) * static_cast<double>(run.tasks()) : 0;
}

LimitedPrediction predict_box_growth(const LimitedRun& run) {
  const double phase2_at = tasks_left_to_phase2(run);
  return mean_of_draws(run, draws_of(run), [&](const LimitedRun& one, std::uint64_t draw) {
    return DrawnGrowth(one, draw, phase2_at).to_the_end();
  });
}

const Register box_growth_model{LimitedModel{
    .name = "box-growth",
    .place = 30,
    .summary =
        "indices that dynamic learns are drawn; what is known is loaded again where it does not fit"}};

std::string why_no_box(const LimitedRun& run) {
  return run.workload->is_grid() ? "" : "its model is of gemm2d and gemm3d:c=yes";
}

LimitedPredictor grown_strategy(const char* strategy, const ExpectedErrors& alone,
                                std::vector<std::string> options) {
  return {.name = strategy,
          .model = "box-growth",
          .options = std::move(options),
          .alone = alone,
          .several = {.loads = 0.1, .makespan = 0.05},
          .alone_elsewhere = {.loads = 0.005, .makespan = 0.005},
          .several_elsewhere = {.loads = 0.035, .makespan = 0.035},
          .different_speeds = {.loads = 0.12, .makespan = 0.04},
          .why_unavailable = why_no_box,
          .predict = predict_box_growth};
}

const Register box_growth_predictors{
    grown_strategy("dynamic", {.loads = 0.005, .makespan = 0.005}, {}),
    grown_strategy("dynamic-2phases", {.loads = 0.015, .makespan = 0.005}, {"beta", "tasks-left"})};

}  // namespace

std::vector<LimitedPrediction> predict_switches(const LimitedRun& run,
                                                const std::vector<double>& tasks_left) {
  std::vector<std::vector<LimitedPrediction>> by_threshold(tasks_left.size());
  for (std::size_t draw = 0; draw < draws_of(run); ++draw) {
    const auto found = DrawnGrowth(run, draw, 0).switches(tasks_left);
    for (std::size_t at = 0; at < found.size(); ++at) by_threshold[at].push_back(found[at]);
  }
  std::vector<LimitedPrediction> means;
  for (auto& draws : by_threshold) means.push_back(mean_of_draws(std::move(draws)));
  return means;
}

}  // namespace damocles
