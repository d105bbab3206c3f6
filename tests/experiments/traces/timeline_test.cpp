#include "experiments/traces/timeline.hpp"

#include <gtest/gtest.h>

#include <ostream>

#include "models/error.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"
#include "tests/error_text.hpp"

namespace damocles::timeline_test {
namespace {

using Kind = RunEvent::Kind;
constexpr ProcessorId p0{0};
constexpr ProcessorId p1{1};

/// Processor 0 loads data 0 in [0, 2] and data 1 in [1, 3], computes task 0 in [2, 6], meanwhile
/// loads data 2 in [4, 5], evicts data 0 at 6, loads data 3 in [6, 7], computes task 1 in [7, 9];
/// its third task it is granted only at 10, and computes it in [10, 11]. Nothing is left until 12.
const std::vector<RunEvent> by_hand{
    {Kind::granted, 0, p0, 0},    {Kind::load_started, 0, p0, 0},  {Kind::load_started, 1, p0, 1},
    {Kind::load_ended, 2, p0, 0}, {Kind::task_started, 2, p0, 0},  {Kind::load_ended, 3, p0, 1},
    {Kind::granted, 3, p0, 1},    {Kind::load_started, 4, p0, 2},  {Kind::load_ended, 5, p0, 2},
    {Kind::task_ended, 6, p0, 0}, {Kind::evicted, 6, p0, 0},       {Kind::load_started, 6, p0, 3},
    {Kind::load_ended, 7, p0, 3}, {Kind::task_started, 7, p0, 1},  {Kind::task_ended, 9, p0, 1},
    {Kind::granted, 10, p0, 2},   {Kind::task_started, 10, p0, 2}, {Kind::task_ended, 11, p0, 2}};

TEST(Timeline, TakesARunApart) {
  const auto runs = timeline(by_hand, 2, 12);

  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].tasks, (std::vector<Activity>{{2, 6, 0}, {7, 9, 1}, {10, 11, 2}}));
  EXPECT_EQ(runs[0].copies, (std::vector<Activity>{{0, 2, 0}, {1, 3, 1}, {4, 5, 2}, {6, 7, 3}}));
  EXPECT_EQ(runs[0].evictions, (std::vector<EvictionTime>{{6, 0, false, 3}}));
  EXPECT_EQ(runs[0].waits, (std::vector<Wait>{{0, 2, WaitReason::data},
                                              {6, 7, WaitReason::data},
                                              {9, 10, WaitReason::work},
                                              {11, 12, WaitReason::work}}));
  EXPECT_EQ(runs[1].waits, (std::vector<Wait>{{0, 12, WaitReason::work}}));
}

/// Copies cover [0, 3], [4, 5] and [6, 7]: 5 s, of which [2, 3] and [4, 5] are hidden behind task
/// 0.
TEST(Timeline, SumsUpWhereTimeWent) {
  const RunSummary summary = summarise_run(timeline(by_hand, 2, 12));

  EXPECT_EQ(summary.overlap, 2.0 / 5);
  EXPECT_EQ(summary.processors[0].compute_s, 7);
  EXPECT_EQ(summary.processors[0].copy_s, 5);
  EXPECT_EQ(summary.processors[0].waiting_for_data_s, 3);
  EXPECT_EQ(summary.processors[0].no_work_s, 2);
  EXPECT_EQ(summary.processors[1].no_work_s, 12);
}

/// Processor 1 computes task 4 in [0, 1], and in [2, 5] task 0, which processor 0 was granted.
TEST(Timeline, HasATaskOnAllThatComputeIt) {
  const std::vector<RunEvent> events{{Kind::granted, 0, p1, 4},    {Kind::task_started, 0, p1, 4},
                                     {Kind::task_ended, 1, p1, 4}, {Kind::granted, 1, p0, 0},
                                     {Kind::joined, 2, p1, 0},     {Kind::task_started, 2, p0, 0},
                                     {Kind::task_ended, 5, p0, 0}, {Kind::left, 5, p1, 0}};

  const auto runs = timeline(events, 2, 5);

  EXPECT_EQ(runs[0].tasks, (std::vector<Activity>{{2, 5, 0}}));
  EXPECT_EQ(runs[1].tasks, (std::vector<Activity>{{0, 1, 4}, {2, 5, 0}}));
  EXPECT_EQ(runs[1].waits, (std::vector<Wait>{{1, 2, WaitReason::work}}));
  EXPECT_EQ(summarise_run(runs).processors[1].compute_s, 4);
}

TEST(Timeline, HasNoOverlapWhereCopiesTakeNoTime) {
  const std::vector<RunEvent> events{{Kind::granted, 0, p0, 0},
                                     {Kind::load_started, 0, p0, 0},
                                     {Kind::load_ended, 0, p0, 0},
                                     {Kind::task_started, 0, p0, 0},
                                     {Kind::task_ended, 1, p0, 0}};

  const auto runs = timeline(events, 1, 1);

  EXPECT_EQ(runs[0].copies, (std::vector<Activity>{{0, 0, 0}}));
  EXPECT_TRUE(runs[0].waits.empty());
  EXPECT_EQ(summarise_run(runs).overlap, std::nullopt);
}

