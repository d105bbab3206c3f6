// Recorded decisions of tasks that wait for others and write: what is right, and each way in which
// a recording may be wrong.

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/runs/decisions.hpp"
#include "tests/error_text.hpp"

namespace damocles::decided_writes_test {
namespace {

using Index = TaskGraph::Index;
using Kind = RunEvent::Kind;

constexpr Kind load = Kind::load_started;
constexpr Kind loaded = Kind::load_ended;
constexpr Kind evict = Kind::evicted;
constexpr Kind start = Kind::task_started;
constexpr Kind end = Kind::task_ended;
constexpr Kind create = Kind::created;
constexpr Kind back = Kind::return_started;
constexpr Kind home = Kind::return_ended;

struct Step {
  Kind kind;
  std::uint32_t processor;
  std::uint64_t id;
  std::optional<std::uint32_t> lender{};
  bool overwritten = false;
};
using Steps = std::vector<Step>;

Step from(std::uint32_t lender, std::uint32_t processor, std::uint64_t data) {
  return {load, processor, data, lender};
}
Step drop(std::uint32_t processor, std::uint64_t data) {
  return {evict, processor, data, std::nullopt, true};
}

struct Task {
  std::vector<Index> data;
  std::vector<Access> how;
};

Workload graph_of(const std::vector<Task>& tasks, std::size_t data) {
  TaskGraph::Parts parts;
  parts.bytes.assign(data, 10);
  for (const Task& task : tasks) parts.add_task(task.data, task.how, 1);
  return Workload::of_graph("written", TaskGraph(std::move(parts)));
}

/// Task 0 reads and writes data D0, task 1 reads it and writes data D1.
Workload chain() {
  return graph_of({{{0}, {Access::read_write}}, {{0, 1}, {Access::read, Access::write}}}, 2);
}

/// Two GPUs of 20 B with a link between them, and a core.
Platform machine() {
  Platform platform{.speeds = {1, 1, 1}};
  const ProcessorModel gpu{.flops_per_s = 1, .memory_bytes = 20, .link_bytes_per_s = 1};
  platform.machine = MachineModel{
      .processors = {gpu, gpu, {.flops_per_s = 1, .kind = "cpu", .in_host_memory = true}},
      .bus_bytes_per_s = 1,
      .peer_bytes_per_s = 1};
  return platform;
}

std::string refusal(const Workload& workload, const Steps& steps,
                    const Platform& platform = machine()) {
  Decisions decisions{platform.processors(), {}};
  for (const Step& step : steps) {
    RunEvent event{.kind = step.kind,
                   .time_s = 0,
                   .processor = ProcessorId{step.processor},
                   .id = step.id,
                   .overwritten = step.overwritten};
    if (step.lender) event.lender = ProcessorId{*step.lender};
    decisions.events.push_back(event);
  }
  const std::vector<std::uint64_t> memory(platform.processors(), 20);
  return error_text([&] {
    check_decisions(decisions, workload, platform, memory,
                    [](DataId) { return std::uint64_t{10}; });
  });
}

Steps joined(Steps first, const Steps& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Task 0 on processor 0, which then holds data 0 alone.
const Steps written{{load, 0, 0}, {loaded, 0, 0}, {start, 0, 0}, {end, 0, 0}};
const Steps returned{{back, 0, 0}, {home, 0, 0}};
/// Task 1 on processor 1, which loads data 0 from host memory.
const Steps read{{load, 1, 0}, {loaded, 1, 0}, {create, 1, 1}, {start, 1, 1}, {end, 1, 1}};

TEST(DecidedWrites, MayTakeEveryWayOfData) {
  EXPECT_EQ(refusal(chain(), joined(joined(written, returned), read)), "no error");
  EXPECT_EQ(refusal(chain(), joined(written, {{create, 0, 1}, {start, 0, 1}, {end, 0, 1}})),
            "no error");  // where it was written, and nothing returns
  EXPECT_EQ(refusal(chain(), joined(written, {from(0, 1, 0),
                                              {loaded, 1, 0},
                                              {evict, 0, 0},
                                              {create, 1, 1},
                                              {start, 1, 1},
                                              {end, 1, 1}})),
            "no error");  // over the link, and the lender forgets it
  EXPECT_EQ(refusal(chain(), joined(joined(written, returned), {{start, 2, 1}, {end, 2, 1}})),
            "no error");  // in host memory
  EXPECT_EQ(refusal(chain(), {{load, 1, 0},
                              {load, 0, 0},
                              {loaded, 0, 0},
                              {start, 0, 0},
                              {loaded, 1, 0},
                              drop(1, 0),
                              {end, 0, 0},
                              {create, 0, 1},
                              {start, 0, 1}}),
            "no error");  // a prefetch hint that came too late
}

struct Case {
  Steps steps;
  std::string why;
};

TEST(DecidedWrites, AreRefusedWhereDataAreNotValid) {
  const std::vector<Case> cases{
      {joined(written, {{load, 1, 0}}),
       "decision 4 (load_started of D0 on GPU1): host memory does not hold the data as it is now"},
      {joined(written, {from(1, 0, 1)}),
       "decision 4 (load_started of D1 on GPU0): GPU1 does not hold the data as it is now"},
      {{from(2, 0, 1)}, "decision 0 (load_started of D1 on GPU0): there is no link from CPU0"},
      {{from(7, 0, 1)},
       "decision 0 (load_started of D1 on GPU0): there is no processor 7 that it could come from"},
      {{{load, 0, 0}, {loaded, 0, 0}, {start, 0, 0}, from(0, 1, 0)},
       "decision 3 (load_started of D0 on GPU1): a task that runs writes the data"},
      {joined(written, {{evict, 0, 0}}),
       "decision 4 (evicted of D0 on GPU0): the data is nowhere else as it is now, and has not returned"},
      {joined(written, {from(0, 1, 0), {evict, 0, 0}}),
       "decision 5 (evicted of D0 on GPU0): another processor is being sent the data from here"},
      {joined(written, {{back, 0, 0}, {evict, 0, 0}}),
       "decision 5 (evicted of D0 on GPU0): it is on its way to host memory"},
      {joined(written, {drop(0, 0), {load, 1, 0}}),
       "decision 5 (load_started of D0 on GPU1): host memory does not hold the data as it is now"},
      {{{load, 0, 0}, {loaded, 0, 0}, {back, 0, 0}},
       "decision 2 (return_started of D0 on GPU0): host memory holds the data as it is now"},
      {{{back, 0, 0}}, "decision 0 (return_started of D0 on GPU0): the data item is not there"},
      {joined(written, {{back, 0, 0}, {back, 0, 0}}),
       "decision 5 (return_started of D0 on GPU0): it is on its way to host memory already"},
      {{{create, 0, 1}, {back, 0, 1}},
       "decision 1 (return_started of D1 on GPU0): the processor does not hold the data as "
       "it is now"},
      {joined(written, {{home, 0, 0}}),
       "decision 4 (return_ended of D0 on GPU0): it is not on its way to host memory"},
      {{{load, 0, 0}, {loaded, 0, 0}, {start, 0, 0}, {back, 0, 0}},
       "decision 3 (return_started of D0 on GPU0): a task that runs writes the data"},
      {{{load, 2, 0}},
       "decision 0 (load_started of D0 on CPU0): the processor computes where all data lie: nothing moves there"},
      {joined(written, {{load, 0, 1}, {create, 0, 1}}),
       "decision 5 (created of D1 on GPU0): the data is there already"},
  };
  for (const Case& broken : cases) EXPECT_EQ(refusal(chain(), broken.steps), broken.why);
}

TEST(DecidedWrites, AreRefusedWhereATaskCannotRun) {
  const std::vector<Case> cases{
      {{{load, 0, 0}, {loaded, 0, 0}, {create, 0, 1}, {start, 0, 1}},
       "decision 3 (task_started of T1 on GPU0): it waits for task T0, which has not ended"},
      {{{load, 0, 0}, {loaded, 0, 0}, {start, 0, 0}, {create, 0, 1}, {start, 0, 1}},
       "decision 4 (task_started of T1 on GPU0): it waits for task T0, which has not ended"},
      {joined(written, {{start, 0, 1}}),
       "decision 4 (task_started of T1 on GPU0): there is no room for data D1, which it writes"},
      {joined(written, {{create, 1, 1}, {start, 1, 1}}),
       "decision 5 (task_started of T1 on GPU1): its input D0 is not there"},
      {joined(written, {{start, 2, 1}}),
       "decision 4 (task_started of T1 on CPU0): host memory does not hold its input D0 as it is now"},
      {{{load, 1, 0},
        {load, 0, 0},
        {loaded, 0, 0},
        {start, 0, 0},
        {end, 0, 0},
        {loaded, 1, 0},
        {create, 1, 1},
        {start, 1, 1}},
       "decision 7 (task_started of T1 on GPU1): its input D0 is not there as it is now"},
      {{{load, 0, 0}, {start, 2, 0}},
       "decision 1 (task_started of T0 on CPU0): data D0, which it writes, is being sent to a processor"},
      {written, "the decisions never start task T1; record a run that ended well"},
      {joined(joined(written, returned), {{load, 1, 0}, {loaded, 1, 0}, {start, 1, 0}}),
       "decision 8 (task_started of T0 on GPU1): the task has started before"},
      {joined(joined(joined(written, returned), read), {drop(1, 1)}),
       "the decisions lose data D1: nobody has it in the end; record a run that ended well"},
      {{{load, 1, 0},
        {load, 0, 0},
        {loaded, 0, 0},
        {start, 0, 0},
        {end, 0, 0},
        {create, 0, 1},
        {start, 0, 1},
        {end, 0, 1},
        {loaded, 1, 0}},
       "in the end GPU1 still has an old version of data D0; record a run that ended well"},
  };
  for (const Case& broken : cases) EXPECT_EQ(refusal(chain(), broken.steps), broken.why);
}

TEST(DecidedWrites, AreRefusedWhereTasksThatCommuteRunAtOnce) {
  const Workload both = graph_of({{{0}, {Access::commute}}, {{0}, {Access::commute}}}, 1);
  const Steps first{{load, 0, 0}, {loaded, 0, 0}, {start, 0, 1}};

  EXPECT_EQ(refusal(both, joined(first, {{end, 0, 1}, {start, 0, 0}})), "no error");
  EXPECT_EQ(refusal(both, joined(first, {{start, 0, 0}})),
            "decision 3 (task_started of T0 on GPU0): another task that runs writes data D0");
}

/// Tasks 0 and 1 reduce into data 0, which task 2 reads.
TEST(DecidedWrites, AddUpBeforeSumsAreRead) {
  const Workload sum = graph_of(
      {{{0}, {Access::reduce}}, {{0}, {Access::reduce}}, {{0, 1}, {Access::read, Access::write}}},
      2);
  const Steps added{{create, 0, 0}, {start, 0, 0}, {create, 1, 0}, {start, 1, 1}, {end, 0, 0},
                    {end, 1, 1},    {back, 0, 0},  {home, 0, 0},   {evict, 0, 0}};
  const Steps last{{back, 1, 0}, {home, 1, 0}, {evict, 1, 0}};

  EXPECT_EQ(refusal(sum, joined(joined(added, last), {{start, 2, 2}})), "no error");
  EXPECT_EQ(
      refusal(sum, joined(added, {{start, 2, 2}})),
      "decision 9 (task_started of T2 on CPU0): host memory does not hold its input D0 as it is now");
  EXPECT_EQ(refusal(sum, joined(added, {{load, 0, 0}})),
            "decision 9 (load_started of D0 on GPU0): host memory does not hold the data as it is "
            "now");
  EXPECT_EQ(refusal(sum, joined(added, {{evict, 1, 0}})),
            "decision 9 (evicted of D0 on GPU1): what tasks added to it here has not returned");
  EXPECT_EQ(refusal(sum, {{create, 0, 0}, {start, 0, 0}, {back, 0, 0}}),
            "decision 2 (return_started of D0 on GPU0): a running task adds to it");
}

TEST(DecidedWrites, AreRefusedOnAProcessorThatCannotRunTheTask) {
  TaskGraph::Parts parts;
  parts.bytes = {10};
  parts.add_task(std::array<Index, 1>{0}, std::array{Access::read_write}, 1);
  parts.kind_names = {"POTRF"};
  parts.task_kinds = {0};
  const auto workload = Workload::of_graph("one", TaskGraph(std::move(parts)));
  Platform platform = machine();
  platform.machine->processors[2].kernel_times = {
      {"POTRF", std::numeric_limits<double>::infinity()}};

  EXPECT_EQ(refusal(workload, {{start, 2, 0}}, platform),
            "decision 0 (task_started of T0 on CPU0): the processor cannot run tasks of its kind");
}

/// Tasks that only read, on GPUs with links and a core.
TEST(DecidedLoans, AreKeptUntilTheyHaveCome) {
  const Workload workload = graph_of({{{0}, {Access::read}}, {{0}, {Access::read}}}, 1);
  const Steps lent{{load, 0, 0}, {loaded, 0, 0}, from(0, 1, 0)};

  EXPECT_EQ(refusal(workload,
                    joined(lent, {{loaded, 1, 0}, {evict, 0, 0}, {start, 1, 0}, {start, 2, 1}})),
            "no error");
  EXPECT_EQ(
      refusal(workload, joined(lent, {{evict, 0, 0}})),
      "decision 3 (evicted of D0 on GPU0): another processor is being sent the data from here");
  EXPECT_EQ(refusal(workload, {{load, 0, 0}, from(0, 1, 0)}),
            "decision 1 (load_started of D0 on GPU1): GPU0 does not hold the data as it is now");
  for (const Step& step : {Step{create, 0, 0}, Step{back, 0, 0}}) {
    EXPECT_NE(refusal(workload, {step}).find("no task writes data"), std::string::npos);
  }
  EXPECT_EQ(refusal(workload, {{load, 0, 0}, {loaded, 0, 0}, drop(0, 0)}),
            "decision 2 (evicted of D0 on GPU0): no task writes data");
}

}  // namespace
}  // namespace damocles::decided_writes_test
