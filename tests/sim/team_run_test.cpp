// Tasks that several cores compute together: runs worked out by hand, and laws of drawn ones, from
// their events alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/bounds/workload_bound.hpp"
#include "models/error.hpp"
#include "models/platforms/energy.hpp"
#include "models/platforms/memory_limits.hpp"
#include "models/platforms/scenario.hpp"
#include "models/runs/decisions.hpp"
#include "sim/limited_run.hpp"
#include "tests/sim/naive/draws.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::team_run_test {
namespace {

using Index = TaskGraph::Index;
using Kind = RunEvent::Kind;

/// So many cores of 1 Gflop/s.
Platform cores(std::size_t count, const std::string& more) {
  return Scenario::parse("gpus:k=0,jitter=off,latency=0s,cpus=" + std::to_string(count) +
                         ",cpu_gflops=1" + more)
      .draw(1, 0);
}

/// Tasks of these seconds of a core, which wait for nobody and read one data item.
Workload tasks_of(const std::vector<double>& seconds) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  for (const double s : seconds) parts.add_task(std::vector<Index>{0}, s * 1e9);
  return Workload::of_graph("by hand", TaskGraph(std::move(parts)));
}

struct Seen {
  Trace trace;
  std::vector<RunEvent> events;
};

Seen run(const Workload& workload, const Platform& platform, const StrategyChoice& choice,
         std::uint64_t replicate = 0) {
  Seen result;
  result.trace = simulate_limited(workload, platform, choice, 1, replicate,
                                  [&](const RunEvent& e) { result.events.push_back(e); });
  return result;
}
Seen run(const Workload& workload, const Platform& platform, const std::string& strategy) {
  return run(workload, platform, StrategyChoice::parse(strategy, workload));
}

/// When the task started, and on how many processors.
std::pair<double, std::size_t> start_of(const Seen& run, std::uint64_t task) {
  std::pair<double, std::size_t> result{-1, 0};
  for (const RunEvent& event : run.events) {
    if (event.id != task || (event.kind != Kind::task_started && event.kind != Kind::joined)) {
      continue;
    }
    result.first = event.time_s;
    ++result.second;
  }
  return result;
}

/// Two tasks of 4 s on two cores: each on both, 2 s; the first core is granted both.
TEST(TeamRun, KeepsAllItsCoresBusyAndCountsTheTaskOnce) {
  const Workload workload = tasks_of({4, 4});
  const Platform platform = cores(2, ",cpu_speedup=amdahl:0,cpu_power=10W,cpu_idle=1W");

  const Seen both = run(workload, platform, "peager");

  EXPECT_DOUBLE_EQ(both.trace.makespan_s, 4);
  EXPECT_EQ(both.trace.tasks, (std::vector<std::uint64_t>{2, 0}));
  EXPECT_EQ(both.trace.busy_s, (std::vector<double>{4, 4}));
  EXPECT_EQ(both.trace.compute_j, (std::vector<double>{40, 40}));
  EXPECT_DOUBLE_EQ(energy_j(*platform.machine, both.trace), 80);
  EXPECT_DOUBLE_EQ(both.trace.busy_fraction(), 1);
  std::vector<std::pair<Kind, std::uint32_t>> told;
  for (const RunEvent& event : both.events) told.emplace_back(event.kind, raw(event.processor));
  const std::vector<std::pair<Kind, std::uint32_t>> once{{Kind::granted, 0},
                                                         {Kind::joined, 1},
                                                         {Kind::task_started, 0},
                                                         {Kind::task_ended, 0},
                                                         {Kind::left, 1}};
  ASSERT_EQ(told.size(), 2 * once.size());
  for (std::size_t at = 0; at < told.size(); ++at) EXPECT_EQ(told[at], once[at % once.size()]);
}