/// The engines of an executed run tell of what they do when they get to it.
TEST(Timeline, SortsEventsThatWereToldLate) {
  auto late = by_hand;
  std::swap(late[8], late[9]);  // the end of a task before that of an earlier copy
  std::swap(late[2], late[3]);
  late.insert(late.begin() + 4, {Kind::granted, 0.5, p1, 9});

  const auto runs = timeline(late, 2, 12);

  const auto expected = timeline(by_hand, 1, 12);
  EXPECT_EQ(runs[0].tasks, expected[0].tasks);
  EXPECT_EQ(runs[0].copies, expected[0].copies);
  EXPECT_EQ(runs[0].waits, expected[0].waits);
  EXPECT_EQ(runs[1].waits,
            (std::vector<Wait>{{0, 0.5, WaitReason::work}, {0.5, 12, WaitReason::data}}));
}

TEST(Timeline, EndsWithTheRunWhatNeverEnded) {
  const std::vector<RunEvent> events{
      {Kind::granted, 0, p0, 4}, {Kind::task_started, 1, p0, 4}, {Kind::load_started, 2, p0, 5}};

  const auto runs = timeline(events, 1, 3);

  EXPECT_EQ(runs[0].tasks, (std::vector<Activity>{{1, 3, 4}}));
  EXPECT_EQ(runs[0].copies, (std::vector<Activity>{{2, 3, 5}}));
  EXPECT_EQ(runs[0].waits, (std::vector<Wait>{{0, 1, WaitReason::data}}));
}

TEST(Timeline, PutsOverlappingActivitiesIntoLanes) {
  const std::vector<Activity> copies{{0, 2, 0}, {0, 1, 1}, {1, 3, 2},
                                     {2, 2, 3}, {2, 4, 4}, {2.5, 3, 5}};

  EXPECT_EQ(lanes(copies), (std::vector<std::size_t>{0, 1, 1, 0, 0, 2}));
}

TEST(Timeline, RefusesEventsThatCannotBe) {
  EXPECT_EQ(error_text([] {
              (void)timeline({{Kind::granted, 1, p1, 0}}, 1, 1);
            }),
            "events: at 1 s processor 1, but there are 1");
  EXPECT_EQ(error_text([] {
              (void)timeline({{Kind::load_ended, 1, p0, 7}}, 1, 1);
            }),
            "events: at 1 s processor 0 ends 7, which did not start");
}

/// By hand. One processor is granted tasks 7 and 8 at 1. Data 3 of both comes at 4, data 5 of task
/// 8 at 6. Task 7 starts at 5, a second late, and ends at 8. Task 8 has had its inputs for long and
/// starts at 10. Then it evicts data 3, which task 9, granted at 12, loads anew until 15; it starts
/// at once and ends at 16, the run at 17.
TEST(Timeline, TellsTheStartOfATaskFromItsData) {
  const std::vector<RunEvent> events{
      {Kind::granted, 1, p0, 7},       {Kind::granted, 1, p0, 8},
      {Kind::load_started, 1, p0, 3},  {Kind::load_ended, 4, p0, 3},
      {Kind::load_started, 4, p0, 5},  {Kind::task_started, 5, p0, 7},
      {Kind::load_ended, 6, p0, 5},    {Kind::task_ended, 8, p0, 7},
      {Kind::task_started, 10, p0, 8}, {Kind::task_ended, 11, p0, 8},
      {Kind::evicted, 11, p0, 3},      {Kind::granted, 12, p0, 9},
      {Kind::load_started, 12, p0, 3}, {Kind::load_ended, 15, p0, 3},
      {Kind::task_started, 15, p0, 9}, {Kind::task_ended, 16, p0, 9}};
  const TaskInputs inputs = [](std::uint64_t task) {
    return task == 8 ? std::vector<std::uint64_t>{3, 5} : std::vector<std::uint64_t>{3};
  };

  const auto runs = timeline(events, 1, 17, inputs);

  EXPECT_EQ(runs[0].waits, (std::vector<Wait>{{0, 1, WaitReason::work},
                                              {1, 4, WaitReason::data},
                                              {4, 5, WaitReason::start},
                                              {8, 10, WaitReason::start},
                                              {11, 12, WaitReason::work},
                                              {12, 15, WaitReason::data},
                                              {16, 17, WaitReason::work}}));
  const TimeShare share = summarise_run(runs).processors[0];
  EXPECT_EQ(share.waiting_for_data_s, 3 + 3);
  EXPECT_EQ(share.starting_s, 1 + 2);
  EXPECT_EQ(share.no_work_s, 1 + 1 + 1);
  EXPECT_EQ(share.compute_s, 3 + 1 + 1);
}

