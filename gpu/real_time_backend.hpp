#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/executor.hpp"
#include "gpu/memory/home_copies.hpp"
#include "gpu/memory/processor_memory.hpp"
#include "models/platforms/durations.hpp"
#include "models/platforms/speed_clock.hpp"
#include "models/runs/load_causes.hpp"
#include "strategies/runtime/runtime.hpp"
#include "strategies/runtime/team_work.hpp"

namespace damocles {

/// Work that is queued on an engine of the device, oldest first, and its thread.
template <typename Item>
struct EngineQueue {
  std::deque<Item> queued;
  std::condition_variable wake;
};

/// What a runtime orders, on the memories and engines of a device: one run, see execute().
class RealTimeBackend final : public ExecutionBackend {
 public:
  /// All references outlive it.
  RealTimeBackend(const Workload& workload, const Platform& platform, const Arithmetic& arithmetic,
                  Store& store, Device& device, const std::vector<std::uint64_t>& memory_bytes,
                  const ExecutorOptions& options);

  /// All tasks, and the way to host memory of what they made. Once.
  Execution run(const MakeRuntime& make_runtime);

  // Orders of the runtime; the lock is held.

  void granted(ProcessorId processor, TaskId task) override;
  void start_load(ProcessorId processor, DataId data) override;
  void start_peer_load(ProcessorId from, ProcessorId to, DataId data) override;
  void evict(ProcessorId processor, DataId data) override;
  void create(ProcessorId processor, DataId data) override;
  void begin_sum(ProcessorId processor, DataId data) override;
  void invalidate(ProcessorId processor, DataId data) override;
  void start_return(ProcessorId processor, DataId data) override;
  void join(ProcessorId helper, TaskId task) override;
  void start_task(ProcessorId processor, TaskId task, double pending_overhead_s) override;
  void start_write(ProcessorId processor, TaskId task) override;

 private:
  using Kind = RunEvent::Kind;

  struct Load {
    DataId data{};
    std::size_t event = 0;
    std::optional<ProcessorId> lender{};  // nothing: to host memory
  };
  /// Processors that compute a task together: each a part of it.
  struct Together {
    ProcessorId primary{};             // was granted it
    std::size_t left = 0;              // parts that have not ended
    Interval when{};                   // of those that have
    std::vector<std::size_t> joins{};  // events
  };
  struct Compute {
    TaskId task{};
    TaskOutput output{};
    std::byte* result = nullptr;  // of a fresh output
    std::size_t event = 0;
    std::shared_ptr<Together> together{};  // where it is not alone
  };
  /// A result on its way to host memory: a fresh output, and data that tasks write, go straight to
  /// their place; a sum, of a tile or of what tasks reduce into data, goes to a staging buffer and
  /// is added from there.
  struct Write {
    enum class Of { fresh, evicted_sum, last_sum, data, last_data };
    Of of = Of::fresh;
    std::uint64_t tile = 0;  // of results
    std::byte* from = nullptr;
    DataId data{};                 // of an evicted sum, and of data
    std::byte* staging = nullptr;  // of sums, from when it leaves
    bool reduced = false;          // of data: a sum
    [[nodiscard]] bool is_data() const { return of == Of::data || of == Of::last_data; }
  };

  /// What a processor has of a data item: a sum, to which nothing was added yet or something was.
  enum class Sum : std::uint8_t { none, fresh, begun };

  struct Node {
    Node(Device& device, ProcessorId processor, const Arithmetic& arithmetic,
         std::uint64_t memory_bytes, const ResultKinds& results, std::size_t output_slots)
        : memory(device, processor, arithmetic, memory_bytes, results, output_slots),
          arrived_s(arithmetic.data(), 0) {}

    ProcessorMemory memory;
    EngineQueue<Load> loads;
    EngineQueue<Load> peer_loads;
    EngineQueue<Compute> tasks;
    EngineQueue<Write> writes;
    // Ordered, but without room yet: for the data, for the result, in a staging buffer; or as their
    // place in host memory is being read.
    std::deque<Load> waiting_loads;
    std::deque<Compute> waiting_tasks;
    std::deque<Write> waiting_writes;
    std::vector<std::byte*> staging;  // free
    std::vector<Sum> sums;            // by data, where tasks reduce into some
    // When what a task waits for ended: each data item's load, and the task before.
    std::vector<double> arrived_s;
    double computed_s = 0;
  };

