#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <ostream>
#include <utility>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/platforms/speed_clock.hpp"
#include "models/runs/trace.hpp"
#include "sim/event_queue.hpp"
#include "strategies/runtime/runtime.hpp"

namespace damocles {

/// A machine in virtual time whose copies end at once: processor k computes a task in 1/s_k, as
/// HPDC'14 has it. Of tasks that end together, that of the lowest processor ends first.
class InstantBackend final : public ExecutionBackend {
 public:
  struct Granted {
    std::uint32_t processor;
    std::uint64_t task;
    friend bool operator==(const Granted&, const Granted&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Granted& granted) {
      return out << "task " << granted.task << " to " << granted.processor;
    }
  };

  enum class Notes { grants, none };

  InstantBackend(const Platform& platform, std::uint64_t seed, std::uint64_t replicate,
                 Notes notes = Notes::grants)
      : notes_(notes),
        clock_(platform, seed, replicate),
        running_(platform.processors()),
        computing_(platform.processors()) {
    trace_.loads.resize(running_.size());
    trace_.tasks.resize(running_.size());
    trace_.busy_s.resize(running_.size());
  }

  /// Until nothing happens any more.
  Trace run(Runtime& runtime) {
    runtime.start();
    end_loads(runtime);
    while (!computing_.empty()) {
      const ProcessorId processor = computing_.next();
      now_s_ = computing_.next_time();
      computing_.remove(processor);
      trace_.makespan_s = now_s_;
      runtime.task_ended(processor, running_[raw(processor)]);
      end_loads(runtime);
    }
    return trace_;
  }

  /// In order, where it notes them.
  [[nodiscard]] const std::vector<Granted>& grants() const { return grants_; }

  void granted(ProcessorId processor, TaskId task) override {
    if (notes_ == Notes::grants) grants_.push_back({raw(processor), raw(task)});
  }
  void start_load(ProcessorId processor, DataId data) override {
    ++trace_.loads[raw(processor)];
    loads_.emplace_back(processor, data);
  }
  void start_task(ProcessorId processor, TaskId task, double) override {
    const std::size_t p = raw(processor);
    const double busy_s = clock_.compute(processor, 1);
    ++trace_.tasks[p];
    trace_.busy_s[p] += busy_s;
    running_[p] = task;
    computing_.set(processor, now_s_ + busy_s);
  }
  void evict(ProcessorId, DataId) override {}
  void start_write(ProcessorId, TaskId) override {}

 private:
  void end_loads(Runtime& runtime) {
    while (!loads_.empty()) {
      const auto [processor, data] = loads_.front();
      loads_.pop_front();
      runtime.load_ended(processor, data);
    }
  }

  Notes notes_;
  SpeedClock clock_;
  std::vector<TaskId> running_;
  EventQueue computing_;  // when each processor's task ends
  std::deque<std::pair<ProcessorId, DataId>> loads_;
  std::vector<Granted> grants_;
  Trace trace_;
  double now_s_ = 0;
};

}  // namespace damocles