/// In virtual time nothing is late: a task that has its inputs starts.
TEST(Timeline, HasNoStartsToWaitForInVirtualTime) {
  const auto workload = Workload::parse("gemm2d:n=7");
  const auto platform = Scenario::parse("gpus:k=3,memory=6data").draw(5, 0);
  std::vector<RunEvent> events;
  const Trace trace = simulate(workload, platform, StrategyChoice::parse("darts", workload), 5, 0,
                               {}, [&](const RunEvent& event) { events.push_back(event); });
  const TaskInputs inputs = [&](std::uint64_t task) {
    std::vector<std::uint64_t> data;
    workload.for_each_input(TaskId{task}, [&](DataId input) { data.push_back(raw(input)); });
    return data;
  };

  const auto told = summarise_run(timeline(events, 3, trace.makespan_s, inputs));
  const auto untold = summarise_run(timeline(events, 3, trace.makespan_s));

  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_EQ(told.processors[p].starting_s, 0);
    EXPECT_EQ(told.processors[p].waiting_for_data_s, untold.processors[p].waiting_for_data_s);
    EXPECT_GT(told.processors[p].waiting_for_data_s, 0);
  }
}

struct Case {
  const char* workload;
  const char* platform;
  const char* strategy;
};

void PrintTo(const Case& setting, std::ostream* out) {
  *out << setting.strategy << ", " << setting.workload << " on " << setting.platform;
}

class TimelineOf : public testing::TestWithParam<Case> {};

/// The oracle samples the run: at each of many instants it asks the events alone what the processor
/// does then.
TEST_P(TimelineOf, AgreesWithTheEventsAtEveryInstant) {
  const auto workload = Workload::parse(GetParam().workload);
  const auto platform = Scenario::parse(GetParam().platform).draw(5, 0);
  std::vector<RunEvent> events;
  const Trace trace =
      simulate(workload, platform, StrategyChoice::parse(GetParam().strategy, workload), 5, 0, {},
               [&](const RunEvent& event) { events.push_back(event); });

  const auto runs = timeline(events, platform.processors(), trace.makespan_s);

  const auto summary = summarise_run(runs);
  for (std::size_t p = 0; p < runs.size(); ++p) {
    const double ulps = 1e-15 * static_cast<double>(workload.tasks()) * trace.makespan_s;
    EXPECT_NEAR(summary.processors[p].compute_s, trace.busy_s[p], ulps);
    EXPECT_NEAR(summary.processors[p].compute_s + summary.processors[p].waiting_for_data_s +
                    summary.processors[p].no_work_s,
                trace.makespan_s, ulps);
    EXPECT_EQ(runs[p].copies.size(), trace.loads[p]);
    EXPECT_EQ(runs[p].tasks.size(), trace.tasks[p]);
    EXPECT_EQ(runs[p].evictions.size(), platform.machine ? trace.evictions[p] : 0);
  }
  const auto within = [](double time, const auto& list) {
    return std::count_if(list.begin(), list.end(),
                         [&](const auto& one) { return one.start_s <= time && time < one.end_s; });
  };
  for (int sample = 0; sample < 200; ++sample) {
    const double time = (sample + 0.5) / 200 * trace.makespan_s;
    for (std::size_t p = 0; p < runs.size(); ++p) {
      std::int64_t running = 0;
      std::int64_t granted = 0;
      std::int64_t copying = 0;
      for (const RunEvent& event : events) {
        if (raw(event.processor) != p || event.time_s > time) continue;
        running += (event.kind == Kind::task_started) - (event.kind == Kind::task_ended);
        granted += (event.kind == Kind::granted) - (event.kind == Kind::task_started);
        copying += (event.kind == Kind::load_started) - (event.kind == Kind::load_ended);
      }
      EXPECT_EQ(within(time, runs[p].tasks), running) << time;
      EXPECT_EQ(within(time, runs[p].copies), copying) << time;
      ASSERT_EQ(within(time, runs[p].waits), 1 - running) << time;
      for (const Wait& wait : runs[p].waits) {
        if (wait.start_s > time || wait.end_s <= time) continue;
        EXPECT_EQ(wait.reason, granted > 0 ? WaitReason::data : WaitReason::work) << time;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, TimelineOf,
    testing::Values(Case{"outer:n=12", "uniform:p=4,lo=10,hi=100", "dynamic"},
                    Case{"matrix:n=5", "dyn.20:p=3", "random"},
                    Case{"gemm2d:n=7", "gpus:k=2,memory=5data", "eager"},
                    Case{"gemm2d:n=7", "gpus:k=3,memory=6data,bus=fifo,latency=10us", "darts"},
                    Case{"cholesky:n=5,deps=false", "gpus:k=2,memory=6data,writeback=true",
                         "dmdar"}));

}  // namespace
}  // namespace damocles::timeline_test