/// Of four cores: 0, with all four, 8 s in 4 (S = 2); 1 likewise; 2, 1 s, in 0.5.
TEST(TeamRun, TakesWhatItsSpeedupSays) {
  const Seen all = run(tasks_of({8, 8, 1}), cores(4, ",cpu_speedup=power:0.5"), "peager");

  EXPECT_DOUBLE_EQ(all.trace.makespan_s, 8.5);
  EXPECT_EQ(start_of(all, 1), (std::pair<double, std::size_t>{4, 4}));
  // Teams of two: cores 0 and 2 take one each, 8 / sqrt(2) s; who ends first, 0, takes the third.
  const Seen pairs =
      run(tasks_of({8, 8, 1}), cores(4, ",cpu_speedup=power:0.5"), "peager:largest=2");
  EXPECT_EQ(start_of(pairs, 1), (std::pair<double, std::size_t>{0, 2}));
  EXPECT_NEAR(pairs.trace.makespan_s, 9 / std::sqrt(2), 1e-12);
  EXPECT_EQ(pairs.trace.tasks, (std::vector<std::uint64_t>{2, 0, 1, 0}));
}

/// Three cores that compute only A together, in a third of the time: B of 5 s and 1 s, A of 6.
TEST(TeamRun, WaitsForCoresThatComputeAlone) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  parts.kind_names = {"A", "B"};
  parts.task_kinds = {1, 1, 0};
  for (const double s : {5.0, 1.0, 6.0}) parts.add_task(std::vector<Index>{0}, s * 1e9);
  const Workload workload = Workload::of_graph("by hand", TaskGraph(std::move(parts)));

  const Seen mixed = run(workload, cores(3, ",cpu_speedup=A:amdahl:0"), "peager");

  // B on cores 0 and 1 at once; core 2 leaves A to a primary: 0, for all three, when it is done
  // with 5 s. (Core 1 is primary of none: of three cores the halves are 0 and 1, and 2.)
  EXPECT_EQ(start_of(mixed, 0), (std::pair<double, std::size_t>{0, 1}));
  EXPECT_EQ(start_of(mixed, 1), (std::pair<double, std::size_t>{0, 1}));
  EXPECT_EQ(start_of(mixed, 2), (std::pair<double, std::size_t>{5, 3}));
  EXPECT_DOUBLE_EQ(mixed.trace.makespan_s, 7);
}

/// Three tasks of 4, 4 and 6 s on two cores with S(2) = 1.5, by where each ends first: 0 together
/// until 2.67 (alone 4); 1 together until 5.33; 2 together until 9.33. With S(2) = 1.2: 0 together
/// until 3.33; 1 until 6.67; 2 until 11.67, alone until 12.67.
TEST(TeamRun, OfPheftIsWhereEachEndsFirst) {
  EXPECT_NEAR(
      run(tasks_of({4, 4, 6}), cores(2, ",cpu_speedup=table:1/1.5"), "pheft").trace.makespan_s,
      14 / 1.5, 1e-12);
  // Where together nothing is won each computes alone: 0 and 2 on the first, 1 on the second.
  const Seen alone = run(tasks_of({4, 4, 6}), cores(2, ",cpu_speedup=table:1/1"), "pheft");
  EXPECT_DOUBLE_EQ(alone.trace.makespan_s, 10);
  EXPECT_EQ(alone.trace.tasks, (std::vector<std::uint64_t>{2, 1}));
}

/// Gives each task to processor 0, and has these help.
class Helped final : public Strategy {
 public:
  Helped(const StrategyContext& context, std::vector<ProcessorId> helpers, bool second)
      : tasks_(context.workload.tasks()), helpers_(std::move(helpers)), second_(second) {}
  void request(ProcessorId processor, Grant& grant) override {
    if (next_ < tasks_ && (raw(processor) == 0 || second_)) grant.tasks.add(TaskId{next_++});
  }
  [[nodiscard]] std::span<const ProcessorId> helpers(ProcessorId processor, TaskId) const override {
    return raw(processor) == 0 ? std::span(helpers_) : std::span<const ProcessorId>();
  }

