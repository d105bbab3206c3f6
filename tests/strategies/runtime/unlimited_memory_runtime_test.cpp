#include "strategies/runtime/unlimited_memory_runtime.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles::unlimited_memory_runtime_test {
namespace {

constexpr ProcessorId p0{0};
constexpr ProcessorId p1{1};

/// Notes every order as a word: "load 0:3" is data 3 to processor 0.
class NotingMachine final : public ExecutionBackend {
 public:
  void granted(ProcessorId p, TaskId task) override { note("grant", p, raw(task)); }
  void start_load(ProcessorId p, DataId data) override { note("load", p, raw(data)); }
  void evict(ProcessorId p, DataId data) override { note("evict", p, raw(data)); }
  void start_task(ProcessorId p, TaskId task, double pending_overhead_s) override {
    note("run", p, raw(task));
    EXPECT_GE(pending_overhead_s, 0);
    owed_ += pending_overhead_s;
  }
  void start_write(ProcessorId p, TaskId task) override { note("write", p, raw(task)); }

  /// The orders since the last call.
  std::vector<std::string> orders() { return std::exchange(orders_, {}); }
  [[nodiscard]] double owed() const { return owed_; }

 private:
  void note(const std::string& what, ProcessorId p, std::uint64_t id) {
    orders_.push_back(what + " " + std::to_string(raw(p)) + ":" + std::to_string(id));
  }

  std::vector<std::string> orders_;
  double owed_ = 0;
};

struct Answer {
  std::vector<std::uint64_t> loads;
  std::vector<std::uint64_t> tasks;
};

/// A strategy that gives each processor its answers in order, then nothing.
class Scripted final : public Strategy {
 public:
  explicit Scripted(std::vector<std::deque<Answer>> answers) : answers_(std::move(answers)) {}
  void request(ProcessorId processor, Grant& grant) override {
    auto& left = answers_[raw(processor)];
    if (left.empty()) return;
    for (const auto data : left.front().loads) grant.loads.push_back(DataId{data});
    for (const auto task : left.front().tasks) grant.tasks.add(TaskId{task});
    left.pop_front();
  }

 private:
  std::vector<std::deque<Answer>> answers_;
};

/// A runtime on outer:n=2 (a_0 a_1 b_0 b_1 are data 0 to 3; task 2i + j) with that script.
class UnlimitedMemoryRuntimeByHand : public testing::Test {
 protected:
  UnlimitedMemoryRuntime& make(const std::vector<std::deque<Answer>>& answers,
                               std::size_t depth = 1, std::size_t lanes = 1,
                               bool loads_implicit = false) {
    const std::size_t processors = answers.size();
    platform_ = Platform{std::vector<double>(processors, 1.0)};
    entry_ = {.name = "scripted", .source = {}, .summary = {}, .make = {}};
    entry_.make = [answers](const StrategyContext&) { return std::make_unique<Scripted>(answers); };
    entry_.loads_implicit = loads_implicit;
    runtime_ = std::make_unique<UnlimitedMemoryRuntime>(
        workload_, platform_, StrategyChoice{&entry_, Spec::parse("scripted", "strategy")}, 1, 0,
        depth, lanes, backend_);
    return *runtime_;
  }
  using Orders = std::vector<std::string>;

