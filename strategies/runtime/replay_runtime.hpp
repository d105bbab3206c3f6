#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/runs/decisions.hpp"
#include "strategies/runtime/recorded_order.hpp"
#include "strategies/runtime/runtime.hpp"

namespace damocles {

/// Gives the orders of a recorded run again. On every processor each waits for what ended before
/// it then; across processors for what RecordedOrder says, and of those that could be given at one
/// moment the first recorded goes first. So in virtual time, on the platform on which it was
/// simulated, a run comes again as it was.
class ReplayRuntime final : public Runtime {
 public:
  /// All outlive it. @pre the decisions passed check_decisions()
  ReplayRuntime(const Decisions& decisions, const Workload& workload, const Platform& platform,
                ExecutionBackend& backend);

  void start() override;
  void load_ended(ProcessorId processor, DataId data) override;
  void task_ended(ProcessorId processor, TaskId task) override;
  void write_ended(ProcessorId, TaskId) override {}
  void return_ended(ProcessorId processor, DataId data) override;

 private:
  using Event = RecordedOrder::Event;

  struct Node {
    std::vector<Event> script;
    std::size_t at = 0;
    bool awaits_end = false;                     // its next in the script is one
    std::multiset<std::uint64_t> loads_ended;    // and not waited for yet
    std::multiset<std::uint64_t> returns_ended;  // likewise
    std::size_t tasks_ended = 0;                 // likewise; they end in the order of their starts
    std::set<std::uint64_t> sums;  // data to which it adds, begun and not to host memory
  };
  using Turn = std::pair<Event, std::size_t>;  // what comes next on a processor

  void queue(std::size_t processor);
  void something_ended(ProcessorId processor);
  void advance();
  void step(std::size_t processor);
  [[nodiscard]] bool has_ended(Node& node, const RunEvent& event);
  void carry_out(Node& node, const RunEvent& event);
  void start_load(const RunEvent& event);
  void start_task(Node& node, const RunEvent& event);

  const Decisions& decisions_;
  const Workload& workload_;
  const Platform& platform_;
  RecordedOrder order_;
  ExecutionBackend& backend_;
  std::vector<Node> nodes_;
  std::map<std::uint64_t, std::vector<ProcessorId>> joined_;  // by task that has not started
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::unordered_multimap<RecordedOrder::Key, std::size_t> waiting_;  // processors
};

}  // namespace damocles
