#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "strategies/registry.hpp"

namespace damocles {

/// Asks a strategy by hand and keeps memory as the simulator would.
class Driver {
 public:
  Driver(const Workload& workload, std::size_t processors, const std::string& choice,
         std::uint64_t seed)
      : workload_(workload),
        platform_{std::vector<double>(processors, 1.0), 0},
        memory_(processors, workload.data()),
        choice_(StrategyChoice::parse(choice, workload)),
        strategy_(choice_.make(
            {workload_, platform_, memory_, choice_.spec, Rng(seed, Draw::strategy, 0)})) {}

  struct Answer {
    std::set<std::uint64_t> loads;
    std::set<std::uint64_t> tasks;
    friend bool operator==(const Answer&, const Answer&) = default;
  };

  Answer ask(std::uint32_t processor) {
    Grant grant;
    strategy_->request(ProcessorId{processor}, grant);
    Answer answer;
    for (const DataId data : grant.loads) {
      memory_.load(ProcessorId{processor}, data);
      answer.loads.insert(raw(data));
    }
    grant.tasks.for_each([&](TaskId task) { answer.tasks.insert(raw(task)); });
    return answer;
  }

 private:
  Workload workload_;
  Platform platform_;
  NodeMemory memory_;
  StrategyChoice choice_;
  std::unique_ptr<Strategy> strategy_;
};

}  // namespace damocles