  Workload workload_ = Workload::outer(2, 2);
  Platform platform_;
  StrategyEntry entry_;
  NotingMachine backend_;
  std::unique_ptr<UnlimitedMemoryRuntime> runtime_;
};

TEST_F(UnlimitedMemoryRuntimeByHand, RunsATaskWhenItsLastInputHasArrived) {
  auto& runtime = make({{{{0, 2}, {0}}}});

  runtime.start();
  EXPECT_EQ(backend_.orders(), (Orders{"load 0:0", "load 0:2", "grant 0:0"}));
  runtime.load_ended(p0, DataId{2});
  EXPECT_EQ(backend_.orders(), Orders{});
  runtime.load_ended(p0, DataId{0});
  EXPECT_EQ(backend_.orders(), Orders{"run 0:0"});
  runtime.task_ended(p0, TaskId{0});
  EXPECT_EQ(backend_.orders(), Orders{});
}

TEST_F(UnlimitedMemoryRuntimeByHand, RunsTasksInTheOrderOfTheGrant) {
  auto& runtime = make({{{{0, 2, 3}, {1, 0}}}});

  runtime.start();
  backend_.orders();
  runtime.load_ended(p0, DataId{0});
  runtime.load_ended(p0, DataId{2});  // task 0 could run, but it is second
  EXPECT_EQ(backend_.orders(), Orders{});
  runtime.load_ended(p0, DataId{3});
  EXPECT_EQ(backend_.orders(), Orders{"run 0:1"});
  runtime.task_ended(p0, TaskId{1});
  EXPECT_EQ(backend_.orders(), Orders{"run 0:0"});
}

TEST_F(UnlimitedMemoryRuntimeByHand, AsksAtOnceAfterDataWithoutATask) {
  make({{{{0}, {}}, {{2}, {}}, {{3}, {0}}}}).start();

  EXPECT_EQ(backend_.orders(), (Orders{"load 0:0", "load 0:2", "load 0:3", "grant 0:0"}));
}

/// Depth 1: it asks when it is idle; depth 2: while the last task runs, so data travel meanwhile.
TEST_F(UnlimitedMemoryRuntimeByHand, AsksWhenFewerTasksThanTheDepthAreLeft) {
  const std::vector<std::deque<Answer>> script{{{{0, 2}, {0}}, {{3}, {1}}}};
  for (const std::size_t depth : {1U, 2U}) {
    auto& runtime = make(script, depth);
    runtime.start();
    runtime.load_ended(p0, DataId{0});
    runtime.load_ended(p0, DataId{2});
    const auto before = backend_.orders();
    runtime.task_ended(p0, TaskId{0});
    const auto after = backend_.orders();

    EXPECT_EQ(after, depth == 1 ? (Orders{"load 0:3", "grant 0:1"}) : Orders{});
    EXPECT_EQ(before.size(), depth == 1 ? 4U : 6U);
  }
}

TEST_F(UnlimitedMemoryRuntimeByHand, FillsItsLanes) {
  auto& runtime = make({{{{0, 1, 2}, {0, 2}}, {{}, {}}}}, 1, 2);

  runtime.start();
  runtime.load_ended(p0, DataId{0});
  runtime.load_ended(p0, DataId{2});
  backend_.orders();
  runtime.load_ended(p0, DataId{1});
  EXPECT_EQ(backend_.orders(), Orders{"run 0:2"});  // while task 0 runs
  runtime.task_ended(p0, TaskId{0});
  runtime.task_ended(p0, TaskId{2});
  EXPECT_EQ(backend_.orders(), Orders{});
}

TEST_F(UnlimitedMemoryRuntimeByHand, AddsWhatIsMissingWhereGrantsNameTasksAlone) {
  auto& runtime = make({{{{3}, {0, 1}}, {{}, {2}}}}, 1, 1, true);

  runtime.start();
  EXPECT_EQ(backend_.orders(),
            (Orders{"load 0:0", "load 0:2", "load 0:3", "grant 0:0", "grant 0:1"}));
  for (const auto data : {0U, 2U, 3U}) runtime.load_ended(p0, DataId{data});
  runtime.task_ended(p0, TaskId{0});
  backend_.orders();
  runtime.task_ended(p0, TaskId{1});
  EXPECT_EQ(backend_.orders(), (Orders{"load 0:1", "grant 0:2"}));
}

TEST_F(UnlimitedMemoryRuntimeByHand, ServesEachProcessorByItself) {
  auto& runtime = make({{{{0, 2}, {0}}}, {{{1, 2}, {2}}}});

  runtime.start();
  EXPECT_EQ(backend_.orders().size(), 6U);
  runtime.load_ended(p1, DataId{1});
  runtime.load_ended(p0, DataId{2});  // of p0, not of p1
  EXPECT_EQ(backend_.orders(), Orders{});
  runtime.load_ended(p1, DataId{2});
  EXPECT_EQ(backend_.orders(), Orders{"run 1:2"});
}

TEST_F(UnlimitedMemoryRuntimeByHand, RefusesDataThatAreSentTwice) {
  auto& runtime = make({{{{0, 2, 0}, {0}}}});

  EXPECT_THROW(runtime.start(), NoProgress);
}

TEST_F(UnlimitedMemoryRuntimeByHand, ChargesDecisionsToTheNextTask) {
  auto& runtime = make({{{{0, 2}, {0}}}});
  const double making_s = runtime.scheduling_s();

  runtime.start();
  runtime.load_ended(p0, DataId{0});
  runtime.load_ended(p0, DataId{2});

  EXPECT_GT(making_s, 0);
  EXPECT_GT(backend_.owed(), 0);
  EXPECT_NEAR(backend_.owed(), runtime.scheduling_s() - making_s, 1e-12);
}

}  // namespace
}  // namespace damocles::unlimited_memory_runtime_test
