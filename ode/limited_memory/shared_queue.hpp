#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ode/limited_memory/buffered_memory.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/pace.hpp"

namespace damocles {

/// The next task of this processor; nothing: there is none for it any more.
using NextTask = std::function<std::optional<TaskGraph::Index>(std::size_t processor)>;

/// The next data item that this processor asks ahead for; nothing: there is none until it gets more
/// tasks.
using NextAhead = std::function<std::optional<TaskGraph::Index>(std::size_t processor)>;

/// One draw of processors that take these tasks as they come to them, and evict the least recently
/// used data item (BufferedMemory). The jitter decides who takes which, so draws differ.
class BufferedRun {
 public:
  /// Where it stands, but for what the functions know.
  struct State {
    std::vector<BufferedMemory> memories;
    PacedRun pace;
  };

  /// @param ahead  of what is loaded while the buffer is full of tasks that lack nothing; empty:
  ///               nothing
  BufferedRun(const LimitedRun& run, NextTask next, Taken taken, std::uint64_t draw,
              NextAhead ahead = {});
  BufferedRun(const BufferedRun&) = delete;
  BufferedRun& operator=(const BufferedRun&) = delete;

  [[nodiscard]] const State& state() const { return state_; }
  void go_back_to(const State& state) { state_ = state; }
  /// As of PacedRun.
  [[nodiscard]] std::optional<LimitedPrediction> go_on(const std::function<bool()>& pauses = {}) {
    return state_.pace.go_on(pauses);
  }

 private:
  [[nodiscard]] TaskQueue queue();
  bool load_ahead(std::size_t processor, std::size_t unfinished);

  NextTask next_;
  NextAhead ahead_;
  TaskQueue queue_;
  State state_;
};

/// All of such a run.
[[nodiscard]] LimitedPrediction drawn_with_buffer(const LimitedRun& run, const NextTask& next,
                                                  Taken taken, std::uint64_t draw,
                                                  const NextAhead& ahead = {});

/// The same of processors that compute these tasks in order.
/// @param lists  one a processor
[[nodiscard]] LimitedPrediction drawn_lists(const LimitedRun& run,
                                            const std::vector<TaskSequence>& lists, Taken taken,
                                            std::uint64_t draw);
/// The mean of a few draws of them.
[[nodiscard]] LimitedPrediction predict_in_order(const LimitedRun& run,
                                                 const std::vector<TaskSequence>& lists,
                                                 Taken taken);

}  // namespace damocles
