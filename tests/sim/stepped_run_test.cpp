#include "sim/stepped_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "strategies/parts/forwarding.hpp"
#include "tests/error_text.hpp"
#include "tests/sim/two_gpus.hpp"

namespace damocles::stepped_run_test {
namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What a strategy answered when a processor asked, while some task was open.
struct Answer {
  ProcessorId worker{};
  std::vector<TaskId> tasks{};
  std::vector<DataId> loads{};
};

/// Another strategy, asked by the rules of SteppedRun, and its answers. What it plans is for
/// itself.
class Recorded final : public Forwarding {
 public:
  Recorded(std::unique_ptr<Strategy> to, const Workload& workload, std::deque<Answer>& answers)
      : Forwarding(std::move(to)),
        open_(workload.has_dependencies() ? 0 : workload.tasks()),
        answers_(answers) {}

  void request(ProcessorId processor, Grant& grant) override {
    if (open_ == 0) return;
    Forwarding::request(processor, grant);
    Answer answer{.worker = processor, .loads = grant.loads};
    grant.tasks.for_each([&](TaskId task) { answer.tasks.push_back(task); });
    open_ -= answer.tasks.size();
    answers_.push_back(answer);
  }
  std::optional<ProcessorId> on_ready(TaskId task) override {
    ++open_;
    (void)Forwarding::on_ready(task);
    return std::nullopt;
  }
  [[nodiscard]] bool exhausted() const override { return open_ == 0; }
  [[nodiscard]] bool may_grant(ProcessorId) const override { return open_ > 0; }
  [[nodiscard]] bool waits_for_inputs() const override { return false; }
  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId, DataId) const override { return 0; }

 private:
  std::uint64_t open_;
  std::deque<Answer>& answers_;
};

Platform drawn(const std::string& platform) { return Scenario::parse(platform).draw(1, 0); }

struct Seen {
  Trace trace;
  std::vector<RunEvent> events;
};

Watcher into(Seen& seen) {
  return [&seen](const RunEvent& event) { seen.events.push_back(event); };
}

/// The run of a strategy, and its answers.
Seen record(const Workload& workload, const Platform& platform, const std::string& strategy,
            std::deque<Answer>& answers) {
  const StrategyChoice inner = StrategyChoice::parse(strategy, workload);
  StrategyEntry entry = *inner.entry;
  entry.make = [&](const StrategyContext& context) {
    return std::make_unique<Recorded>(inner.make(context), workload, answers);
  };
  entry.depth = 0;
  entry.eviction = "lru";
  Seen seen;
  seen.trace = simulate_limited(workload, platform, {&entry, inner.spec}, 1, 0, into(seen));
  return seen;
}

/// The first open task, until the run is done.
void run_eagerly(SteppedRun& run) {
  while (!run.done()) run.grant(std::vector{TaskId{run.open().front()}});
}

void run_lazily(SteppedRun& run) {
  while (!run.done()) run.grant(std::vector{TaskId{run.open().back()}});
}

Trace simulated(const Workload& workload, const Platform& platform, const std::string& strategy) {
  return simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload), 1, 0);
}

struct Setting {
  const char* workload;
  const char* platform;
};

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all{
      {"gemm2d:n=8", "gpus:k=1,memory=6data"},
      {"gemm2d:n=10", "gpus:k=3,memory=8data,depth=4"},
      {"gemm2d:n=8", "gpus:k=2,memory=8data,depth=1"},
      {"sparse2d:n=12,density=0.3", "gpus:k=2,memory=9data"},
      {"cholesky:n=7,deps=true", "gpus:k=2,memory=12data"},
      {"cholesky:n=7,deps=true", "gpus:k=2,memory=500MB,cpus=2,cpu_gflops=40"}};
  return all;
}

TEST(SteppedRun, GrantingTheFirstOpenTaskIsEager) {
  for (const auto& [words, machine] : settings()) {
    const Workload workload = Workload::parse(words);
    const Platform platform = drawn(machine);
    Seen seen;
    SteppedRun run(workload, platform, {}, into(seen));
    run_eagerly(run);
    Seen expected;
    expected.trace = simulate_limited(workload, platform, StrategyChoice::parse("eager", workload),
                                      1, 0, into(expected));
    EXPECT_EQ(run.trace(), expected.trace) << words << " on " << machine;
    EXPECT_TRUE(seen.events == expected.events) << words << " on " << machine;
  }
}

