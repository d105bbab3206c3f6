// What a strategy written in Python sees of its run.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/platforms/durations.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// The workload, the platform and the memories of one run, by plain numbers: tasks, data items and
/// workers are counted from 0.
///
/// Python may keep it longer than the run: then every question is refused. An index that does not
/// exist is refused too (IndexError).
class RunView {
 public:
  explicit RunView(const StrategyContext& context) : context_(context) {}

  /// The run is over: its workload and memories may be gone.
  void end() {
    durations_.reset();
    context_.reset();
  }

  [[nodiscard]] std::uint64_t tasks() const { return context().workload.tasks(); }
  [[nodiscard]] std::uint64_t data() const { return context().workload.data(); }
  [[nodiscard]] std::uint64_t workers() const { return context().platform.processors(); }
  /// Of the strategy, as the user wrote them.
  [[nodiscard]] std::map<std::string, std::string> options() const;

  /// The data items that the task reads.
  [[nodiscard]] std::vector<std::uint64_t> inputs(std::uint64_t task) const;
  /// Those of them that are not on the worker, nor on their way to it.
  [[nodiscard]] std::vector<std::uint64_t> missing(std::uint64_t worker, std::uint64_t task) const;
  /// Whether the data item is on the worker, or on its way to it.
  [[nodiscard]] bool holds(std::uint64_t worker, std::uint64_t data) const;
  [[nodiscard]] std::uint64_t bytes(std::uint64_t data) const;
  [[nodiscard]] std::string task_name(std::uint64_t task) const;
  /// How long the task is expected to take there [s]; infinite where the worker cannot run it.
  [[nodiscard]] double seconds(std::uint64_t worker, std::uint64_t task);

  /// A whole number in [0, bound), from the run's own random numbers: the seed repeats it.
  [[nodiscard]] std::uint64_t random_below(std::uint64_t bound);
  /// A number in [0, 1) from there.
  [[nodiscard]] double random();

  /// Goes on with the random numbers as the other does.
  void draw_as(const RunView& other) { context_->rng = other.context().rng; }

  /// Asks for those workers again that were granted nothing.
  void wake() { wake_ = true; }
  [[nodiscard]] bool consume_wakeup() { return std::exchange(wake_, false); }

 private:
  [[nodiscard]] const StrategyContext& context() const;
  [[nodiscard]] TaskId checked_task(std::uint64_t task) const;
  [[nodiscard]] DataId checked_data(std::uint64_t data) const;
  [[nodiscard]] ProcessorId checked_worker(std::uint64_t worker) const;

  std::optional<StrategyContext> context_;
  std::optional<Durations> durations_{};
  bool wake_ = false;
};

/// Publishes the class in the module, as `Run`.
void bind_run_view(pybind11::module_& module);

}  // namespace damocles
