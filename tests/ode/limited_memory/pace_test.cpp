#include "ode/limited_memory/pace.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "models/platforms/scenario.hpp"

namespace damocles::pace_test {
namespace {

/// Times in seconds: a task takes 2, a data item 1 over the whole bus.
LimitedRun run_of(std::size_t processors, std::size_t depth) {
  LimitedRun run;
  run.processors = processors;
  run.depth = depth;
  run.task_s = 2;
  run.bus_s = run.link_s = 1;
  return run;
}

/// Of inputs that tasks need.
std::vector<LoadsByTask> needed(const std::vector<std::vector<std::uint32_t>>& by_processor) {
  std::vector<LoadsByTask> result;
  for (const auto& tasks : by_processor) {
    LoadsByTask& loads = result.emplace_back();
    for (const std::uint32_t one : tasks) loads.push_back({.needed = one});
  }
  return result;
}

/// Processors that compute these tasks in order.
LimitedPrediction paced_lists(const LimitedRun& run, const std::vector<LoadsByTask>& lists) {
  std::vector<std::size_t> taken(lists.size(), 0);
  const auto next = [&](std::size_t processor, std::size_t) -> std::optional<TaskLoads> {
    const LoadsByTask& list = lists[processor];
    std::size_t& at = taken[processor];
    return at < list.size() ? std::optional(list[at++]) : std::nullopt;
  };
  return paced_run(run, {.next = next});
}

TEST(PacedMakespan, HidesTransfersBehindTasks) {
  // Inputs of the first at 2, its end 4; those of the second at 3, while the first computes.
  EXPECT_DOUBLE_EQ(paced_lists(run_of(1, 2), needed({{2, 1, 0, 1}})).makespan_s, 10);
}

TEST(PacedMakespan, WaitsForTheBufferToHaveRoom) {
  // The third task enters the buffer when the first ends, at 3, and waits for 4 data items.
  EXPECT_DOUBLE_EQ(paced_lists(run_of(1, 2), needed({{1, 0, 4}})).makespan_s, 9);
  // With room for three its inputs are asked for at once.
  EXPECT_DOUBLE_EQ(paced_lists(run_of(1, 3), needed({{1, 0, 4}})).makespan_s, 7);
}

TEST(PacedMakespan, SharesTheBusEvenly) {
  // Both flow at half the rate: the first data item has come at 2, the others by then at 3.
  EXPECT_DOUBLE_EQ(paced_lists(run_of(2, 2), needed({{1}, {2}})).makespan_s, 5);
  // A link of half the bandwidth of the bus is no narrower than a share.
  LimitedRun narrow = run_of(2, 2);
  narrow.link_s = 2;
  EXPECT_DOUBLE_EQ(paced_lists(narrow, needed({{1}, {2}})).makespan_s, 6);
}

TEST(PacedMakespan, LetsLatenciesOfSeveralOverlap) {
  LimitedRun run = run_of(2, 2);
  run.latency_s = 0.5;
  EXPECT_DOUBLE_EQ(paced_lists(run, needed({{1}, {0}})).makespan_s, 3.5);
  EXPECT_DOUBLE_EQ(paced_lists(run, needed({{1}, {1}})).makespan_s, 4.5);
}

TEST(PacedMakespan, DelaysRequestsOfTheNextTaskAlone) {
  LimitedRun run = run_of(1, 3);
  run.request_s = 0.5;
  // The inputs of the first come at 1.5. Those of the second, the next to run, come at 3, while the
  // first computes. The third is not the next when its input is requested: 4. Ends: 3.5, 5.5, 7.5.
  EXPECT_DOUBLE_EQ(paced_lists(run, needed({{1, 1, 1}})).makespan_s, 7.5);
  // Here every transfer is waited for: 1.5 each, and the last task.
  run.task_s = 0.25;
  EXPECT_DOUBLE_EQ(paced_lists(run, needed({{1, 1, 1}})).makespan_s, 4.75);
}

TEST(PacedMakespan, SharesTasksOfOneQueue) {
  // One processor loads nothing, and takes the tasks that the other has no time for.
  std::size_t left = 4;
  std::vector<std::size_t> taken;
  const auto next = [&](std::size_t processor, std::size_t) -> std::optional<TaskLoads> {
    if (left == 0) return std::nullopt;
    --left;
    taken.push_back(processor);
    return TaskLoads{.needed = processor == 0 ? 0U : 6U};
  };
  EXPECT_DOUBLE_EQ(paced_run(run_of(2, 1), {.next = next}).makespan_s, 8);
  EXPECT_EQ(taken, (std::vector<std::size_t>{0, 1, 0, 0}));
}

TEST(PacedMakespan, IsThatOfComputingWhereNothingIsLoaded) {
  EXPECT_DOUBLE_EQ(paced_lists(run_of(2, 2), needed({{0, 0, 0}, {0}})).makespan_s, 6);
  EXPECT_DOUBLE_EQ(paced_lists(run_of(2, 2), needed({{}, {}})).makespan_s, 0);
}

/// Room for what a task loads may be there only when one has ended.
TEST(PacedRun, AsksAgainForLoadsWhenATaskEnds) {
  std::size_t left = 2;
  const auto next = [&](std::size_t, std::size_t) -> std::optional<TaskLoads> {
    if (left == 0) return std::nullopt;
    --left;
    return TaskLoads{};
  };
  std::vector<std::size_t> unfinished;
  const auto loads = [&](std::size_t, std::size_t still) -> std::optional<TaskLoads> {
    unfinished.push_back(still);
    if (unfinished.size() == 2) return std::nullopt;
    return TaskLoads{.needed = 1};
  };
  // The first has its input at 1 and ends at 3; the second is refused at 1, and loads from 3 on.
  EXPECT_DOUBLE_EQ(paced_run(run_of(1, 2), {.next = next, .loads = loads}).makespan_s, 6);
  EXPECT_EQ(unfinished, (std::vector<std::size_t>{2, 2, 1}));
}

/// Gives these tasks in turn, to whoever asks.
auto giving(std::vector<TaskLoads> tasks) {
  return [tasks = std::move(tasks), at = std::size_t{0}](
             std::size_t, std::size_t) mutable -> std::optional<TaskLoads> {
    if (at == tasks.size()) return std::nullopt;
    return tasks[at++];
  };
}

TEST(PacedRun, StartsATaskWhenItsInputsThatWereLoadedAheadHaveCome) {
  for (const auto& [awaits, makespan_s] : {std::pair{false, 4.0}, std::pair{true, 5.0}}) {
    LimitedRun run = run_of(1, 2);
    run.task_s = 1;
    run.bus_s = run.link_s = 3;
    bool asked = false;
    std::size_t came = 0;
    const TaskQueue queue{
        .next = giving({{}, {}, {.awaits_ahead = awaits}, {}}),
        .load_ahead = [&](std::size_t, std::size_t) { return !std::exchange(asked, true); },
        .ahead_came = [&](std::size_t) { ++came; }};
    // A data item is on its way from 0 to 3. The third task is taken at 1.
    EXPECT_DOUBLE_EQ(paced_run(run, queue, Taken::when_inputs_came).makespan_s, makespan_s);
    EXPECT_EQ(came, 1U);
  }
}

TEST(PacedRun, AsksAgainForAProcessorThatGotNone) {
  // The second processor gets a task once the first has taken two.
  std::size_t given = 0;
  const auto next = [&](std::size_t processor, std::size_t) -> std::optional<TaskLoads> {
    if (given == 3 || (processor == 1 && given < 2)) return std::nullopt;
    ++given;
    return TaskLoads{};
  };
  std::vector<std::pair<std::size_t, std::size_t>> of_first;
  const TaskQueue queue{.next = next,
                        .progress =
                            [&](std::size_t processor, std::size_t started, std::size_t ended) {
                              if (processor == 0) of_first.emplace_back(started, ended);
                            },
                        .has_task = [&](std::size_t) { return given == 2; }};
  EXPECT_DOUBLE_EQ(paced_run(run_of(2, 1), queue).makespan_s, 4);
  EXPECT_EQ(given, 3U);
  // At 0 both ask, at 2 both again, before the second task starts; at 4 both ask in vain.
  using Progress = std::pair<std::size_t, std::size_t>;
  ASSERT_GE(of_first.size(), 4U);
  EXPECT_EQ(of_first[0], Progress(0, 0));
  EXPECT_EQ(of_first[2], Progress(1, 1));
  EXPECT_EQ(of_first[3], Progress(1, 1));
  EXPECT_EQ(of_first.back(), Progress(2, 2));
}

TEST(PacedRun, HasItsCourseWhereItIsAskedFor) {
  const auto loads = needed({{2, 1}, {1}});
  EXPECT_TRUE(paced_lists(run_of(2, 2), loads).courses.empty());

  LimitedRun run = run_of(2, 2);
  run.with_course = true;
  const auto courses = paced_lists(run, loads).courses;
  // Both load at half the rate until 2, then the first alone.
  ASSERT_EQ(courses.size(), 1);
  ASSERT_EQ(courses[0].size(), 2);
  EXPECT_EQ(courses[0][0].loads_s, (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(courses[0][0].ends_s, (std::vector<double>{5, 7}));
  EXPECT_EQ(courses[0][1].loads_s, (std::vector<double>{2}));
  EXPECT_EQ(courses[0][1].ends_s, (std::vector<double>{4}));
}

}  // namespace
}  // namespace damocles::pace_test