TEST(SteppedRun, SameDecisionsGiveTheSameRun) {
  for (const auto& [words, machine] : settings()) {
    for (const char* strategy : {"darts:eviction=lru", "dmdar", "modular-prio", "ws"}) {
      const Workload workload = Workload::parse(words);
      const Platform platform = drawn(machine);
      if (const auto& entry = strategy_called(Spec::parse(strategy, "strategy").name());
          !why_unsupported(entry, workload).empty() ||
          !why_not_heterogeneous(entry, workload, platform).empty()) {
        continue;
      }
      std::deque<Answer> answers;
      const Seen expected = record(workload, platform, strategy, answers);
      Seen seen;
      SteppedRun run(workload, platform, {}, into(seen));
      for (const Answer& answer : answers) {
        ASSERT_FALSE(run.done()) << strategy << " on " << words;
        ASSERT_EQ(run.worker(), answer.worker) << strategy << " on " << words;
        run.grant(answer.tasks, answer.loads);
      }
      ASSERT_TRUE(run.done()) << strategy << " on " << words;
      EXPECT_EQ(run.trace(), expected.trace) << strategy << " on " << words;
      EXPECT_TRUE(seen.events == expected.events) << strategy << " on " << words;
    }
  }
}

TEST(SteppedRun, ClonesGoOnByThemselves) {
  for (const auto& [words, machine] : settings()) {
    const Workload workload = Workload::parse(words);
    const Platform platform = drawn(machine);
    SteppedRun run(workload, platform, {.eviction = "random"});
    for (int step = 0; step < 12; ++step) run.grant(std::vector{TaskId{run.open().front()}});
    Seen of_clone;
    const auto clone = run.clone(into(of_clone));
    EXPECT_EQ(clone->time_s(), run.time_s());
    EXPECT_EQ(clone->worker(), run.worker());
    EXPECT_EQ(clone->open(), run.open());
    EXPECT_EQ(clone->resident(run.worker()), run.resident(run.worker()));
    const auto same = clone->clone();
    run_lazily(*clone);
    EXPECT_FALSE(run.done());
    EXPECT_EQ(same->open(), run.open());
    run_eagerly(run);
    run_eagerly(*same);
    EXPECT_EQ(same->trace(), run.trace());
    EXPECT_NE(clone->trace(), run.trace());
    EXPECT_EQ(run.clone()->trace(), run.trace());
    const auto ended = std::count_if(of_clone.events.begin(), of_clone.events.end(), [](auto& one) {
      return one.kind == RunEvent::Kind::task_ended;
    });
    EXPECT_EQ(static_cast<std::uint64_t>(ended), workload.tasks());
  }
}

TEST(SteppedRun, CloneWithAPendingWakeIsTheSameRun) {
  const Workload workload = Workload::parse("gemm2d:n=6");
  const Platform platform = drawn("gpus:k=2,memory=8data");
  SteppedRun run(workload, platform, {});
  run.grant(std::vector{TaskId{0}});
  run.grant({});
  run.wake();
  const auto clone = run.clone();
  run_eagerly(run);
  run_eagerly(*clone);
  EXPECT_EQ(clone->trace(), run.trace());
}

TEST(SteppedRun, MayEndAtAnyStep) {
  const Workload workload = Workload::parse("cholesky:n=4,deps=true");
  const Platform platform = drawn("gpus:k=2,memory=12data");
  for (std::uint64_t steps = 0; steps <= workload.tasks(); ++steps) {
    SteppedRun run(workload, platform, {});
    for (std::uint64_t step = 0; step < steps; ++step) {
      run.grant(std::vector{TaskId{run.open().front()}});
    }
    EXPECT_EQ(run.done(), steps == workload.tasks());
  }
}

TEST(SteppedRun, TellsWhatIsWhere) {
  const Workload workload = Workload::parse("gemm2d:n=6");
  const Platform platform = drawn("gpus:k=1,memory=8data,depth=2");
  SteppedRun run(workload, platform, {});
  const ProcessorId gpu = run.worker();
  run.grant(std::vector{TaskId{0}});
  run.grant(std::vector{TaskId{1}});
  // T0 has ended, so the buffer has room for another task.
  std::vector<std::uint64_t> there = run.resident(gpu);
  there.insert(there.end(), run.loading(gpu).begin(), run.loading(gpu).end());
  EXPECT_EQ(there.size(), run.trace().total_loads());
  for (const std::uint64_t data : there) {
    EXPECT_TRUE(run.context().memory.resident(gpu, DataId{data}));
  }
  EXPECT_EQ(run.assigned(gpu), std::deque<std::uint64_t>{1});
  EXPECT_EQ(run.trace().tasks.front(), 1U);
  EXPECT_GT(run.time_s(), 0);
  run_eagerly(run);
  EXPECT_EQ(run.time_s(), run.trace().makespan_s);
  EXPECT_TRUE(run.assigned(gpu).empty());
}

