#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/platforms/kernel_times.hpp"
#include "models/rng.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/mean_of_draws.hpp"
#include "ode/limited_memory/prediction_streams.hpp"
#include "ode/limited_memory/recency_list.hpp"

namespace damocles {
namespace {

/// A row, or rows plus a column, of a grid of tasks: one data item.
using GridLine = TaskGraph::Index;

/// The open tasks of a grid.
class OpenCells {
 public:
  OpenCells(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), open_(rows * columns, 1), left_(rows * columns) {
    users_.assign(rows, columns);
    users_.resize(rows + columns, rows);
  }
  [[nodiscard]] std::size_t lines() const { return users_.size(); }
  [[nodiscard]] std::size_t left() const { return left_; }
  /// Open tasks of a line.
  [[nodiscard]] std::size_t users(GridLine line) const { return users_[line]; }
  [[nodiscard]] bool is_open(GridLine row, GridLine column) const {
    return open_[row * columns_ + column - rows_] != 0;
  }
  void set(GridLine row, GridLine column, bool open) {
    open_[row * columns_ + column - rows_] = open ? 1 : 0;
    for (const GridLine line : {row, column}) open ? ++users_[line] : --users_[line];
    open ? ++left_ : --left_;
  }
  /// visit(other line) of each open task of the line, by number.
  template <typename Visit>
  void for_each(GridLine line, Visit&& visit) const {
    if (line < rows_) {
      const char* const at = open_.data() + line * columns_;
      for (std::size_t j = 0; j < columns_; ++j) {
        if (at[j] != 0) visit(static_cast<GridLine>(rows_ + j));
      }
      return;
    }
    const char* at = open_.data() + line - rows_;
    for (std::size_t i = 0; i < rows_; ++i, at += columns_) {
      if (*at != 0) visit(static_cast<GridLine>(i));
    }
  }
  [[nodiscard]] std::array<GridLine, 2> task(GridLine line, GridLine other) const {
    return line < other ? std::array{line, other} : std::array{other, line};
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<char> open_;
  std::size_t left_;
  std::vector<std::size_t> users_;
};

/// A task in the list of a processor, and when it was put there.
struct ListedTask {
  std::array<GridLine, 2> lines;
  double asked_s;
};

/// One processor of the chain.
struct Chooser {
  Chooser(std::size_t lines, Rng& rng) : view(lines, 0), frees(lines, 0), salt(lines), held(lines) {
    std::iota(salt.begin(), salt.end(), 0U);
    rng.shuffle(std::span<std::uint32_t>(salt));
  }
  std::vector<char> view;           // chosen or loaded, and not evicted since
  std::vector<std::int32_t> frees;  // open tasks of each line whose other input is in view
  std::vector<std::uint32_t> salt;  // order among equal ones
  RecencyList held;
  std::vector<ListedTask> list;
  std::vector<double> ends_s;   // of the first of them
  double loaded_s = 0;          // when its last load ended
  std::vector<double> loads_s;  // when each ended, where the run asks for its course
};

/// darts, decision by decision, without events: a processor decides when all but the last tasks of
/// its buffer have ended. What it chose is in view at once, and loaded when the bus comes to it.
class ChoiceChain {
 public:
  ChoiceChain(const LimitedRun& run, std::uint64_t draw)
      : run_(run),
        cells_(run.rows, run.columns),
        rng_(0, Draw::prediction, draw, prediction_stream::choices),
        order_(run.tasks()),
        last_use_(run.data(), -1),
        planned_(run.data(), 0) {
    std::iota(order_.begin(), order_.end(), TaskGraph::Index{0});
    rng_.shuffle(std::span<TaskGraph::Index>(order_));
    for (std::size_t k = 0; k < run.processors; ++k) all_.emplace_back(run.data(), rng_);
  }

  /// Infinite loads where choices undo each other for ever: a buffer that holds more than fits into
  /// memory opens the tasks again that it planned.
  [[nodiscard]] LimitedPrediction outcome() {
    for (std::size_t choices = 0; cells_.left() > 0; ++choices) {
      if (choices > 4 * run_.tasks() + 1000) {
        return {.loads = std::numeric_limits<double>::infinity(), .makespan_s = 0};
      }
      Chooser& one = next();
      const double now_s = decides_s(one);
      while (one.ends_s.size() < one.list.size() && carry_out(one, now_s)) {
      }
      choose(one, now_s);
      if (cells_.left() > 0) continue;
      for (Chooser& each : all_) {
        while (each.ends_s.size() < each.list.size()) carry_out(each, never_s);
      }
    }
    LimitedPrediction result{.loads = static_cast<double>(loads_), .makespan_s = 0};
    RunCourse course;
    for (const Chooser& each : all_) {
      if (!each.ends_s.empty()) result.makespan_s = std::max(result.makespan_s, each.ends_s.back());
      course.push_back({.loads_s = each.loads_s, .ends_s = each.ends_s});
    }
    if (run_.with_course) result.courses.push_back(std::move(course));
    return result;
  }