  struct Release {
    Device* device;
    void operator()(std::byte* at) const noexcept { device->release_host(at); }
  };

  class Threads;

  Node& node(ProcessorId processor) { return nodes_[raw(processor)]; }
  /// Whether the processor computes in the memory that holds all data.
  [[nodiscard]] bool in_host_memory(ProcessorId processor) const {
    return platform_.machine && platform_.machine->processors[raw(processor)].in_host_memory;
  }
  /// Whether loads come from other processors too.
  [[nodiscard]] bool has_links() const {
    return platform_.machine && platform_.machine->has_peers();
  }
  /// Notes an event at the time of what is being answered; its place among the events.
  std::size_t tell(Kind kind, ProcessorId processor, std::uint64_t id) {
    return tell({.kind = kind, .time_s = now_s_, .processor = processor, .id = id});
  }
  std::size_t tell(const RunEvent& event);
  /// The start of what ended was ordered earlier; this is when it really began.
  void correct(std::size_t event, double begin_s);
  template <typename Item>
  void queue(EngineQueue<Item>& engine, Item item) {
    engine.queued.push_back(std::move(item));
    ++outstanding_;
    if (engine.queued.size() == 1) engine.wake.notify_one();
  }

  void order_load(ProcessorId processor, DataId data, std::optional<ProcessorId> lender);
  void queue_loads(ProcessorId processor);
  void start_on_device(ProcessorId processor, const Load& load, std::byte* to);
  void queue_tasks(ProcessorId processor);
  void start_together(const TaskCall& call, const Compute& compute);
  [[nodiscard]] bool others_compute(const Compute& compute, Interval& when);
  [[nodiscard]] TaskCall call(ProcessorId processor, const Compute& compute);
  void add_written(ProcessorId processor, TaskId task, TaskCall& call);
  [[nodiscard]] double platform_s(ProcessorId processor, TaskId task);

  void queue_writes(ProcessorId processor);
  [[nodiscard]] bool may_leave(ProcessorId processor, Write& write);
  void start_on_device(ProcessorId processor, const Write& write);
  void send_results_home();
  void send_data_home();
  void send_sums_home();
  [[nodiscard]] bool has_sum(ProcessorId processor, DataId data) {
    const auto& sums = node(processor).sums;
    return !sums.empty() && sums[raw(data)] != Sum::none;
  }
  void queue_returns();

  template <typename Item, typename Finish, typename Answer>
  void serve(EngineQueue<Item>& engine, Finish&& finish, Answer&& answer);
  void serve_loads(ProcessorId processor);
  void serve_peer_loads(ProcessorId processor);
  void serve_tasks(ProcessorId processor);
  void serve_writes(ProcessorId processor);
  void end_load(ProcessorId processor, const Load& load, const Interval& when);
  void end_task(ProcessorId processor, const Compute& compute, Interval when);
  void end_write(ProcessorId processor, const Write& write, const Interval& when);
  void end_return(ProcessorId processor, const Write& write, const Interval& when);

  void wait_until_idle(std::unique_lock<std::mutex>& lock);
  void fail(const std::string& why);
  void stop();

  const Workload& workload_;
  const Platform& platform_;
  std::optional<Durations> durations_;  // with a machine model, once it is asked for
  std::vector<DataId> reads_;           // of the task that call() describes
  const Arithmetic& arithmetic_;
  Store& store_;
  Device& device_;
  const ExecutorOptions& options_;
  SpeedClock pace_;
  TeamWork teams_;
  ResultKinds results_;
  std::deque<Node> nodes_;
  std::vector<std::unique_ptr<std::byte, Release>> staging_;  // all of it
  std::unique_ptr<Runtime> runtime_;

  std::mutex mutex_;  // of all that follows, of nodes_ and of the runtime
  std::condition_variable idle_;
  std::optional<HomeCopies> home_;  // where tasks write
  Execution result_;
  LoadCauses causes_;
  std::string failure_;
  double now_s_ = 0;  // end of what is being answered
  std::size_t outstanding_ = 0;
  std::uint64_t ended_ = 0;
  bool stopping_ = false;
};

}  // namespace damocles