TEST(SteppedRun, RefusesWrongAnswersAndGoesOn) {
  const Workload workload = Workload::parse("cholesky:n=5,deps=true");
  const Platform platform = drawn("gpus:k=2,memory=12data");
  SteppedRun run(workload, platform, {});
  const auto refused = [&](const std::vector<TaskId>& tasks,
                           const std::vector<DataId>& loads = {}) {
    return error_text([&] { run.grant(tasks, loads); });
  };
  EXPECT_EQ(refused({TaskId{1}}),
            "task 1 (" + workload.task_name(TaskId{1}) +
                ") is not open: it was granted before, or waits for another task");
  EXPECT_EQ(refused({TaskId{0}, TaskId{0}}), "task 0 stands twice in one grant");
  EXPECT_EQ(refused({TaskId{35}}), "there is no task 35; the run has 35, counted from 0");
  EXPECT_EQ(refused({TaskId{0}}, {DataId{15}}),
            "there is no data item 15; the run has 15, counted from 0");
  run.grant(std::vector{TaskId{0}});
  EXPECT_TRUE(says(refused({TaskId{0}}), "it was granted before"));
  run_eagerly(run);
  EXPECT_EQ(run.trace(), simulated(workload, platform, "eager"));
}

TEST(SteppedRun, RefusesWhatCannotStart) {
  const Workload workload = Workload::parse("gemm2d:n=4");
  const auto refused = [&](const std::string& platform, const std::string& eviction) {
    return error_text(
        [&] { const SteppedRun run(workload, drawn(platform), {.eviction = eviction}); });
  };
  EXPECT_TRUE(says(refused("gpus:k=1,memory=1data", "lru"), "memory"));
  EXPECT_TRUE(says(refused("gpus:k=1,memory=8data", "oldest"), "unknown eviction"));
}

TEST(SteppedRun, WithoutGrantsEndsWhereNothingCanHappenAnyMore) {
  const Workload workload = Workload::parse("gemm2d:n=4");
  const Platform platform = drawn("gpus:k=2,memory=8data");
  SteppedRun run(workload, platform, {});
  while (run.worker() == ProcessorId{0}) run.grant({});
  EXPECT_THROW(
      {
        for (int asked = 0; asked < 100; ++asked) run.grant({});
      },
      NoProgress);
  EXPECT_FALSE(run.done());
  EXPECT_THROW(run.grant({}), NoProgress);
  EXPECT_THROW((void)run.worker(), NoProgress);
  EXPECT_THROW((void)run.time_s(), NoProgress);
  EXPECT_THROW((void)run.clone(), NoProgress);
}

TEST(SteppedRun, AsksAgainAfterWake) {
  const Workload workload = Workload::parse("gemm2d:n=6");
  const Platform platform = drawn("gpus:k=2,memory=8data");
  const auto tasks_of_second = [&](bool wake) {
    SteppedRun run(workload, platform, {});
    while (!run.done()) {
      if (run.worker() == ProcessorId{1} && run.time_s() == 0) {
        run.grant({});
        continue;
      }
      if (wake) run.wake();
      run.grant(std::vector{TaskId{run.open().front()}});
    }
    return run.trace().tasks[1];
  };
  EXPECT_EQ(tasks_of_second(false), 0U);
  EXPECT_GT(tasks_of_second(true), 0U);
}

/// T0 of kind A, which the first of two_gpus() runs alone, and T1 of kind B.
Workload two_kinds() {
  TaskGraph::Parts parts;
  parts.bytes = {1, 1};
  parts.kind_names = {"A", "B"};
  parts.task_kinds = {0, 1};
  parts.add_task(std::vector<TaskGraph::Index>{0}, 1);
  parts.add_task(std::vector<TaskGraph::Index>{1}, 1);
  return Workload::of_graph("two kinds", TaskGraph(std::move(parts)));
}

TEST(SteppedRun, AsksOnlyForProcessorsThatCanRunAnOpenTask) {
  const Workload workload = two_kinds();
  const Platform platform = two_gpus(4);
  SteppedRun run(workload, platform, {});
  ASSERT_EQ(run.worker(), ProcessorId{0});
  EXPECT_EQ(error_text([&] { run.grant(std::vector{TaskId{1}}); }),
            "task 1 (" + workload.task_name(TaskId{1}) +
                ") cannot run on worker 0; grant it another task");
  run.grant(std::vector{TaskId{0}});
  ASSERT_EQ(run.worker(), ProcessorId{1});
  EXPECT_EQ(run.open(), std::vector<std::uint64_t>{1});
  run.grant(std::vector{TaskId{1}});
  EXPECT_TRUE(run.done());
}

TEST(SteppedRun, PassesOnWhatAWatcherThrows) {
  struct Mine {};
  const Workload workload = Workload::parse("gemm2d:n=4");
  const Platform platform = drawn("gpus:k=1,memory=8data");
  SteppedRun run(workload, platform, {}, [](const RunEvent& event) {
    if (event.kind == RunEvent::Kind::task_ended) throw Mine();
  });
  EXPECT_THROW(run_eagerly(run), Mine);
  EXPECT_THROW(run.grant({}), NoProgress);
}

}  // namespace
}  // namespace damocles::stepped_run_test
