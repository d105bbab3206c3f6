#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/runs/node_memory.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// What a strategy grants to processors with all the memory they want, by the rules of HPDC'14: at
/// the start all ask in random order; a grant with data but no task is answered by asking again at
/// once; what a processor was sent it keeps, and is not sent again. Strategies that name tasks
/// alone are given what those lack.
///
/// Both who carry grants out have them from here: in virtual time, grant by grant, the fast path
/// simulate_unlimited(); load by load and task by task UnlimitedMemoryRuntime.
class UnlimitedGrants {
 public:
  /// All references outlive it.
  UnlimitedGrants(const Workload& workload, const Platform& platform,
                  const StrategyChoice& strategy, std::uint64_t seed, std::uint64_t replicate);
  // The strategy reads memory_.
  UnlimitedGrants(const UnlimitedGrants&) = delete;
  UnlimitedGrants& operator=(const UnlimitedGrants&) = delete;
  UnlimitedGrants(UnlimitedGrants&&) = delete;
  UnlimitedGrants& operator=(UnlimitedGrants&&) = delete;
  ~UnlimitedGrants() = default;

  /// Every processor once: the order in which they ask at the start.
  [[nodiscard]] const std::vector<ProcessorId>& start_order() const { return start_order_; }
  /// Wall time that making the strategy took [s].
  [[nodiscard]] double making_s() const { return making_s_; }

  /// Asks for the processor until it has a task or nothing is left for it.
  /// @param decide  called with each question to the strategy, which it has to call: to time it
  /// @param each    called with each answer, whose data are the processor's by then
  /// @return        the last answer; without tasks: nothing is left for the processor
  /// @throws NoProgress if the strategy sends a data item twice
  template <typename Decide, typename Each>
  const Grant& ask(ProcessorId processor, Decide&& decide, Each&& each) {
    do {
      grant_.clear();
      decide([&] { strategy_->request(processor, grant_); });
      take(processor);
      each(std::as_const(grant_));
    } while (grant_.tasks.empty() && !grant_.loads.empty());
    return grant_;
  }

 private:
  void take(ProcessorId processor);

  const Workload& workload_;
  const Platform& platform_;
  bool tasks_only_;
  NodeMemory memory_;  // what each processor was sent
  std::unique_ptr<Strategy> strategy_;
  std::vector<ProcessorId> start_order_;
  Grant grant_;
  double making_s_ = 0;
};

}  // namespace damocles