 private:
  std::uint64_t tasks_;
  std::vector<ProcessorId> helpers_;
  bool second_;
  std::uint64_t next_ = 0;
};

std::string refusal(const std::vector<std::uint32_t>& helpers, const std::string& speedup,
                    bool second = false) {
  std::vector<ProcessorId> ids;
  for (const std::uint32_t helper : helpers) ids.push_back(ProcessorId{helper});
  const StrategyEntry helped{.name = "helped",
                             .source = "",
                             .summary = "",
                             .make =
                                 [=](const StrategyContext& context) {
                                   return std::make_unique<Helped>(context, ids, second);
                                 },
                             .heterogeneous = true};
  const StrategyChoice choice{&helped, Spec::parse("helped", "strategy")};
  try {
    (void)run(tasks_of({4, 4}), cores(3, speedup), choice);
  } catch (const NoProgress& error) {
    return error.what();
  }
  return "no error";
}

TEST(TeamRun, IsRefusedWhereACoreIsBusyOrCannotHelp) {
  EXPECT_EQ(refusal({1, 2}, ",cpu_speedup=amdahl:0"), "no error");
  // Processor 0 starts 0 with 1 and 2; 1 was granted task 1 before that, or starts it after.
  EXPECT_EQ(refusal({1, 2}, ",cpu_speedup=amdahl:0", true),
            "the strategy has CPU1 compute task T1 while it computes task T0");
  EXPECT_EQ(refusal({0}, ",cpu_speedup=amdahl:0"),
            "the strategy has CPU0 compute task T0 while it computes task T0");
  EXPECT_EQ(refusal({1, 1}, ",cpu_speedup=amdahl:0"),
            "the strategy has CPU1 compute task T0 together with CPU0 while it computes task T0");
  EXPECT_EQ(
      refusal({1, 2}, ",cpu_speedup=table:1/2"),
      "the strategy has 3 processors compute task T0, which cannot together: CPU0 and CPU1 and CPU2");
  EXPECT_EQ(refusal({1}, ""),
            "the strategy has 2 processors compute task T0, which cannot together: CPU0 and CPU1");
}

/// Books of who computes what, from the events of a run.
class Books {
 public:
  Books(const Workload& workload, const Platform& platform)
      : durations_(Durations::drawn(workload, platform, 1, 0)),
        machine_(*platform.machine),
        computes_(platform.processors()),
        busy_s_(platform.processors(), 0) {}

  void take(const RunEvent& event) {
    auto& computes = computes_[raw(event.processor)];
    const bool starts = event.kind == Kind::task_started || event.kind == Kind::joined;
    const bool ends = event.kind == Kind::task_ended || event.kind == Kind::left;
    if (starts) {
      EXPECT_FALSE(computes) << "processor " << raw(event.processor) << " computes two tasks";
      computes = {event.id, event.time_s};
      team_[event.id].push_back(raw(event.processor));
    }
    if (!ends) return;
    ASSERT_TRUE(computes && computes->task == event.id);
    busy_s_[raw(event.processor)] += event.time_s - computes->since_s;
    if (event.kind == Kind::task_ended) check_team(event, computes->since_s);
    computes.reset();
  }
  [[nodiscard]] const std::vector<double>& busy_s() const { return busy_s_; }
  [[nodiscard]] std::size_t teams() const { return teams_; }
  [[nodiscard]] bool all_idle() const {
    return std::none_of(computes_.begin(), computes_.end(), [](const auto& c) { return c; });
  }

 private:
  struct Computing {
    std::uint64_t task;
    double since_s;
  };

