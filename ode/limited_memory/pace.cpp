#include "ode/limited_memory/pace.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "models/platforms/kernel_times.hpp"
#include "models/rng.hpp"
#include "models/stop.hpp"
#include "ode/limited_memory/prediction_streams.hpp"

namespace damocles {
namespace {

/// How many of these times have passed, where so many had when it was asked before.
/// @param times_s  ascending
template <typename Passed>
std::size_t count_passed(const std::vector<double>& times_s, std::size_t known, Passed&& passed) {
  while (known < times_s.size() && passed(times_s[known])) ++known;
  while (known > 0 && !passed(times_s[known - 1])) --known;
  return known;
}

}  // namespace

// Members of PacedRun::Processors, which no unnamed namespace may hold.

/// One processor: a line of tasks, and a line of transfers ahead of it.
class PacedLine {
 public:
  /// @param queue  says what a task loads when its inputs are requested, if it does
  PacedLine(const LimitedRun& run, const TaskQueue& queue, std::size_t processor,
            std::uint64_t stream)
      : run_(&run),
        queue_(queue.loads ? &queue : nullptr),
        tells_starts_(queue.progress),
        processor_(processor),
        rng_(0, Draw::prediction, processor, stream),
        start_s_(run.jitter > 0 ? MachineModel::latest_start_s * rng_.uniform() : 0) {}

  /// When it takes another task, as far as that is known.
  [[nodiscard]] double takes_s(Taken taken) const {
    const std::size_t next = loads_.size();
    const bool all_came = ends_s_.size() == next;
    if (last_ || (taken == Taken::when_inputs_came && !all_came)) return never_s;
    const double after_s = std::max(asks_s_, taken == Taken::when_inputs_came ? came_s_ : 0);
    if (next < run_->depth) return after_s;
    if (next - run_->depth >= ends_s_.size()) return never_s;
    return std::max(after_s, ends_s_[next - run_->depth]);
  }
  /// Of the tasks that it took, those that have ended.
  [[nodiscard]] std::size_t ended(double now_s) {
    ended_ = count_passed(ends_s_, ended_, [&](double end_s) { return end_s <= now_s; });
    return ended_;
  }
  [[nodiscard]] std::size_t unfinished(double now_s) { return loads_.size() - ended(now_s); }
  /// Those that have started: it asks for tasks before it starts the next one.
  /// @pre the queue is told of progress
  [[nodiscard]] std::size_t started(double now_s) {
    started_ = count_passed(starts_s_, started_, [&](double start_s) { return start_s < now_s; });
    return started_;
  }
  /// Whether nothing is on its way to it, all its inputs have come, and it may get more tasks.
  [[nodiscard]] bool loads_nothing() const {
    return state_ == State::takes && ends_s_.size() == loads_.size() && !last_;
  }
  void load_ahead(double now_s) {
    for_later_task_ = true;
    ++requested_;
    ask(now_s);
  }
  /// The queue has no more tasks for it, for now.
  void got_none() { last_ = true; }
  [[nodiscard]] bool waits_for_tasks() const { return last_; }
  /// There are tasks for it again.
  void ask_again(double now_s) {
    last_ = false;
    asks_s_ = now_s;
  }
  /// Tasks that it took.
  [[nodiscard]] std::size_t tasks() const { return loads_.size(); }
  /// It may have waited for a task. One that lacks nothing waits for no load of later ones.
  void got_a_task(const TaskLoads& task, double now_s) {
    loads_.push_back(task);
    if (state_ == State::takes) {
      if (next_s_ == never_s) next_s_ = now_s;
      return;
    }
    const bool lacks = queue_ != nullptr || task.needed > 0 || task.awaits_ahead;
    if (lacks || !for_later_task_ || ends_s_.size() + 1 < loads_.size()) return;
    end_task(task, now_s);
  }

