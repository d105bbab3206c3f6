#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "models/runs/decisions.hpp"
#include "strategies/dispatch/dispatch.hpp"

namespace damocles {

/// Gives the orders of a recorded run again. On every processor each waits for what ended before
/// it then; across processors nothing waits.
class ReplayDispatch final : public Dispatch {
 public:
  /// Both outlive it. @pre the decisions passed check_decisions()
  ReplayDispatch(const Decisions& decisions, Machine& machine);

  void start() override;
  void load_ended(ProcessorId processor, DataId data) override;
  void task_ended(ProcessorId processor, TaskId task) override;
  void write_ended(ProcessorId, TaskId) override {}

 private:
  struct Node {
    std::vector<const RunEvent*> script;
    std::size_t at = 0;
    std::multiset<std::uint64_t> loads_ended;  // and not waited for yet
    std::size_t tasks_ended = 0;               // likewise; they end in the order of their starts
  };

  void advance(ProcessorId processor);

  Machine& machine_;
  std::vector<Node> nodes_;
};

}  // namespace damocles