  void check_team(const RunEvent& end, double since_s) {
    const auto& team = team_.at(end.id);
    const auto task = static_cast<Index>(end.id);
    const std::size_t p = raw(end.processor);
    EXPECT_EQ(team.back(), p);  // who was granted it, after those who joined
    for (const std::size_t member : team) {
      EXPECT_EQ(computes_[member]->since_s, since_s);
      EXPECT_EQ(machine_.processors[member].speedups, machine_.processors[p].speedups);
      EXPECT_TRUE(team.size() == 1 || machine_.processors[member].in_host_memory);
    }
    teams_ += team.size() > 1 ? 1 : 0;
    EXPECT_LE(team.size(), durations_.teams().most(p, task));
    if (machine_.jitter_of() > 0 || machine_.interference > 0) return;
    // One product and one sum of times; the end is rounded once more.
    const double eps = std::numeric_limits<double>::epsilon();
    EXPECT_NEAR(end.time_s - since_s, durations_.s(p, task, team.size()), 8 * eps * end.time_s);
  }

  Durations durations_;
  const MachineModel& machine_;
  std::vector<std::optional<Computing>> computes_;
  std::vector<double> busy_s_;
  std::map<std::uint64_t, std::vector<std::size_t>> team_;
  std::size_t teams_ = 0;
};

/// Nothing that a recording does not hold takes time.
bool comes_again(const naive::Drawn& drawn) {
  const MachineModel& machine = *drawn.platform.machine;
  const TaskGraph& graph = drawn.workload.graph();
  for (Index task = 0; task < graph.tasks(); ++task) {
    if (machine.write_back && graph.output_bytes(task) > 0) return false;
  }
  return machine.request_s == 0 && machine.decision_s == 0;
}

void expect_again(const naive::Drawn& drawn, const Seen& first) {
  Decisions decisions{drawn.platform.processors(), first.events};
  std::erase_if(decisions.events, [](const RunEvent& e) { return e.kind == Kind::granted; });
  check_decisions(decisions, drawn.workload, drawn.platform,
                  memory_bytes(*drawn.platform.machine, drawn.workload), [&](DataId data) {
                    return drawn.workload.graph().bytes(static_cast<Index>(raw(data)));
                  });
  std::vector<RunEvent> again;
  const Trace trace = replay_limited(drawn.workload, drawn.platform, decisions, 1, 0,
                                     [&](const RunEvent& event) { again.push_back(event); });
  EXPECT_EQ(trace, first.trace);
  EXPECT_EQ(again, decisions.events);
}

class EveryTeamRun : public testing::TestWithParam<const char*> {};

TEST_P(EveryTeamRun, KeepsTheLaws) {
  Rng rng(23, Draw::test, 0);
  std::size_t teams = 0;
  std::size_t replayed = 0;
  for (int at = 0; at < 300 && !HasFailure(); ++at) {
    const auto draw = at % 3 == 0 ? naive::draw_reading : naive::draw_writing;
    const naive::Drawn drawn = draw(rng, naive::Processors::with_teams);
    SCOPED_TRACE(testing::Message() << "run " << at << ": " << drawn);

    const Seen one = run(drawn.workload, drawn.platform, GetParam());

    Books books(drawn.workload, drawn.platform);
    for (const RunEvent& event : one.events) books.take(event);
    EXPECT_TRUE(books.all_idle());
    for (std::size_t p = 0; p < books.busy_s().size(); ++p) {
      EXPECT_NEAR(books.busy_s()[p], one.trace.busy_s[p], 1e-9 * one.trace.makespan_s);
    }
    const auto bound = workload_makespan_bound(
        drawn.workload, drawn.platform, Durations::drawn(drawn.workload, drawn.platform, 1, 0),
        workload_load_bound(drawn.workload, *drawn.platform.machine));
    // Sums of some hundred times.
    EXPECT_GE(one.trace.makespan_s, bound.seconds * (1 - 1e-12)) << bound.argument;
    teams += books.teams();
    if (!comes_again(drawn)) continue;
    expect_again(drawn, one);
    ++replayed;
  }
  EXPECT_GT(teams, 300U);
  EXPECT_GT(replayed, 30U);
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryTeamRun,
                         testing::Values("peager", "peager:largest=2", "pheft", "pheft:beta=0"),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace damocles::team_run_test
