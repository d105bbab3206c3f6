#pragma once

#include <optional>

#include "models/ids.hpp"

namespace damocles {

/// What a runtime orders; the simulator carries it out in virtual time, the executor for real.
/// Orders for one engine of a processor (loads, tasks, writes) are carried out one after the other.
class ExecutionBackend {
 public:
  ExecutionBackend() = default;
  ExecutionBackend(const ExecutionBackend&) = delete;
  ExecutionBackend& operator=(const ExecutionBackend&) = delete;
  virtual ~ExecutionBackend() = default;

  /// The strategy gave the task to the processor.
  virtual void granted(ProcessorId processor, TaskId task) = 0;
  /// The decision whose grants follow takes this long in virtual time [s]
  /// (MachineModel::decision_s).
  virtual void charge_decision_time(ProcessorId /*for_whom*/, double /*cost_s*/) {}
  /// `data` travels to the processor, which has room for it. Answered by Runtime::load_ended.
  virtual void start_load(ProcessorId processor, DataId data) = 0;
  /// The same, where the processor's next task waits for it: a request on demand.
  virtual void start_load_on_demand(ProcessorId processor, DataId data) {
    start_load(processor, data);
  }
  /// `data` travels there from another processor, over the link between them, as load_ended()
  /// answers too. Machines without such links bring it from host memory. @pre host memory holds it,
  /// or they have
  virtual void start_peer_load(ProcessorId /*from*/, ProcessorId to, DataId data) {
    start_load(to, data);
  }
  /// The processor forgets `data`.
  virtual void evict(ProcessorId processor, DataId data) = 0;
  /// The processor has room for `data`, which its next task writes without reading.
  virtual void create(ProcessorId /*processor*/, DataId /*data*/) {}
  /// What the processor has of `data` is from now on a sum of its own, of nothing yet, to which the
  /// tasks add that reduce into it. It leaves by start_return(), and is added to what host memory
  /// holds.
  virtual void begin_sum(ProcessorId /*processor*/, DataId /*data*/) {}
  /// The processor's copy of `data` is no longer valid, as another processor writes it.
  virtual void invalidate(ProcessorId processor, DataId data) { evict(processor, data); }
  /// `data`, which the processor alone holds, or its sum, travels to host memory. Answered by
  /// Runtime::return_ended.
  /// @throws NoProgress on machines that only run tasks that do not write
  virtual void start_return(ProcessorId processor, DataId data);
  /// This processor computes the task together with the one that start_task() names next, and with
  /// all others of which this was said before that; so both are busy until it has ended.
  /// @throws NoProgress on machines that run each task on one processor
  virtual void join(ProcessorId helper, TaskId task);
  /// The processor computes the task, whose inputs it holds. Answered by Runtime::task_ended.
  /// @param pending_overhead_s  wall time of decisions since the processor's last task [s], 0 if
  /// not measured
  virtual void start_task(ProcessorId processor, TaskId task, double pending_overhead_s) = 0;
  /// The output of the task, which ended, travels back and takes memory until
  /// Runtime::write_ended.
  virtual void start_write(ProcessorId processor, TaskId task) = 0;
};

/// Turns decisions into orders: told what ended, says what starts. One call at a time.
///
/// Two drivers share it, the simulator and the executor, so that both take the same decisions in
/// the same situation; what moves is still counted where it moves, by each machine for itself.
class Runtime {
 public:
  Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  /// The orders before anything has ended.
  virtual void start() = 0;
  virtual void load_ended(ProcessorId processor, DataId data) = 0;
  virtual void task_ended(ProcessorId processor, TaskId task) = 0;
  virtual void write_ended(ProcessorId processor, TaskId task) = 0;
  virtual void return_ended(ProcessorId /*processor*/, DataId /*data*/) {}
  /// A hint: what ends after this is probably the processor's. Where there are thousands, nothing
  /// of one is in the cache any more when its turn comes again.
  virtual void prefetch_state(ProcessorId /*processor*/) const {}

  /// As the strategy's, where one decides.
  [[nodiscard]] virtual std::optional<double> planned_makespan_s() const { return std::nullopt; }
  /// Wall time inside strategy and eviction policy so far [s]; 0 where it is not measured.
  [[nodiscard]] virtual double scheduling_s() const { return 0; }
};

}  // namespace damocles