  /// When something happens next, if it uses the bus at this rate until then [items/s].
  [[nodiscard]] double next_s(double now_s, double rate) const {
    return state_ == State::flows ? now_s + left_ / rate : next_s_;
  }
  [[nodiscard]] bool transfers() const { return state_ != State::takes; }
  [[nodiscard]] bool flows() const { return state_ == State::flows; }
  [[nodiscard]] ProcessorCourse course() const { return {.loads_s = loads_s_, .ends_s = ends_s_}; }
  /// Data items that it has requested.
  [[nodiscard]] std::size_t requested() const { return requested_; }
  /// Tasks whose ends are known, as their inputs have come.
  [[nodiscard]] std::size_t settled() const { return ends_s_.size(); }
  [[nodiscard]] double end_s() const { return ends_s_.empty() ? 0 : ends_s_.back(); }

  void flow(double items) { left_ -= items; }
  void go_on(double now_s) {
    if (state_ == State::takes) return take(now_s);
    if (state_ == State::asks) {
      state_ = State::flows;
      left_ = 1;
    } else {
      loaded(now_s);
    }
  }

 private:
  enum class State {
    takes,  ///< the next task, when the buffer has room and the inputs before have come
    asks,   ///< for a data item, whose bytes flow after the latency
    flows
  };

  void take(double now_s) {
    if (ends_s_.size() == loads_.size()) {
      next_s_ = never_s;
      return;
    }
    const std::size_t task = ends_s_.size();
    const bool is_next = task < 2 || ends_s_[task - 2] <= now_s;
    request_s_ = is_next ? run_->request_s : 0;
    const auto loads = queue_ == nullptr ? std::optional(loads_[task])
                                         : queue_->loads(processor_, unfinished(now_s));
    if (!loads) {
      next_s_ = ends_s_[ended(now_s)];
      return;
    }
    coming_ = *loads;
    requested_ += coming_.needed;
    if (coming_.needed == 0) end_task(coming_, coming_.awaits_ahead ? came_s_ : asks_s_);
    coming_.needed == 0 ? wait() : ask(now_s);
  }
  void loaded(double now_s) {
    came_s_ = now_s;
    if (run_->with_course) loads_s_.push_back(now_s);
    if (for_later_task_) {
      for_later_task_ = false;
    } else if (--coming_.needed == 0) {
      end_task(coming_, now_s);
    }
    coming_.needed == 0 ? wait() : ask(now_s);
  }
  void ask(double now_s) {
    state_ = State::asks;
    next_s_ = std::max(start_s_, now_s + (for_later_task_ ? 0 : request_s_)) + run_->latency_s;
  }
  void end_task(const TaskLoads& task, double arrival_s) {
    // Without jitter equal processors would ask for the bus at the same moments for ever.
    const double longer = run_->jitter > 0 ? run_->jitter * rng_.uniform() : 0;
    const double start_s = std::max(end_s(), arrival_s);
    if (tells_starts_) starts_s_.push_back(start_s);
    ends_s_.push_back(start_s + run_->s(processor_, task.task) * (1 + longer));
  }
  void wait() {
    const std::size_t next = ends_s_.size();
    state_ = State::takes;
    next_s_ = std::max(came_s_, next < run_->depth ? 0 : ends_s_[next - run_->depth]);
  }

  const LimitedRun* run_;
  LoadsByTask loads_{};     // of the tasks that it took
  const TaskQueue* queue_;  // nullptr: loads_ say what tasks load
  bool tells_starts_;
  std::size_t processor_;
  Rng rng_;
  double start_s_;     // before which it transfers nothing
  bool last_ = false;  // it has had its last task, for now
  double asks_s_ = 0;  // before which it takes no task
  State state_ = State::takes;
  double next_s_ = 0;
  double came_s_ = 0;             // when the last of the inputs so far have come
  std::vector<double> starts_s_;  // of the tasks whose inputs have come, if it tells them
  std::vector<double> ends_s_;    // of the same tasks
  std::size_t started_ = 0;       // of them, when it was asked last
  std::size_t ended_ = 0;         // likewise
  std::size_t requested_ = 0;     // data items
  std::vector<double> loads_s_;   // when loads ended, where the run asks for its course
  TaskLoads coming_{};            // what is left of those of the last task taken
  bool for_later_task_ = false;   // what is on its way; no task of the buffer loads meanwhile
  double request_s_ = 0;          // of each of its inputs
  double left_ = 0;               // of the data item that flows [1]
};

/// All processors and the bus between them.
class PacedLines {
 public:
  /// @param stream  of the jitter
  PacedLines(const LimitedRun& run, std::uint64_t stream, const TaskQueue& queue)
      : run_(&run), shortest_s_(shortest_of_limited(run)) {
    while (lines_.size() < run.processors) lines_.emplace_back(run, queue, lines_.size(), stream);
  }