 private:
  /// When all but the last depth - 1 tasks of the list have ended.
  double decides_s(Chooser& one) {
    while (one.list.size() >= one.ends_s.size() + run_.depth) carry_out(one, never_s);
    return one.list.size() < run_.depth ? 0 : one.ends_s[one.list.size() - run_.depth];
  }
  Chooser& next() {
    Chooser* first = nullptr;
    double first_s = 0;
    for (Chooser& one : all_) {
      const double its_s = decides_s(one);
      if (first != nullptr &&
          (its_s > first_s || (its_s == first_s && one.list.size() >= first->list.size()))) {
        continue;
      }
      first = &one;
      first_s = its_s;
    }
    return *first;
  }

  void show(Chooser& one, GridLine line, bool on) const {
    if ((one.view[line] != 0) == on) return;
    one.view[line] = on ? 1 : 0;
    cells_.for_each(line, [&](GridLine other) { one.frees[other] += on ? 1 : -1; });
  }
  void set_open(const std::array<GridLine, 2>& task, bool open) {
    const auto [row, column] = task;
    cells_.set(row, column, open);
    for (Chooser& one : all_) {
      if (one.view[column] != 0) one.frees[row] += open ? 1 : -1;
      if (one.view[row] != 0) one.frees[column] += open ? 1 : -1;
    }
  }

  /// The line out of view that frees most open tasks; ties: that most open tasks read.
  [[nodiscard]] std::optional<GridLine> best_line(const Chooser& one) const {
    std::optional<GridLine> best;
    for (GridLine line = 0; line < cells_.lines(); ++line) {
      if (one.view[line] != 0 || one.frees[line] <= 0) continue;
      if (best) {
        if (one.frees[line] != one.frees[*best]) {
          if (one.frees[line] < one.frees[*best]) continue;
        } else if (cells_.users(line) != cells_.users(*best)) {
          if (cells_.users(line) < cells_.users(*best)) continue;
        } else if (one.salt[line] > one.salt[*best]) {
          continue;
        }
      }
      best = line;
    }
    return best;
  }
  void choose(Chooser& one, double now_s) {
    chosen_.clear();
    const auto add_freed = [&](GridLine line) {
      cells_.for_each(line, [&](GridLine other) {
        if (one.view[other] != 0) chosen_.push_back(cells_.task(line, other));
      });
    };
    if (const auto line = best_line(one)) {
      add_freed(*line);
      show(one, *line, true);
    } else {
      choose_at_random(one, add_freed);
    }
    for (const auto& task : chosen_) {
      if (!cells_.is_open(task[0], task[1])) continue;  // found by its row and by its column
      set_open(task, false);
      one.list.push_back({task, now_s});
    }
  }
  /// Where no data item frees a task: any open task, and all that lack nothing then.
  template <typename Add>
  void choose_at_random(Chooser& one, const Add& add_freed) {
    const auto row_of = [&](TaskGraph::Index cell) {
      return static_cast<GridLine>(cell / run_.columns);
    };
    const auto column_of = [&](TaskGraph::Index cell) {
      return static_cast<GridLine>(run_.rows + cell % run_.columns);
    };
    while (!cells_.is_open(row_of(order_[at_]), column_of(order_[at_]))) {
      at_ = (at_ + 1) % order_.size();
    }
    const GridLine row = row_of(order_[at_]);
    const GridLine column = column_of(order_[at_]);
    show(one, row, true);
    add_freed(row);
    show(one, column, true);
    const std::array<GridLine, 2> first{row, column};
    add_freed(column);  // its own task among them
    const auto own = std::find(chosen_.begin(), chosen_.end(), first);
    std::rotate(chosen_.begin(), own, own + 1);
  }

  /// Loads what the next task of the list lacks, if the bus comes to it by then, and ends the task.
  bool carry_out(Chooser& one, double by_s) {
    const ListedTask task = one.list[one.ends_s.size()];
    const auto missing = [&](GridLine line) { return !one.held.holds(line); };
    const bool loads = std::any_of(task.lines.begin(), task.lines.end(), missing);
    double start_s = std::max({bus_s_, one.loaded_s, task.asked_s});
    if (loads && start_s > by_s) return false;
    const std::size_t at = one.ends_s.size();
    const bool is_next = at < 2 || one.ends_s[at - 2] <= start_s;
    double wait_s = 0;
    for (const GridLine line : task.lines) {
      if (!missing(line)) continue;
      if (one.held.size() >= run_.memory) evict(one, task.lines, start_s);
      one.held.add(line);
      show(one, line, true);
      start_s += run_.bus_s + run_.latency_s / static_cast<double>(run_.processors);
      bus_s_ = start_s;
      if (run_.with_course) one.loads_s.push_back(bus_s_);
      if (is_next) wait_s += run_.request_s;
      ++loads_;
    }
    for (const GridLine line : task.lines) one.held.touch(line);
    if (loads) one.loaded_s = bus_s_ + wait_s;
    const double before_s = one.ends_s.empty() ? 0 : one.ends_s.back();
    one.ends_s.push_back(std::max(before_s, loads ? one.loaded_s : 0) + run_.mean_task_s());
    return true;
  }

