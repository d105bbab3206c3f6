#include "models/runs/decisions.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/error_text.hpp"

namespace damocles::decisions_test {
namespace {

using Kind = RunEvent::Kind;

constexpr Kind granted = Kind::granted;
constexpr Kind load = Kind::load_started;
constexpr Kind loaded = Kind::load_ended;
constexpr Kind evict = Kind::evicted;
constexpr Kind start = Kind::task_started;
constexpr Kind end = Kind::task_ended;

struct Step {
  Kind kind;
  std::uint32_t processor;
  std::uint64_t id;
};

/// outer:m=1,n=2: task j reads data 0 (a) and 1 + j (b_j), 10 B each; two processors of 20 B.
std::string refusal(const std::vector<Step>& steps, std::size_t processors = 2,
                    const std::vector<std::uint64_t>& memory = {20, 20}) {
  Decisions decisions{processors, {}};
  for (const Step& step : steps) {
    decisions.events.push_back({step.kind, 0, ProcessorId{step.processor}, step.id});
  }
  return error_text([&] {
    check_decisions(decisions, Workload::outer(1, 2), Platform{.speeds = {1, 1}}, memory,
                    [](DataId) { return std::uint64_t{10}; });
  });
}

/// Both tasks on processor 0, which evicts b_0 for b_1.
const std::vector<Step> right{{granted, 0, 0}, {load, 0, 0},  {load, 0, 1},   {loaded, 0, 1},
                              {loaded, 0, 0},  {start, 0, 0}, {end, 0, 0},    {granted, 0, 1},
                              {evict, 0, 1},   {load, 0, 2},  {loaded, 0, 2}, {start, 0, 1},
                              {end, 0, 1}};

std::vector<Step> first_then(std::size_t count, const std::vector<Step>& more) {
  std::vector<Step> steps(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(count));
  steps.insert(steps.end(), more.begin(), more.end());
  return steps;
}

TEST(Decisions, AcceptARunThatEndedWell) {
  EXPECT_EQ(refusal(right), "no error");
  EXPECT_EQ(refusal({{load, 0, 0},
                     {load, 0, 1},
                     {load, 1, 0},
                     {load, 1, 2},
                     {loaded, 0, 0},
                     {loaded, 0, 1},
                     {start, 0, 0},
                     {loaded, 1, 2},
                     {loaded, 1, 0},
                     {start, 1, 1}}),
            "no error");  // ends that nothing waited for may be left out
}

TEST(Decisions, AreRefusedByTheFirstThatCannotBe) {
  struct Case {
    std::vector<Step> steps;
    std::string why;
  };
  const std::vector<Case> cases{
      {{{load, 2, 0}},
       "decision 0 (load_started of a(0) on processor 2): there is no such processor"},
      {{{load, 0, 3}}, "decision 0 (load_started of 3 on P0): there is no such data item"},
      {{{granted, 0, 2}}, "decision 0 (granted of 2 on P0): there is no such task"},
      {{{start, 0, 2}}, "decision 0 (task_started of 2 on P0): there is no such task"},
      {first_then(2, {{load, 0, 0}}),
       "decision 2 (load_started of a(0) on P0): the data is there already"},
      {first_then(3, {{load, 0, 2}}),
       "decision 3 (load_started of b(1) on P0): more than 20 bytes would be in memory"},
      {first_then(1, {{loaded, 0, 0}}),
       "decision 1 (load_ended of a(0) on P0): no such load is on its way"},
      {first_then(4, {{loaded, 0, 1}}),
       "decision 4 (load_ended of b(0) on P0): no such load is on its way"},
      {first_then(2, {{loaded, 1, 0}}),
       "decision 2 (load_ended of a(0) on P1): no such load is on its way"},
      {first_then(1, {{evict, 0, 0}}),
       "decision 1 (evicted of a(0) on P0): the data item is not there"},
      {first_then(3, {{evict, 0, 0}}),
       "decision 3 (evicted of a(0) on P0): the data item is not there"},
      {first_then(6, {{evict, 0, 1}}),
       "decision 6 (evicted of b(0) on P0): a running task reads the data"},
      {first_then(4, {{start, 0, 0}}),
       "decision 4 (task_started of T(0,0) on P0): its input a(0) is not there"},
      {first_then(5, {{start, 1, 0}}),
       "decision 5 (task_started of T(0,0) on P1): its input a(0) is not there"},
      {first_then(7, {{start, 0, 0}}),
       "decision 7 (task_started of T(0,0) on P0): the task has started before"},
      {first_then(5, {{end, 0, 0}}), "decision 5 (task_ended of T(0,0) on P0): it does not run"},
      {first_then(7, {{end, 0, 0}}), "decision 7 (task_ended of T(0,0) on P0): it does not run"},
      {first_then(6, {{end, 1, 0}}), "decision 6 (task_ended of T(0,0) on P1): it does not run"},
      {first_then(7, {}), "the decisions never start task T(0,1); record a run that ended well"},
      {{}, "the decisions never start task T(0,0); record a run that ended well"},
  };
  for (const Case& broken : cases) EXPECT_EQ(refusal(broken.steps), broken.why);
}

constexpr Kind join = Kind::joined;
constexpr Kind leave = Kind::left;

/// Two tasks on three cores, at most two of which compute one together, and a fourth that is
/// slower.
std::string refusal_of_cores(const std::vector<Step>& steps) {
  Decisions decisions{4, {}};
  for (const Step& step : steps) {
    decisions.events.push_back({step.kind, 0, ProcessorId{step.processor}, step.id});
  }
  TaskGraph::Parts parts;
  parts.bytes = {10};
  for (int task = 0; task < 2; ++task) parts.add_task(std::vector<TaskGraph::Index>{0}, 1);
  Platform platform{.speeds = {1, 1, 1, 1}};
  platform.machine = MachineModel{};
  platform.machine->processors.assign(
      4, {.flops_per_s = 2,
          .in_host_memory = true,
          .speedups = {{.law = Speedup::Law::table, .table = {1, 1.5}}}});
  platform.machine->processors[3].flops_per_s = 1;
  return error_text([&] {
    check_decisions(decisions, Workload::of_graph("two", TaskGraph(std::move(parts))), platform,
                    {0, 0, 0, 0}, [](DataId) { return std::uint64_t{10}; });
  });
}

TEST(Decisions, OfTeamsAreRefusedWhereTheirCoresAreBusyOrUnlike) {
  EXPECT_EQ(refusal_of_cores({{join, 1, 0},
                              {start, 0, 0},
                              {end, 0, 0},
                              {leave, 1, 0},
                              {join, 0, 1},
                              {start, 1, 1},
                              {end, 1, 1}}),
            "no error");  // an end that nothing waited for may be left out
  EXPECT_EQ(
      refusal_of_cores({{join, 3, 0}, {start, 0, 0}}),
      "decision 1 (task_started of T0 on CPU0): CPU3 joined it, which computes no task with this one");
  EXPECT_EQ(refusal_of_cores({{join, 1, 0}, {join, 2, 0}, {start, 0, 0}}),
            "decision 2 (task_started of T0 on CPU0): at most 2 processors compute it together");
  EXPECT_EQ(refusal_of_cores({{start, 1, 1}, {join, 1, 0}}),
            "decision 1 (joined of T0 on CPU1): it computes task T1");
  EXPECT_EQ(refusal_of_cores({{join, 1, 0}, {join, 1, 1}}),
            "decision 1 (joined of T1 on CPU1): it computes task T0 with another processor");
  EXPECT_EQ(refusal_of_cores({{join, 1, 0}, {start, 1, 1}}),
            "decision 1 (task_started of T1 on CPU1): it computes task T0 with another processor");
  EXPECT_EQ(refusal_of_cores({{start, 0, 0}, {join, 1, 0}}),
            "decision 1 (joined of T0 on CPU1): the task has started before");
  EXPECT_EQ(refusal_of_cores({{join, 1, 0}, {start, 0, 0}, {leave, 1, 0}}),
            "decision 2 (left of T0 on CPU1): the task has not ended");
  EXPECT_EQ(refusal_of_cores({{leave, 1, 0}}),
            "decision 0 (left of T0 on CPU1): it did not join the task");
}

TEST(Decisions, AreRefusedOnAnotherNumberOfProcessors) {
  const std::string why =
      "the decisions are those of 2 processors and this platform has 1; give the platform they were recorded on";

  EXPECT_EQ(refusal(right, 2, {20}), why);
  EXPECT_EQ(refusal({}, 2, {20}), why);
}

}  // namespace
}  // namespace damocles::decisions_test