  [[nodiscard]] std::vector<PacedLine>& lines() { return lines_; }
  /// When anything happens next, at this time or later.
  [[nodiscard]] double next_s() {
    const auto flowing = std::count_if(lines_.begin(), lines_.end(),
                                       [](const PacedLine& line) { return line.flows(); });
    const double each_s = run_->bus_s * static_cast<double>(std::max<long>(1, flowing));
    rate_ = std::min(1 / run_->link_s, 1 / each_s);
    double next_s = never_s;
    for (PacedLine& line : lines_) {
      const double its_s = line.next_s(now_s_, rate_);
      if (its_s >= next_s) continue;
      next_s = its_s;
      first_ = static_cast<std::size_t>(&line - lines_.data());
    }
    return next_s;
  }
  /// Lets it happen. @pre next_s() was asked since the last change
  void go_on(double next_s) {
    move_to(next_s);
    lines_[first_].go_on(now_s_);
  }
  /// To whom it happened.
  [[nodiscard]] std::size_t latest() const { return first_; }
  /// Lets transfers flow until then. @pre likewise, and nothing happens before
  void move_to(double next_s) {
    for (PacedLine& line : lines_) {
      if (line.flows()) line.flow((next_s - now_s_) * rate_);
    }
    now_s_ = next_s;
  }
  /// Whether the run is bound to break a limit, looked at now and then.
  [[nodiscard]] bool is_of_no_use() {
    constexpr std::size_t every = 1024;
    if (!shortest_s_ || ++events_ % every != 0) return false;
    std::size_t loads = 0;
    std::size_t settled = 0;
    double ends_s = 0;
    for (const PacedLine& line : lines_) {
      loads += line.requested();
      settled += line.settled();
      ends_s += line.end_s();
    }
    const double left_s = run_->least_s(run_->tasks() - settled, *shortest_s_);
    const double least_s = std::max(now_s_, (ends_s + left_s) / static_cast<double>(lines_.size()));
    return static_cast<double>(loads) > run_->most_loads ||
           least_s > run_->most_makespan_s * (1 + rounding);
  }
  [[nodiscard]] LimitedPrediction outcome(bool stopped = false) const {
    if (stopped) return {.loads = never_s, .makespan_s = never_s};
    LimitedPrediction result;
    RunCourse course;
    for (const PacedLine& line : lines_) {
      result.loads += static_cast<double>(line.requested());
      result.makespan_s = std::max(result.makespan_s, line.end_s());
      if (run_->with_course) course.push_back(line.course());
    }
    if (run_->with_course) result.courses.push_back(std::move(course));
    return result;
  }

 private:
  static constexpr double rounding = 1e-9;

  /// The time of its shortest task, if it has a limit.
  static std::optional<double> shortest_of_limited(const LimitedRun& run) {
    if (std::isinf(run.most_makespan_s) && std::isinf(run.most_loads)) return std::nullopt;
    double shortest_s = run.unequal_s.empty()
                            ? run.task_s
                            : *std::min_element(run.unequal_s.begin(), run.unequal_s.end());
    if (!run.slowness.empty()) {
      shortest_s *= *std::min_element(run.slowness.begin(), run.slowness.end());
    }
    return shortest_s;
  }

  const LimitedRun* run_;
  std::optional<double> shortest_s_;  // of a task, where the run has a limit
  std::size_t events_ = 0;            // counted where there are limits
  std::vector<PacedLine> lines_;
  std::size_t first_ = 0;  // to go on
  double now_s_ = 0;
  double rate_ = 0;  // of each that flows [items/s]
};

/// They take tasks from a queue.
class PacedRun::Processors {
 public:
  Processors(const LimitedRun& run, const TaskQueue& queue, Taken taken, std::uint64_t draw)
      : queue_(&queue),
        taken_(taken),
        loads_ahead_(run.processors, 0),
        pace_(run, prediction_stream::queue_pace + draw, queue) {
    for (const PacedLine& one : pace_.lines()) takes_s_.push_back(one.takes_s(taken_));
  }

