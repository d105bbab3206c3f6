#include "ode/limited_memory/pace.hpp"

#include <algorithm>

#include "models/platforms/kernel_times.hpp"
#include "models/rng.hpp"

namespace damocles {
namespace {

/// One processor: a line of tasks, and a line of transfers ahead of it.
class Line {
 public:
  Line(const LimitedRun& run, const LoadsByTask& loads, std::size_t processor)
      : run_(run), loads_(loads), rng_(0, Draw::prediction, processor, 1) {
    ends_s_.reserve(loads.size());
  }

  /// When something happens next, if it uses the bus at this rate until then [items/s].
  [[nodiscard]] double next_s(double now_s, double rate) const {
    return state_ == State::flows ? now_s + left_ / rate : next_s_;
  }
  [[nodiscard]] bool flows() const { return state_ == State::flows; }
  [[nodiscard]] double end_s() const { return ends_s_.empty() ? 0 : ends_s_.back(); }

  void flow(double items) { left_ -= items; }
  /// @param open  tasks that no processor has taken
  void go_on(double now_s, std::size_t& open) {
    if (state_ == State::takes) return take(now_s, open);
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

  void take(double now_s, std::size_t& open) {
    if (open == 0 || ends_s_.size() == loads_.size()) {
      next_s_ = never_s;
      return;
    }
    --open;
    const std::size_t task = ends_s_.size();
    const bool is_next = task < 2 || ends_s_[task - 2] <= now_s;
    request_s_ = is_next ? run_.request_s : 0;
    coming_ = loads_[task];
    if (coming_.needed == 0) end_task(0);
    coming_.needed + coming_.ahead == 0 ? wait() : ask(now_s);
  }
  /// A data item; those that are needed come first.
  void loaded(double now_s) {
    came_s_ = now_s;
    if (coming_.needed == 0) {
      --coming_.ahead;
    } else if (--coming_.needed == 0) {
      end_task(now_s);
    }
    coming_.needed + coming_.ahead == 0 ? wait() : ask(now_s);
  }
  void ask(double now_s) {
    state_ = State::asks;
    next_s_ = now_s + run_.latency_s + (coming_.needed > 0 ? request_s_ : 0);
  }
  void end_task(double arrival_s) {
    // Without jitter equal processors would ask for the bus at the same moments for ever.
    const double longer = run_.jitter > 0 ? run_.jitter * rng_.uniform() : 0;
    ends_s_.push_back(std::max(end_s(), arrival_s) + run_.s(coming_.task) * (1 + longer));
  }
  void wait() {
    const std::size_t next = ends_s_.size();
    state_ = State::takes;
    next_s_ = std::max(came_s_, next < run_.depth ? 0 : ends_s_[next - run_.depth]);
  }

  const LimitedRun& run_;
  const LoadsByTask& loads_;
  Rng rng_;
  State state_ = State::takes;
  double next_s_ = 0;
  double came_s_ = 0;           // when the last of the inputs so far have come
  std::vector<double> ends_s_;  // of the tasks whose inputs have come
  TaskLoads coming_{};          // what is left of those of the last task taken
  double request_s_ = 0;        // of each of its inputs
  double left_ = 0;             // of the data item that flows [1]
};

}  // namespace

double paced_makespan_s(const LimitedRun& run, const std::vector<LoadsByTask>& loads,
                        std::size_t tasks) {
  std::vector<Line> lines;
  for (const LoadsByTask& one : loads) lines.emplace_back(run, one, lines.size());
  for (double now_s = 0;;) {
    const auto flowing =
        std::count_if(lines.begin(), lines.end(), [](const Line& line) { return line.flows(); });
    const double rate =
        std::min(1 / run.link_s, 1 / (run.bus_s * static_cast<double>(std::max<long>(1, flowing))));
    std::size_t first = 0;
    double next_s = never_s;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const double its_s = lines[k].next_s(now_s, rate);
      if (its_s >= next_s) continue;
      next_s = its_s;
      first = k;
    }
    if (next_s == never_s) break;
    for (Line& line : lines) {
      if (line.flows()) line.flow((next_s - now_s) * rate);
    }
    now_s = next_s;
    lines[first].go_on(now_s, tasks);
  }
  double last_s = 0;
  for (const Line& line : lines) last_s = std::max(last_s, line.end_s());
  return last_s;
}

double steady_makespan_s(const LimitedRun& run, double loads) {
  const auto processors = static_cast<double>(run.processors);
  const double tasks = static_cast<double>(run.tasks()) / processors;
  const double load_s = std::max(run.link_s, processors * run.bus_s) + run.latency_s;
  const double start_s = 2 * processors * run.bus_s + run.latency_s + run.mean_task_s();
  return std::max(tasks * run.mean_task_s(), loads / processors * load_s) + start_s;
}

}  // namespace damocles
