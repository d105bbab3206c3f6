// The rules of dmdas, lws and heft, worked out by hand on a chain and a fan of tasks.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "strategies/registry.hpp"
#include "tests/error_text.hpp"

namespace damocles::ready_policies_test {
namespace {

using Index = TaskGraph::Index;
using Ids = std::vector<std::uint64_t>;

/// Two GPUs of 1 flop/s on a bus of 1 MB/s, on which a byte costs next to nothing.
Platform two_gpus() {
  Platform platform{.speeds = {1, 1}};
  platform.limits =
      Limits{.gpus = {2, {.flops_per_s = 1, .memory_bytes = 100, .link_bytes_per_s = 1e6}},
             .bus_bytes_per_s = 1e6,
             .jitter = 0};
  return platform;
}

/// A strategy on four tasks of 1 flop that wait for a fifth, the first, each with data of its own.
class Fan {
 public:
  explicit Fan(const std::string& strategy, const std::vector<double>& priorities)
      : platform_(two_gpus()),
        workload_(Workload::of_graph("fan", TaskGraph(fan(priorities)))),
        memory_(2, workload_.data()),
        choice_(StrategyChoice::parse(strategy, workload_)),
        strategy_(choice_.make(
            {workload_, platform_, memory_, choice_.spec, Rng(1, Draw::strategy, 0), {100, 100}})) {
  }

  Strategy& operator*() { return *strategy_; }
  NodeMemory& memory() { return memory_; }

  /// What the processor is granted, task after task, until it gets none.
  Ids granted(std::uint32_t processor) {
    Ids result;
    while (true) {
      Grant grant;
      strategy_->request(ProcessorId{processor}, grant);
      if (grant.tasks.empty()) return result;
      grant.tasks.for_each([&](TaskId task) { result.push_back(raw(task)); });
    }
  }
  /// What is wished for at a push to the processor.
  Ids wishes(std::uint32_t processor) {
    std::vector<DataId> loads;
    strategy_->wish(ProcessorId{processor}, loads);
    Ids result;
    for (const DataId data : loads) result.push_back(raw(data));
    return result;
  }
  /// The first task runs on the processor, and the others are ready.
  void first_runs_on(std::uint32_t processor) {
    strategy_->on_ready(TaskId{0});
    Grant grant;
    strategy_->request(ProcessorId{processor}, grant);
    strategy_->on_finished(ProcessorId{processor}, TaskId{0});
    for (std::uint64_t task = 1; task < 5; ++task) strategy_->on_ready(TaskId{task});
  }

 private:
  static TaskGraph::Parts fan(const std::vector<double>& priorities) {
    TaskGraph::Parts parts;
    parts.bytes.assign(5, 1);
    for (Index task = 0; task < 5; ++task) {
      parts.add_task(std::vector<Index>{task}, 1);
      if (task > 0) parts.dependencies.emplace_back(task, 0);
    }
    parts.priorities = priorities;
    return parts;
  }

  Platform platform_;
  Workload workload_;
  NodeMemory memory_;
  StrategyChoice choice_;
  std::unique_ptr<Strategy> strategy_;
};

TEST(Dmdas, TakesTheHighestPriorityOfItsOwnList) {
  Fan fan("dmdas", {9, 1, 4, 3, 2});

  fan.first_runs_on(0);

  // Shared out in turn: 1 and 3 to GPU 0, 2 and 4 to GPU 1.
  EXPECT_EQ(fan.granted(0), (Ids{3, 1}));
  EXPECT_EQ(fan.granted(1), (Ids{2, 4}));
}

TEST(Dmdas, TakesOfOnePriorityWhatLacksLeast) {
  Fan fan("dmdas", {9, 1, 1, 1, 1});

  fan.first_runs_on(0);
  fan.memory().load(ProcessorId{0}, DataId{3});

  EXPECT_EQ(fan.granted(0), (Ids{3, 1}));
}

TEST(Lws, KeepsTasksWhereTheOneBeforeRanAndStealsFromTheNextNeighbour) {
  Fan fan("lws", {9, 1, 4, 3, 2});

  fan.first_runs_on(1);

  EXPECT_EQ(fan.granted(0), (Ids{2, 3, 4, 1}));  // stolen, the highest priority first
  EXPECT_EQ(fan.granted(1), Ids{});
}

TEST(Eager, GrantsInTheOrderInWhichTasksBecomeReady) {
  Fan fan("eager", {9, 1, 4, 3, 2});

  fan.first_runs_on(1);

  EXPECT_EQ(fan.granted(0), (Ids{1, 2, 3, 4}));
}

TEST(Heft, WaitsForTheNextTaskOfItsOwnList) {
  Fan fan("heft", {});

  // Placed in turn behind task 0, on GPU 0: 1 and 3 there, 2 and 4 on GPU 1.
  EXPECT_EQ(fan.granted(0), Ids{});
  fan.first_runs_on(0);
  EXPECT_EQ(fan.granted(0), (Ids{1, 3}));
  EXPECT_EQ(fan.granted(1), (Ids{2, 4}));
}

TEST(ReadyPolicies, WishAtPushForWhatListedTasksLackInTheOrderInWhichTheyRun) {
  // On GPU 0 tasks 1 and 3, each with data of its own; of dmdas's the latter has the higher
  // priority.
  for (const auto& [name, order] : {std::pair<std::string, Ids>{"dmda", {1, 3}},
                                    {"dmdar", {1, 3}},
                                    {"dmdas", {3, 1}},
                                    {"heft", {1, 3}}}) {
    for (const bool at_push : {false, true}) {
      Fan fan(name + (at_push ? ":prefetch=push" : ""), {9, 1, 4, 3, 2});
      fan.first_runs_on(0);

      EXPECT_EQ(fan.wishes(0), at_push ? order : Ids{}) << name;
    }
  }
}

TEST(ReadyPolicies, RefuseToWishAtAnotherMoment) {
  for (const std::string name : {"dmda", "dmdar", "dmdas", "heft"}) {
    EXPECT_EQ(error_text([&] { Fan(name + ":prefetch=pop", {}); }),
              "strategy '" + name + ":prefetch=pop': prefetch must be push or grant, not 'pop'");
  }
}

TEST(Heft, WishesForDataThatStayUntilTheirTaskIsGranted) {
  Fan plain("heft", {});
  Fan fan("heft:prefetch=push", {});
  for (Fan* const one : {&plain, &fan}) one->first_runs_on(0);

  Grant grant;
  (*fan).request(ProcessorId{0}, grant);

  EXPECT_EQ(grant.loads, std::vector<DataId>{DataId{3}});  // beside task 1
  EXPECT_EQ((*fan).planned_uses(ProcessorId{0}, DataId{3}), 1U);
  EXPECT_EQ((*fan).planned_uses(ProcessorId{0}, DataId{1}), 0U);
  EXPECT_EQ((*plain).planned_uses(ProcessorId{0}, DataId{3}), 0U);
}

TEST(Darts, TakesTheHighestPriorityWhereNothingIsFree) {
  Fan fan("darts", {9, 1, 4, 3, 2});

  fan.first_runs_on(0);

  EXPECT_EQ(fan.granted(1).front(), 2U);
}

}  // namespace
}  // namespace damocles::ready_policies_test
