#include "strategies/parts/next_uses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "models/platforms/scenario.hpp"
#include "models/rng.hpp"
#include "sim/limited_run.hpp"
#include "strategies/registry.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::next_uses_test {
namespace {

using Index = NextUses::Index;

const auto any = [](Index) { return true; };

TEST(NextUses, NamesWhatIsReadLastAndFirstWhatIsNotReadAgain) {
  NextUses uses(5);
  uses.put(0, 7);
  uses.put(1, 900);  // beyond what it has room for
  uses.put(2, 3);
  EXPECT_EQ(uses.last(any), 1U);

  uses.put(2, NextUses::unread);
  EXPECT_EQ(uses.last(any), 2U);
  EXPECT_EQ(uses.last([](Index data) { return data != 2; }), 1U);
  EXPECT_EQ(uses.last([](Index data) { return data == 0; }), 0U);
  EXPECT_EQ(uses.last([](Index) { return false; }), std::nullopt);

  for (const Index data : {0U, 1U, 2U}) uses.drop(data);
  EXPECT_EQ(uses.last(any), std::nullopt);
}

TEST(NextUses, OfEqualOnesNamesTheOneTouchedLongestAgo) {
  NextUses uses(4);
  for (const Index data : {3U, 1U, 0U, 2U}) uses.touch(data);
  for (const Index data : {0U, 1U}) uses.put(data, 5);
  EXPECT_EQ(uses.last(any), 1U);
  uses.touch(1);
  EXPECT_EQ(uses.last(any), 0U);

  for (const Index data : {2U, 3U}) uses.put(data, NextUses::unread);
  EXPECT_EQ(uses.last(any), 3U);
  uses.touch(3);
  EXPECT_EQ(uses.last(any), 2U);
}

/// The strategy it is given, but for the order in which it reads what is held.
class Forgetful final : public Strategy {
 public:
  explicit Forgetful(std::unique_ptr<Strategy> strategy) : strategy_(std::move(strategy)) {}

  void request(ProcessorId processor, Grant& grant) override {
    strategy_->request(processor, grant);
  }
  void on_loaded(ProcessorId p, DataId data) override { strategy_->on_loaded(p, data); }
  void on_arrived(ProcessorId p, DataId data) override { strategy_->on_arrived(p, data); }
  void on_evicted(ProcessorId p, DataId data) override { strategy_->on_evicted(p, data); }
  void on_started(ProcessorId p, TaskId task) override { strategy_->on_started(p, task); }
  void on_finished(ProcessorId p, TaskId task) override { strategy_->on_finished(p, task); }
  std::optional<ProcessorId> on_ready(TaskId task) override { return strategy_->on_ready(task); }
  [[nodiscard]] bool consume_wakeup() override { return strategy_->consume_wakeup(); }
  [[nodiscard]] bool waits_for_inputs() const override { return strategy_->waits_for_inputs(); }
  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId p, DataId data) const override {
    return strategy_->reserved_uses(p, data);
  }
  [[nodiscard]] std::uint64_t next_use(ProcessorId p, DataId data) override {
    return strategy_->next_use(p, data);
  }
  [[nodiscard]] bool knows_all_uses() const override { return strategy_->knows_all_uses(); }

 private:
  std::unique_ptr<Strategy> strategy_;
};

class ReadLast : public testing::TestWithParam<const char*> {};

TEST_P(ReadLast, EvictsWhatALookAtEverythingHeldDoes) {
  for (const char* const text :
       {"gemm2d:n=12", "gemm3d:n=6,c=yes", "cholesky:n=9,deps=false", "sparse2d:n=40,density=0.2",
        "gemm2d:n=11,order=random,seed=3", "stencil:n=4,steps=6", "layered:n=8,layers=8,seed=2",
        "cholesky:n=8", "lu:n=6"}) {
    for (const char* const machine :
         {"gpus:k=1,memory=9data,bandwidth=12GB/s,gflops=13253",
          "gpus:k=3,memory=11data,bandwidth=12GB/s,gflops=13253,depth=6"}) {
      SCOPED_TRACE(std::string(text) + " " + machine);
      const auto workload = Workload::parse(text);
      if (!defined_on(GetParam(), workload)) continue;
      const auto platform = Scenario::parse(machine).draw(1, 0);
      const auto choice = StrategyChoice::parse(GetParam(), workload);
      StrategyEntry forgetful = *choice.entry;
      forgetful.make = [&](const StrategyContext& context) {
        return std::make_unique<Forgetful>(choice.make(context));
      };

      const auto quick = simulate_limited(workload, platform, choice, 1, 0);
      const auto slow = simulate_limited(workload, platform, {&forgetful, choice.spec}, 1, 0);

      EXPECT_EQ(quick.makespan_s, slow.makespan_s);
      EXPECT_EQ(quick.loads, slow.loads);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lists, ReadLast,
                         testing::Values("hfp", "hfp:ready=false", "hfp:ready=true",
                                         "hfp:ready=4,patient=false",
                                         "hfp:partner=literal,eviction=belady",
                                         "dmda:eviction=belady", "dmdar:eviction=belady"),
                         [](const auto& strategy) {
                           std::string name = strategy.param;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

}  // namespace
}  // namespace damocles::next_uses_test
