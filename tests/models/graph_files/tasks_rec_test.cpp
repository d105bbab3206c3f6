#include <gtest/gtest.h>

#include <sstream>

#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/rec_records.hpp"
#include "tests/error_text.hpp"

namespace damocles::tasks_rec_test {
namespace {

using Index = TaskGraph::Index;
using Indices = std::vector<Index>;
using Sizes = std::vector<std::uint64_t>;
using Waits = std::vector<std::pair<Index, Index>>;

TaskGraph read(const std::string& text, const GraphDefaults& defaults = {}) {
  std::istringstream in(text);
  return read_tasks_rec(in, "tasks.rec", defaults);
}

std::string refusal(const std::string& text) {
  return error_text([&] { static_cast<void>(read(text)); });
}

Indices inputs(const TaskGraph& graph, Index task) {
  return {graph.inputs(task).begin(), graph.inputs(task).end()};
}

using Accesses = std::vector<Access>;

Accesses accesses(const TaskGraph& graph, Index task) {
  return {graph.accesses(task).begin(), graph.accesses(task).end()};
}

/// A record as StarPU writes it, but for what the handles are.
std::string record(int job, const std::string& handles) {
  return "Name: gemm\nModel: m\nJobId: " + std::to_string(job) +
         "\nSubmitOrder: " + std::to_string(job) +
         "\nPriority: 0\nTag: ffffffffffffffff\nWorkerId: 1\nMemoryNode: 1\nSubmitTime: 1.000000\n"
         "StartTime: 2.000000\nEndTime: 3.000000\nFootprint: 2c1922b7\n" +
         handles + "MPIRank: -1\n\n";
}

TEST(TasksRec, ReadsARecordOfStarPU) {
  const auto graph = read(
      "Name: gemm\nModel: sgemm\nJobId: 12\nSubmitOrder: 3\nPriority: -2\nTag: 0\nWorkerId: 0\n"
      "Footprint: 2c1922b7\nGFlop: 7.077888\nIteration: 1 2\nParameters: \n"
      "Handles: 5590 0x55A0 55b0\nModes: R R RW\nSizes: 100 200 300\nMPIRank: -1\n\n");

  EXPECT_EQ(graph.tasks(), 1U);
  EXPECT_EQ(graph.task_name(0), "gemm 12");
  EXPECT_EQ(graph.parts().bytes, (Sizes{100, 200, 300}));
  EXPECT_EQ(graph.parts().data_names, (std::vector<std::string>{"5590", "55a0", "55b0"}));
  EXPECT_EQ(inputs(graph, 0), (Indices{0, 1, 2}));
  EXPECT_EQ(graph.flops(0), 7.077888 * 1e9);
  EXPECT_EQ(accesses(graph, 0), (Accesses{Access::read, Access::read, Access::read_write}));
  EXPECT_EQ(graph.output_bytes(0), 0U);  // what it writes is data
  EXPECT_EQ(graph.priority(0), -2);
}

TEST(TasksRec, TakesModesAsAccesses) {
  const auto graph = read(record(1,
                                 "Handles: 1 2 3 4 5 6 7\nModes: R W RW S X RWC X-mpi\n"
                                 "Sizes: 1 10 100 1000 10000 100000 1000000\n"));

  // R, W, RW, X, RWC, X-mpi; inputs are those and, last, what is only written or reduced into.
  EXPECT_EQ(graph.parts().bytes, (Sizes{1, 10, 100, 10000, 100'000, 1'000'000}));
  EXPECT_EQ(inputs(graph, 0), (Indices{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(accesses(graph, 0), (Accesses{Access::read, Access::read_write, Access::commute,
                                          Access::write, Access::reduce, Access::reduce}));
}

TEST(TasksRec, WritesNothingWhereNoModeDoes) {
  const auto graph = read(record(1, "Handles: 1 2\nModes: R R\nSizes: 1 10\n"));

  EXPECT_FALSE(graph.writes());
}

/// Read after write, whatever DependsOn says.
TEST(TasksRec, OrdersTasksThatShareWhatOneOfThemWrites) {
  const auto graph = read(record(1, "Handles: a\nModes: W\nSizes: 8\n") +
                          record(2, "Handles: a\nModes: R\nSizes: 8\n"));

  EXPECT_EQ(graph.dependencies().waits_for(1), 1U);
}

TEST(TasksRec, MakesWhatIsWrittenAData) {
  const auto graph = read(record(1, "Handles: a\nModes: W\nSizes: 8\n") +
                          record(2, "Handles: a b\nModes: R W\nSizes: 8 8\n"));

  EXPECT_EQ(graph.data(), 2U);
  EXPECT_EQ(inputs(graph, 0), Indices{0});
  EXPECT_TRUE(graph.needed(0).empty());
  EXPECT_EQ(inputs(graph, 1), (Indices{0, 1}));
  EXPECT_EQ(graph.needed(1).size(), 1U);
}

TEST(TasksRec, TellsDataApartByAddressSizeAndRank) {
  const auto graph = read(
      "JobId: r0_1\nHandles: a\nModes: R\nSizes: 8\nMPIRank: 0\n\n"
      "JobId: r0_2\nHandles: a\nModes: R\nSizes: 9\nMPIRank: 0\n\n"
      "JobId: r1_1\nHandles: a\nModes: R\nSizes: 8\nMPIRank: 1\n\n"
      "JobId: r1_2\nHandles: a a\nModes: R R\nSizes: 8 8\nMPIRank: 1\n");

  EXPECT_EQ(graph.parts().bytes, (Sizes{8, 9, 8}));
  EXPECT_EQ(inputs(graph, 3), Indices{2});
}

TEST(TasksRec, LeavesOutHandlesOfNoSize) {
  const auto graph = read(record(1, "Handles: a b\nModes: R RW\nSizes: 0 8\n"));

  EXPECT_EQ(graph.parts().bytes, Sizes{8});
}

TEST(TasksRec, NumbersTasksAsTheyWereSubmitted) {
  const auto graph = read(
      "JobId: 7\nSubmitOrder: 9\n\nJobId: 8\nSubmitOrder: 10\n\nJobId: 9\nSubmitOrder: 2\n\n"
      "JobId: 10\n\n");

  EXPECT_EQ(graph.parts().task_names,
            (std::vector<std::string>{"job 10", "job 9", "job 7", "job 8"}));
}

TEST(TasksRec, WaitsForTheJobsThatAreThere) {
  const auto graph =
      read("JobId: 1\nDependsOn:\n\nJobId: 2\nDependsOn: 1 99 1\n\nJobId: 3\nDependsOn: 2 1\n");

  EXPECT_EQ(graph.parts().dependencies, (Waits{{1, 0}, {2, 0}, {2, 1}}));
}

TEST(TasksRec, TakesFlopsFromTheFileOrTheDefaultOrNoneForASynchronisation) {
  const auto graph = read(
      "JobId: 1\nGFlop: 2\n\nJobId: 2\nWorkerId: 0\n\nJobId: 3\n\n"
      "JobId: 4\nHandles: a\nModes: R\n",
      {.data_bytes = 6, .task_flops = 5.0});

  EXPECT_EQ(graph.parts().flops, (std::vector<double>{2e9, 5, 0, 5}));
  EXPECT_EQ(graph.bytes(0), 6U);  // no Sizes
}

TEST(TasksRec, SkipsHintsCommentsAndDescriptors) {
  const auto graph = read(
      "%rec: task\n# by hand\n\n\nControl: WontUse\nJobId: 1\nSubmitOrder: 2\nHandles: a\n\n"
      "Model: potrf\r\nJobId: 1\r\nFile: a.c\r\nLine: 3\r\n\r\n");

  EXPECT_EQ(graph.parts().task_names, std::vector<std::string>{"potrf 1"});
}

TEST(TasksRec, SplitsAtSingleBlanksWhereAModeHasNoLetter) {
  const auto graph = read(record(1, "Handles: a b c\nModes: R  RW\nSizes: 1 2 3\n"));

  EXPECT_EQ(graph.parts().bytes, (Sizes{1, 3}));
}

TEST(TasksRec, WritesNamesInUtf8) {
  EXPECT_EQ(read("Name: \xe9t\xc3\xa9\nJobId: 1\n").task_name(0), "\xef\xbf\xbdt\xc3\xa9 1");
}

/// As StarPU knows times: by the performance model, which codelets of several names may share.
TEST(TasksRec, TakesTheModelAsKindElseTheName) {
  const auto graph = read(
      "Name: gemm 1\nModel: sgemm \nJobId: 1\n\nName: gemm 2\nModel: sgemm\nJobId: 2\n\n"
      "Name: trsm\nJobId: 3\n\nJobId: 4\n");

  EXPECT_EQ(graph.parts().kind_names, (std::vector<std::string>{"sgemm", "trsm", ""}));
  EXPECT_EQ(graph.parts().task_kinds, (std::vector<std::uint16_t>{0, 0, 1, 2}));
  EXPECT_EQ(graph.task_name(1), "gemm 2 2");
  EXPECT_TRUE(read("JobId: 1\n").parts().task_kinds.empty());
}

TEST(TasksRec, TakesKindsThatDifferInWhatIsNoUtf8AsOne) {
  EXPECT_EQ(read("Model: \xff\nJobId: 1\n\nModel: \xfe\nJobId: 2\n").parts().kind_names,
            std::vector<std::string>{"\xef\xbf\xbd"});
}

TEST(TasksRec, RefusesAMalformedLine) {
  EXPECT_EQ(refusal("JobId: 1\nnonsense\n"),
            "file 'tasks.rec', line 2: 'nonsense' is no field of a record; write 'Key: value'");
  EXPECT_EQ(refusal(": 1\n"),
            "file 'tasks.rec', line 1: ': 1' is no field of a record; write 'Key: value'");
  EXPECT_EQ(
      refusal("JobId: 1\nJobId: 2\n"),
      "file 'tasks.rec', line 2: JobId again, after line 1; write it once a record, and an empty line between records");
  EXPECT_EQ(refusal("JobId: 1\n\n\nName: a\nGFlop: 1\n\n"),
            "file 'tasks.rec', line 4: a record without JobId; write JobId: and its number");
  EXPECT_EQ(refusal("JobId: 1\n\nJobId: 2\n\nJobId: 1\n"),
            "file 'tasks.rec', line 5: JobId '1' again, after line 1; write each once");
  EXPECT_EQ(refusal(""), "file 'tasks.rec': a task graph without tasks; give at least one");
}

TEST(TasksRec, RefusesAMalformedNumberNamingItsLine) {
  const auto field = [](const std::string& text) { return refusal("JobId: 1\n" + text + "\n"); };
  const std::string at = "file 'tasks.rec', line 2: ";
  EXPECT_EQ(field("SubmitOrder: x"), at + "SubmitOrder is ' x'; write a whole number");
  EXPECT_EQ(field("Priority: high"), at + "Priority is ' high'; write a number");
  EXPECT_EQ(field("GFlop: -1"), at + "GFlop is ' -1'; write a number from 0 to 1e+21");
  EXPECT_EQ(field("GFlop: nan"), at + "GFlop is ' nan'; write a number from 0 to 1e+21");
}

TEST(TasksRec, RefusesMalformedAccessesNamingTheirLine) {
  const auto access = [](const std::string& text) { return refusal("JobId: 1\n" + text + "\n"); };
  EXPECT_EQ(
      access("Handles: a"),
      "file 'tasks.rec', line 2: Handles without Modes; write how each is accessed: R, W or RW");
  EXPECT_EQ(access("Handles: a b\nModes: R"),
            "file 'tasks.rec', line 3: Modes has 1 words for 2 handles; write one each");
  EXPECT_EQ(access("Handles: a b\nModes: R R\nSizes: 3"),
            "file 'tasks.rec', line 4: Sizes has 1 words for 2 handles; write one each");
  EXPECT_EQ(access("Handles: xyz\nModes: R"),
            "file 'tasks.rec', line 2: Handles holds 'xyz'; write hexadecimal addresses");
  EXPECT_EQ(
      access("Handles: 11112222333344445\nModes: R"),
      "file 'tasks.rec', line 2: Handles holds '11112222333344445'; write hexadecimal addresses");
  EXPECT_EQ(access("Handles: a\nModes: Q"),
            "file 'tasks.rec', line 3: Modes holds 'Q'; write R, W, RW, S (scratch), X (reduction) "
            "or one of these and C (commutes)");
  EXPECT_EQ(
      access("Handles: a\nModes: R\nSizes: -4"),
      "file 'tasks.rec', line 4: Sizes holds '-4'; write whole numbers from 0 to 1125899906842624");
  EXPECT_EQ(
      access("Handles: a b\nModes: W W\nSizes: 1125899906842624 1"),
      "file 'tasks.rec', line 4: Sizes sum to more than 1125899906842624 written bytes; write less");
}

TEST(TasksRec, RefusesJobsThatWaitInACircle) {
  EXPECT_EQ(
      refusal("JobId: 1\nDependsOn: 2\n\nJobId: 2\nDependsOn: 1\n"),
      "file 'tasks.rec': the task graph has a cycle: 'job 1' after 'job 2' after 'job 1'; remove one dependency");
}

TEST(TasksRec, KeepsRecordedTimesFootprintsAndKindsOfWorkers) {
  const auto graph = read(record(1, "Handles: 1\nModes: R\nSizes: 8\n") +
                          "JobId: 2\nSubmitOrder: 2\nMemoryNode: 0\nStartTime: 5\nWorkerId: "
                          "1\n\nJobId: 3\nSubmitOrder: 3\n\n");

  const RecordedTask& first = graph.parts().recorded.at(0);
  EXPECT_EQ(first.footprint, 0x2c1922b7U);
  EXPECT_DOUBLE_EQ(first.seconds.value(), 1e-3);  // from 2 ms to 3 ms
  EXPECT_EQ(first.where, RecordedTask::Where::gpu);
  EXPECT_EQ(graph.recorded(1).where, RecordedTask::Where::core);
  EXPECT_FALSE(graph.recorded(1).seconds.has_value());  // it has not ended
  EXPECT_EQ(graph.recorded(2).where, RecordedTask::Where::unknown);
  EXPECT_TRUE(read("JobId: 1\nMemoryNode: 1\n\n").parts().recorded.empty());
}

TEST(TasksRec, RefusesMalformedRecordedTimesAndFootprints) {
  EXPECT_EQ(
      refusal("JobId: 1\nStartTime: 3\nEndTime: 2\n\n"),
      "file 'tasks.rec', line 3: EndTime is 2, before StartTime 3; write the time at which it ended");
  EXPECT_EQ(refusal("JobId: 1\nStartTime: x\n\n"),
            "file 'tasks.rec', line 2: StartTime is ' x'; write a number");
  for (const std::string wrong : {"xyz", "123456789", "-1", "0x1"}) {
    EXPECT_EQ(refusal("JobId: 1\nFootprint: " + wrong + "\n\n"),
              "file 'tasks.rec', line 2: Footprint is ' " + wrong +
                  "'; write up to 8 hexadecimal digits");
  }
}

TEST(TasksRec, TakesDependenciesListedWithCommas) {
  const auto graph =
      read("JobId: 1\n\nJobId: 2\n\nJobId: 3\nDependsOn: 1, 2\n\nJobId: 4\nDependsOn: 1,2,,3 \n\n");

  EXPECT_EQ(graph.parts().dependencies, (Waits{{2, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 2}}));
}

TEST(TasksRec, NotesWhatItAssumes) {
  const auto notes = [](const std::string& text, GraphDefaults defaults = {}) {
    Assumed assumed;
    defaults.assumed = &assumed;
    static_cast<void>(read(text, defaults));
    return assumed.notes("t.rec");
  };
  using Texts = std::vector<std::string>;
  const std::string two =
      "JobId: 1\nHandles: 1 2\nModes: R R\n\nJobId: 2\nHandles: 1 3\nModes: R R\n\n";
  const std::string flops =
      "file 't.rec': 2 tasks have no flops; 7.08 GFlop assumed each (flops= gives another)";
  const std::string sizes =
      "file 't.rec': 3 data items have no size; 14.7 MB assumed each (bytes= gives another)";
  EXPECT_EQ(notes(two), (Texts{flops, sizes}));
  EXPECT_EQ(notes(two, {.data_bytes = 1}), Texts{flops});
  EXPECT_EQ(notes(two, {.data_bytes = 1, .task_flops = 1}), Texts{});
  EXPECT_EQ(notes("JobId: 1\nGFlop: 2\nHandles: 1\nModes: R\nSizes: 3\n\nJobId: 2\n\n"), Texts{});
}

/// The pieces of a partition, written whole before: the trace does not say whose pieces they are.
TEST(TasksRec, NotesTasksThatWaitForOthersWithoutACommonHandle) {
  Assumed assumed;
  const GraphDefaults defaults{.data_bytes = 1, .task_flops = 1, .assumed = &assumed};
  const auto job = [](int id, const std::string& after, const std::string& handle) {
    return "JobId: " + std::to_string(id) + "\nDependsOn: " + after + "\nHandles: " + handle +
           "\nModes: RW\n\n";
  };
  static_cast<void>(
      read(job(1, "", "f0") + job(2, "1", "f1") + job(3, "1", "f2") + job(4, "3", "f2"), defaults));
  ASSERT_EQ(assumed.others.size(), 1U);
  EXPECT_TRUE(assumed.others[0].starts_with("2 tasks wait by DependsOn for tasks with which"));
}

TEST(TasksRec, TakesLifetimesAndNamesFromDataRec) {
  const std::string tasks = record(1, "Handles: a1 b2\nModes: R W\nSizes: 8 8\n") +
                            record(2, "Handles: b2 c3\nModes: R W\nSizes: 8 8\n");
  const std::string handles =
      "Handle: a1\nHomeNode: -1\nSize: 8\nParentHandle: 0\n\n"
      "Handle: b2\nHomeNode: -1\nName: T\nSize: 8\nParentHandle: 0\nCoordinates: 2 5\n\n"
      "Handle: c3\nHomeNode: 0\nName: C\nSize: 8\nParentHandle: 0\n\n";
  for (const std::string& text : {tasks + handles, handles + tasks}) {
    const TaskGraph graph = read(text);
    EXPECT_EQ(graph.parts().data_names, (std::vector<std::string>{"a1", "T(2,5)", "C"}));
    EXPECT_FALSE(graph.temporary(0));  // it is read first, so it came from somewhere
    EXPECT_TRUE(graph.temporary(1));
    EXPECT_FALSE(graph.temporary(2));
    std::istringstream in(text);
    EXPECT_EQ(read_submit_orders(in, "tasks.rec"), (std::vector<std::uint64_t>{1, 2}));
  }
  EXPECT_FALSE(read(tasks).any(Lifetime::temporary));
}

TEST(TasksRec, KeepsAnAddressThatOnceHadAHome) {
  const std::string task = record(1, "Handles: a1\nModes: W\nSizes: 8\n");
  const std::string homeless = "Handle: a1\nHomeNode: -1\n\n";
  EXPECT_TRUE(read(task + homeless).temporary(0));
  EXPECT_FALSE(read(task + homeless + "Handle: a1\nHomeNode: 0\n\n").any(Lifetime::temporary));
  EXPECT_EQ(refusal(task + "Handle: xyz\nHomeNode: -1\n\n"),
            "file 'tasks.rec', line 18: Handle holds 'xyz'; write hexadecimal addresses");
}

}  // namespace
}  // namespace damocles::tasks_rec_test
