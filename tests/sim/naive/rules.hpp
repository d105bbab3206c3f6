#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/platforms/durations.hpp"
#include "models/runs/node_memory.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"
#include "strategies/eviction/eviction.hpp"
#include "strategies/registry.hpp"
#include "tests/sim/naive/asked.hpp"
#include "tests/sim/naive/network.hpp"
#include "tests/sim/naive/state.hpp"

namespace damocles::naive {

/// What happens, and what it makes happen. What is so at a moment is found in state.hpp, when
/// copies end in network.hpp; who is served when and how tasks run is in tasks.cpp, how data move
/// in data.cpp. Each rule stands above its function there.
class Run final {
 public:
  Run(const Workload& workload, const Platform& platform, const StrategyChoice& choice,
      std::uint64_t seed, std::uint64_t replicate, const Watcher& watcher);

  Trace run();

 private:
  using Kind = RunEvent::Kind;

  // --- Who is asked when
  void start();
  [[nodiscard]] bool waits_for_kernel(const Processor& processor) const;
  void share_out(Processor& ender);
  void serve_after_end(Processor& processor);
  void serve_starving();
  void serve(Processor& processor);
  [[nodiscard]] std::size_t depth(const Processor& processor) const;
  void fill_buffer(Processor& processor, std::size_t tasks);
  void ask(Processor& processor);
  void take_time_for_decision(const Processor& processor);

  // --- Tasks
  bool start_task(Processor& processor);
  void bring_readiest_forward(Processor& processor);
  void compute(Processor& processor, Index task);
  void tell_begin(const Processor& processor);
  [[nodiscard]] bool needs_place(const Processor& processor, Index task) const;
  [[nodiscard]] double duration_s(const Processor& processor, Index task, std::size_t cores) const;
  [[nodiscard]] double speedup(const Processor& processor, Index task, std::size_t cores) const;
  [[nodiscard]] double next_task_end_s() const;
  void end_task();
  [[nodiscard]] bool becomes_ready(Index task);
  void tell_ready(Index task);
  void take_hints_at_push(Processor& processor);

  // --- Loads
  void start_loads(Processor& processor);
  void fetch_next_hint(Processor& processor);
  void load(Processor& processor, Index data, bool on_demand);
  void load_from_home(Processor& processor, Index data, bool on_demand);
  [[nodiscard]] std::optional<std::size_t> nearest_peer(const Processor& processor,
                                                        Index data) const;
  void count_load(const Processor& processor, Index data);
  void end_copy(const Copy& copy);
  void end_load(Processor& processor, const Copy& copy);
  void interfere(Processor& processor, const Copy& copy);

  // --- Room
  bool make_room(Processor& processor, std::uint64_t bytes, FetchReason reason);
  void evict(Processor& processor, Index data);
  void count_eviction(const Processor& processor, Index data);
  void count_invalidation(const Processor& processor, Index data);
  void take_in(Processor& processor, Index data, Presence presence);
  void tell_here(const Processor& processor, Index data);
  void tell_gone(const Processor& processor, Index data);
  [[nodiscard]] std::vector<Index> absent_of(const Processor& processor,
                                             std::span<const Index> some) const;

  // --- Outputs that nobody reads
  void send_outputs(Processor& processor);
  void send_output(Processor& processor, Index task);
  void order_output(const Processor& processor, Index task);
  void send_early(Processor& processor);
  void end_output(Processor& processor, Index task);

  // --- Data that tasks write
  [[nodiscard]] bool may_write(const Processor& processor, Index task);
  [[nodiscard]] bool may_add(Index data);
  void begin_adding(const Processor& adding, Index data);
  void end_reduction(Index data);
  void create_outputs(Processor& processor, Index task);
  void create(Processor& processor, Index data);
  void invalidate_other_copies(const Processor& writer, Index task);
  void invalidate(Processor& processor, Index data);
  void show_home();
  void come_home(Index data);
  void leave_home(Index data);
  void send_home(std::size_t memory, Index data);
  void end_return(Processor& processor, Index data);
  void wake_and_serve(Processor& processor);
  void wake_held_up();
  void drop_if_over(Index data);
  void return_all();

  // --- Books
  [[nodiscard]] double bytes_of(Index data) const;
  void order(const Copy& copy) { state_.network.order(copy, now_); }
  void tell(Kind kind, const Processor& processor, std::uint64_t id, double time_s) const;

  const TaskGraph& graph_;
  const MachineModel& machine_;
  State state_;
  Durations durations_;
  std::uint64_t seed_;
  std::uint64_t replicate_;
  const Watcher& watcher_;
  NodeMemory told_memory_;  // what strategies see: all that is here, or on its way
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Eviction> eviction_;
  std::vector<Index> expected_;  // the order that is guessed of tasks, where it is
  bool ready_buffer_;
  bool patient_;
  std::size_t depth_;                 // of buffers, but those of cores
  std::vector<std::size_t> held_up_;  // processors whose next tasks write what is being copied
  std::vector<std::size_t> woken_;    // processors to be served
  bool any_may_get_one_ = false;      // a task became ready that any processor may have
  std::vector<double> decided_s_;     // by task
  double deciding_until_s_ = 0;
  ProcessorId decided_for_{};
  std::uint64_t looked_at_ = 0;
  Trace trace_;
  std::vector<Departure> departures_;  // of copies, in order
  double now_ = 0;
};

}  // namespace damocles::naive
