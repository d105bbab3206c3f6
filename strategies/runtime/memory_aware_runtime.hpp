#pragma once

#include <boost/dynamic_bitset.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "models/cache_hint.hpp"
#include "models/host_memory.hpp"
#include "models/platforms/platform.hpp"
#include "models/runs/node_memory.hpp"
#include "models/workload.hpp"
#include "strategies/eviction/eviction.hpp"
#include "strategies/registry.hpp"
#include "strategies/runtime/coherence.hpp"
#include "strategies/runtime/ready_tasks.hpp"
#include "strategies/runtime/runtime.hpp"
#include "strategies/runtime/worker_state.hpp"

namespace damocles {

/// What differs between machines that a MemoryAwareRuntime drives.
struct RuntimeOptions {
  std::size_t lanes = 1;  ///< tasks on a compute engine at once, the running one included
  bool timed = false;     ///< measures the time of decisions
  /// Where other runs hold the memory of this computer that this one needs.
  MemoryPromise::Others others = MemoryPromise::Others::wait_for;
};

/// The rules of processors with limited memory.
///
/// Each processor has a task buffer (MachineModel::depth, the running task included). Inputs of
/// buffered tasks are requested in buffer order while earlier tasks compute: those of one task
/// together, those of the next when they have arrived (when at most
/// MachineModel::loads_ahead of them are missing). Before a task runs all its inputs are in memory;
/// inputs of the running and of the next task are never evicted, and a transfer for a later task
/// evicts nothing that a buffered task reads.
///
/// Where tasks write, copies follow Coherence: what a task only writes gets room with the requests
/// of the task's inputs, or when it starts if there was none then. A modified data item that is
/// evicted leaves its room when it is in host memory. At the end, where outputs travel back
/// (MachineModel::write_back), all modified data items do. Temporary data items return only while a
/// task is still to access them.
///
/// Where processors have links or routes between them, a load comes from the processor of the
/// fastest that holds the data, unless host memory is as fast; of equal ones the lowest id. Who
/// lends it keeps it so long.
///
/// Where a processor computes in host memory, data lie there already: it loads nothing. What was
/// written elsewhere, and not sent to host memory, it asks for as a load would, and it is there
/// when its return has ended, for all that compute in host memory. Its buffer has room for the
/// running task alone.
///
/// A processor asks for a task when its buffer has room, under a patient strategy
/// (waits_for_inputs()) only once the inputs of all that it has are there; at the start all ask for
/// a first task in the order of their ids, then for a second, and so on. When a task releases
/// others, whoever has the fewest tasks asks first, so that nobody takes a second task while
/// another processor is idle.
///
/// Source: IPDPS'22 section III; the buffer is its taskBuffer.
class MemoryAwareRuntime final : public Runtime {
 public:
  /// All references outlive it. @throws InvalidInput as refuse_unfit()
  MemoryAwareRuntime(const Workload& workload, const Platform& platform,
                     const StrategyChoice& strategy, std::uint64_t seed, std::uint64_t replicate,
                     const RuntimeOptions& options, ExecutionBackend& backend);

  /// Wall time that making the strategy took [s]; 0 if not timed.
  [[nodiscard]] double making_s() const { return making_s_; }

  void start() override;
  void load_ended(ProcessorId processor, DataId data) override;
  void task_ended(ProcessorId processor, TaskId task) override;
  void write_ended(ProcessorId processor, TaskId task) override;
  void prefetch_state(ProcessorId processor) const override {
    prefetch_line(workers_[raw(processor)]);
  }
  void return_ended(ProcessorId processor, DataId data) override;
  [[nodiscard]] std::optional<double> planned_makespan_s() const override {
    return strategy_->planned_makespan_s();
  }
  [[nodiscard]] double scheduling_s() const override { return scheduling_s_; }

 private:
  using Index = TaskGraph::Index;
  using FetchReason = WorkerState::FetchReason;