  std::optional<LimitedPrediction> go_on(const std::function<bool()>& pauses) {
    while (!pauses || !pauses()) {
      stop_if_asked();
      const std::size_t first = first_to_take();
      const double takes_s = takes_s_[first];
      const double next_s = pace_.next_s();
      if (takes_s == never_s && next_s == never_s) return pace_.outcome();
      if (pace_.is_of_no_use()) return pace_.outcome(true);
      if (takes_s > next_s) {
        pace_.go_on(next_s);
        note_ahead();
        takes_s_[pace_.latest()] = line(pace_.latest()).takes_s(taken_);
        load_ahead(next_s);
      } else {
        pace_.move_to(takes_s);
        take(first, takes_s);
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] PacedLine& line(std::size_t processor) { return pace_.lines()[processor]; }

  /// Of those that ask at once, whoever has the fewest tasks goes first, as at the start.
  std::size_t first_to_take() {
    std::size_t first = 0;
    double takes_s = never_s;
    for (std::size_t k = 0; k < takes_s_.size(); ++k) {
      const double its_s = takes_s_[k];
      if (its_s > takes_s) continue;
      if (its_s == takes_s && line(k).tasks() >= line(first).tasks()) continue;
      first = k;
      takes_s = its_s;
    }
    return first;
  }
  void take(std::size_t processor, double now_s) {
    tell_progress(now_s);
    const auto task = queue_->next(processor, line(processor).unfinished(now_s));
    if (task) {
      line(processor).got_a_task(*task, now_s);
    } else {
      line(processor).got_none();
    }
    takes_s_[processor] = line(processor).takes_s(taken_);
    wake(processor, now_s);
  }
  void tell_progress(double now_s) {
    if (!queue_->progress) return;
    for (std::size_t k = 0; k < takes_s_.size(); ++k) {
      queue_->progress(k, line(k).started(now_s), line(k).ended(now_s));
    }
  }
  /// The others, for whom there may be a task again since this one asked.
  void wake(std::size_t asked, double now_s) {
    if (!queue_->has_task) return;
    for (std::size_t k = 0; k < takes_s_.size(); ++k) {
      if (k == asked || !line(k).waits_for_tasks() || !queue_->has_task(k)) continue;
      line(k).ask_again(now_s);
      takes_s_[k] = line(k).takes_s(taken_);
    }
  }
  void load_ahead(double now_s) {
    PacedLine& latest = line(pace_.latest());
    if (!queue_->load_ahead || !latest.loads_nothing() || takes_s_[pace_.latest()] <= now_s) return;
    if (!queue_->load_ahead(pace_.latest(), latest.unfinished(now_s))) return;
    latest.load_ahead(now_s);
    loads_ahead_[pace_.latest()] = 1;
  }
  /// What was loaded ahead may have come.
  void note_ahead() {
    char& loads_ahead = loads_ahead_[pace_.latest()];
    if (loads_ahead == 0 || line(pace_.latest()).transfers()) return;
    loads_ahead = 0;
    if (queue_->ahead_came) queue_->ahead_came(pace_.latest());
  }

  const TaskQueue* queue_;
  Taken taken_;
  std::vector<double> takes_s_;    // by processor: PacedLine::takes_s()
  std::vector<char> loads_ahead_;  // by processor: whether something is on its way for a later task
  PacedLines pace_;
};

PacedRun::PacedRun(const LimitedRun& run, const TaskQueue& queue, Taken taken, std::uint64_t draw)
    : processors_(std::make_unique<Processors>(run, queue, taken, draw)) {}

PacedRun::PacedRun(const PacedRun& other)
    : processors_(std::make_unique<Processors>(*other.processors_)) {}

PacedRun& PacedRun::operator=(const PacedRun& other) {
  *processors_ = *other.processors_;
  return *this;
}

PacedRun::~PacedRun() = default;

std::optional<LimitedPrediction> PacedRun::go_on(const std::function<bool()>& pauses) {
  return processors_->go_on(pauses);
}

LimitedPrediction paced_run(const LimitedRun& run, const TaskQueue& queue, Taken taken,
                            std::uint64_t draw) {
  return *PacedRun(run, queue, taken, draw).go_on();
}

}  // namespace damocles