  /// The least used in future (LUF): of what the buffer does not read, the data item of the fewest
  /// tasks that are planned beyond it. These are open again. A load waits until there is one.
  void evict(Chooser& one, const std::array<GridLine, 2>& now, double at_s) {
    std::size_t done = one.ends_s.size();
    while (done > 0 && one.ends_s[done - 1] > at_s) --done;
    const std::size_t here = one.ends_s.size();
    const std::size_t buffered = std::min(one.list.size(), done + run_.depth);
    const std::size_t later = std::min(one.list.size(), std::max(buffered, here + 1));
    for (std::size_t t = done; t < buffered; ++t) {
      for (const GridLine line : one.list[t].lines) last_use_[line] = static_cast<long>(t);
    }
    for (std::size_t t = later; t < one.list.size(); ++t) {
      for (const GridLine line : one.list[t].lines) ++planned_[line];
    }
    const GridLine victim = victim_of(one, now, done, here);
    for (std::size_t t = done; t < buffered; ++t) {
      for (const GridLine line : one.list[t].lines) last_use_[line] = -1;
    }
    for (std::size_t t = later; t < one.list.size(); ++t) {
      for (const GridLine line : one.list[t].lines) planned_[line] = 0;
    }
    open_again(one, victim, later);
    one.held.remove(victim);
    show(one, victim, false);
  }
  [[nodiscard]] GridLine victim_of(const Chooser& one, const std::array<GridLine, 2>& now,
                                   std::size_t done, std::size_t here) const {
    const auto is_now = [&](GridLine line) { return line == now[0] || line == now[1]; };
    long earliest = std::numeric_limits<long>::max();
    (void)one.held.oldest_if([&](GridLine line) {
      if (!is_now(line)) earliest = std::min(earliest, last_use_[line]);
      return false;
    });
    const long until = earliest < static_cast<long>(here)
                           ? std::max(static_cast<long>(done), earliest + 1)
                           : std::numeric_limits<long>::max();
    std::optional<GridLine> victim;
    (void)one.held.oldest_if([&](GridLine line) {
      if (is_now(line) || last_use_[line] >= until) return false;
      if (!victim || planned_[line] < planned_[*victim]) victim = line;
      return false;
    });
    return *victim;
  }
  void open_again(Chooser& one, GridLine line, std::size_t from) {
    auto kept = one.list.begin() + static_cast<std::ptrdiff_t>(from);
    for (auto at = kept; at != one.list.end(); ++at) {
      if (at->lines[0] == line || at->lines[1] == line) {
        set_open(at->lines, true);
      } else {
        *kept++ = *at;
      }
    }
    one.list.erase(kept, one.list.end());
  }

  const LimitedRun& run_;
  OpenCells cells_;
  Rng rng_;
  std::vector<TaskGraph::Index> order_;  // of tasks, where one is drawn
  std::size_t at_ = 0;
  std::vector<Chooser> all_;
  std::vector<std::array<GridLine, 2>> chosen_;
  std::vector<long> last_use_;     // scratch, by line
  std::vector<unsigned> planned_;  // scratch, by line
  double bus_s_ = 0;
  std::size_t loads_ = 0;
};

/// The strategy draws its ties: the mean of some chains.
LimitedPrediction predict_choice_chain(const LimitedRun& run) {
  constexpr std::uint64_t chains = 4;
  std::vector<LimitedPrediction> draws;
  for (std::uint64_t draw = 0; draw < chains; ++draw) {
    draws.push_back(ChoiceChain(run, draw).outcome());
    if (std::isinf(draws.back().loads)) return draws.back();
  }
  return mean_of_draws(std::move(draws));
}

std::string why_too_small(const LimitedRun& run) {
  if (!run.is_grid()) return run.why_no_grid();
  return run.memory < 6 ? "the chain of darts takes memory for 6 data items or more" : "";
}

/// Where the buffer holds most of what is in memory, the order of transfers among processors
/// decides what is evicted.
std::string why_scarce(const LimitedRun& run) {
  constexpr std::size_t least = 20;
  if (run.processors == 1 || run.memory >= least) return "";
  return fmt::format("memory of {} data items on several GPUs, validated from {}", run.memory,
                     least);
}

const Register choice_chain_model{
    LimitedModel{.name = "choice-chain",
                 .place = 40,
                 .summary = "the decisions of darts, one by one, without events"}};

const Register choice_chain_predictor{
    LimitedPredictor{.name = "darts",
                     .model = "choice-chain",
                     .evictions = {"luf"},
                     .alone = {.loads = 0.02, .makespan = 0.005},
                     .several = {.loads = 0.065, .makespan = 0.08},
                     .why_unavailable = why_too_small,
                     .predict = predict_choice_chain,
                     .why_wrong = why_scarce}};

}  // namespace
}  // namespace damocles