  template <typename Decide>
  double timed(Decide&& decide);
  void charge(const WorkerState& worker);
  void serve(WorkerState& worker);
  void serve_all(WorkerState& worker);
  void tell_ready(Index task);
  void take_hints_at_push(WorkerState& worker);
  void share_out(WorkerState& ender);
  void serve_starved();
  void serve_woken();
  /// Whether its driver waits for the running task, and does nothing else.
  [[nodiscard]] bool waits_for_kernel(const WorkerState& worker) const {
    return any_synchronous_ && !worker.in_host_memory() && worker.running() > 0 &&
           machine_.is_synchronous(graph_.kind_name(worker.buffer().front()));
  }
  void refill(WorkerState& worker, std::size_t tasks);
  bool ask(WorkerState& worker);
  [[nodiscard]] bool start_tasks(WorkerState& worker);
  void start_loads(WorkerState& worker);
  void fetch_next_hint(WorkerState& worker);
  void load(WorkerState& worker, Index data, bool on_demand);
  void send(WorkerState& worker, Index data, bool on_demand);
  void take_in(WorkerState& worker, Index data);
  void allocate(WorkerState& worker, Index data);
  void tell_here(const WorkerState& worker, Index data);
  void show_home();
  void come_home(Index data);
  void evict(WorkerState& worker, Index data);
  void forget(WorkerState& worker, Index data);
  void tell_gone(const WorkerState& worker, Index data);
  [[nodiscard]] bool may_write(WorkerState& worker, Index task);
  [[nodiscard]] std::uint64_t created_bytes(const WorkerState& worker, Index task) const;
  void create(WorkerState& worker, Index task);
  void wake_held_up();
  void begin_writing(WorkerState& worker, Index task);
  void begin_adding(WorkerState& worker, Index data);
  void take_from_others(const WorkerState& worker, Index data);
  void end_reductions(Index task);
  void end_reduction(Index data);
  void invalidate(WorkerState& worker, Index data);
  void end_accesses(WorkerState& worker, Index task);
  void send_early(WorkerState& worker);
  void drop_if_over(Index data);
  void send_home(WorkerState& worker, Index data);
  [[nodiscard]] bool lent(Index data) const;
  [[nodiscard]] bool on_its_way(Index data);
  [[nodiscard]] WorkerState* nearest_peer(const WorkerState& worker, Index data);
  void end_lending(const WorkerState& worker, Index data);
  void return_all();
  void send_outputs(WorkerState& worker);
  void start_write(WorkerState& worker, Index task);
  bool make_room(WorkerState& worker, std::uint64_t bytes, FetchReason reason);
  /// Of the output that travels back.
  [[nodiscard]] std::uint64_t output_bytes(const WorkerState& worker, Index task) const {
    return machine_.write_back && !worker.in_host_memory() ? graph_.output_bytes(task) : 0;
  }
  /// What of it takes room in the processor's memory.
  [[nodiscard]] std::uint64_t output_room(const WorkerState& worker, Index task) const {
    return machine_.outputs_take_memory ? output_bytes(worker, task) : 0;
  }
  [[nodiscard]] std::size_t depth(const WorkerState& worker) const {
    return worker.in_host_memory() ? 1 : depth_;
  }

  const TaskGraph& graph_;
  const MachineModel& machine_;
  std::size_t depth_;
  RuntimeOptions options_;
  ExecutionBackend& backend_;
  MemoryPromise promise_;  // for what follows
  NodeMemory memory_;
  ReadyTasks ready_;
  std::optional<Coherence> coherence_;  // where tasks write
  std::uint64_t ended_ = 0;             // tasks
  bool any_in_host_memory_;
  bool any_synchronous_;            // drivers wait for some kind of the tasks
  std::vector<double> peer_rates_;  // from and to each processor [B/s]; empty: no links
  // By data and processor on the way to which it is: the processor that lends it.
  std::map<std::pair<Index, ProcessorId>, ProcessorId> lenders_;
  std::vector<ProcessorId> held_up_;   // their next tasks write what is on its way to host memory
  std::vector<ProcessorId> woken_;     // to be served, as something changed for them
  boost::dynamic_bitset<> starving_;   // by processor: asked, and got nothing
  boost::dynamic_bitset<> idle_;       // those of them that had no task
  boost::dynamic_bitset<> only_asks_;  // by processor: served again it would ask, and do no more
  std::set<ProcessorId> hinted_;       // have other hints, or tasks, since they were served
  std::set<ProcessorId> allotted_;     // of which there are tasks for these alone
  bool any_may_get_one_ = false;       // or for any of them
  bool patient_ = false;               // a further task only when the inputs of all are there
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Eviction> eviction_;
  std::optional<UsesInOrder> expected_;  // where the policy asks, and the strategy does not know
  std::deque<WorkerState> workers_;
  Grant grant_;
  std::vector<DataId> hints_;            // room for those of one grant or push
  boost::dynamic_bitset<> asked_again_;  // room for the processors that starve
  std::uint64_t looked_at_ = 0;          // decisions charged so far
  double making_s_ = 0;
  double scheduling_s_ = 0;
};

}  // namespace damocles
