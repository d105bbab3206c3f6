#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "models/rng.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/mean_of_draws.hpp"
#include "ode/limited_memory/prediction_streams.hpp"
#include "ode/limited_memory/shared_queue.hpp"

namespace damocles {
namespace {

/// The boxes of `dynamic` on a grid: at each step a processor learns a random new row and column,
/// and gets the open tasks of the row in the order of the columns' numbers, then those of the
/// column in the order in which rows were learnt. Steps that find no task load nothing here.
class GrowingBoxes {
 public:
  /// @param draw  which draw of rows and columns
  GrowingBoxes(const LimitedRun& run, std::uint64_t draw)
      : columns_(run.columns), open_(run.tasks(), 1), left_(run.tasks()) {
    for (std::size_t k = 0; k < run.processors; ++k) {
      Rng rng(0, Draw::prediction, k, prediction_stream::grown_boxes + draw);
      boxes_.push_back(
          {shuffled(run.rows, rng), shuffled(run.columns, rng), std::vector<char>(run.columns, 0)});
    }
  }

  /// The next task of the processor, nothing where none is open.
  std::optional<TaskGraph::Index> next(std::size_t processor) {
    Box& box = boxes_[processor];
    while (box.next == box.granted.size()) {
      if (left_ == 0 || !grow(box)) return std::nullopt;
    }
    return box.granted[box.next++];
  }

 private:
  using Index = TaskGraph::Index;
  /// What a processor knows: the first `steps` of its rows and of its columns.
  struct Box {
    std::vector<Index> rows;
    std::vector<Index> columns;
    std::vector<char> knows_column;
    std::size_t steps = 0;
    std::vector<Index> granted{};  // in the last step that found any
    std::size_t next = 0;
  };

  static std::vector<Index> shuffled(std::size_t count, Rng& rng) {
    std::vector<Index> result(count);
    std::iota(result.begin(), result.end(), Index{0});
    rng.shuffle(std::span(result));
    return result;
  }

  /// False where it knows everything.
  bool grow(Box& box) {
    const std::size_t step = box.steps++;
    const bool row = step < box.rows.size();
    const bool column = step < box.columns.size();
    box.granted.clear();
    box.next = 0;
    if (column) box.knows_column[box.columns[step]] = 1;
    for (std::size_t j = 0; row && j < columns_; ++j) {
      if (box.knows_column[j] != 0) claim(box, box.rows[step], j);
    }
    for (std::size_t i = 0; column && i < std::min(step, box.rows.size()); ++i) {
      claim(box, box.rows[i], box.columns[step]);
    }
    return row || column;
  }
  void claim(Box& box, std::size_t row, std::size_t column) {
    const std::size_t task = row * columns_ + column;
    if (open_[task] == 0) return;
    open_[task] = 0;
    --left_;
    box.granted.push_back(static_cast<Index>(task));
  }

  std::size_t columns_;
  std::vector<char> open_;  // by task
  std::size_t left_;
  std::vector<Box> boxes_;
};

LimitedPrediction drawn_growth(const LimitedRun& run, std::uint64_t draw) {
  GrowingBoxes boxes(run, draw);
  const auto next = [&boxes](std::size_t processor) { return boxes.next(processor); };
  return drawn_under_lru(run, next, Taken::when_there_is_room, draw);
}

LimitedPrediction predict_box_growth(const LimitedRun& run) {
  const std::size_t count = run.tasks() > 100'000 ? 1 : 16;
  return mean_of_draws(count, [&](std::uint64_t draw) { return drawn_growth(run, draw); });
}

const Register box_growth_model{LimitedModel{
    .name = "box-growth",
    .place = 30,
    .summary =
        "rows and columns of dynamic are drawn; those known are loaded again where they do not fit"}};

/// Where one side is longer, processors that know all of the other go on learning it, and load what
/// nobody needs.
std::string why_not_square(const LimitedRun& run) {
  if (!run.is_grid()) return run.why_no_grid();
  if (run.processors == 1 || run.rows == run.columns) return "";
  return "on several GPUs it has a model of grids with as many rows as columns alone";
}

LimitedPredictor grown_strategy(const char* strategy) {
  return {.name = strategy,
          .model = "box-growth",
          .alone = {.loads = 0.05, .makespan = 0.035},
          .several = {.loads = 0.09, .makespan = 0.08},
          .why_unavailable = why_not_square,
          .predict = predict_box_growth};
}

const Register box_growth_predictors{grown_strategy("dynamic"), grown_strategy("dynamic-2phases")};

}  // namespace
}  // namespace damocles
