// Files that say where tasks run: what is read, and every refusal.

#include "models/placements/placement.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/error_text.hpp"

namespace damocles::placement_test {
namespace {

using Index = TaskGraph::Index;
using List = std::vector<Index>;

/// Tasks A to D of kinds k and l: B waits for A, D for C.
const Workload& four() {
  static const Workload workload = [] {
    TaskGraph::Parts parts;
    parts.bytes = {1};
    for (Index task = 0; task < 4; ++task) parts.add_task(List{0}, 1);
    parts.task_names = {"A", "B", "C", "D"};
    parts.priorities = {4, 3, 2, 1};
    parts.kind_names = {"k", "l"};
    parts.task_kinds = {0, 0, 1, 1};
    parts.dependencies = {{1, 0}, {3, 2}};
    return Workload::of_graph("four", TaskGraph(std::move(parts)));
  }();
  return workload;
}

/// A folder of its own for the running test, removed with it.
class Placements : public testing::Test {
 public:
  Placements(const Placements&) = delete;
  Placements& operator=(const Placements&) = delete;

 protected:
  Placements() { std::filesystem::create_directories(folder_); }
  ~Placements() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + name) << text;
    return folder_ + name;
  }
  [[nodiscard]] GivenPlacement read(const std::string& name, const std::string& text) const {
    return read_placement(file(name, text), four());
  }
  /// Without the folder.
  [[nodiscard]] std::string refusal(const std::string& name, const std::string& text,
                                    const Workload& workload = four()) const {
    auto message =
        error_text([&] { static_cast<void>(read_placement(file(name, text), workload)); });
    for (auto at = message.find(folder_); at != std::string::npos; at = message.find(folder_)) {
      message.erase(at, folder_.size());
    }
    return message;
  }

 private:
  std::string folder_ = testing::TempDir() + "damocles_placements_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() + "/";
};

/// Of which the JobIds say nothing, and the order in the file neither.
const std::string recorded =
    "Name: b\nModel: k\nJobId: 9\nSubmitOrder: 2\nWorkerId: 1\nStartTime: 30\nEndTime: 40\n\n"
    "Control: WontUse\nJobId: 10\nSubmitOrder: 3\n\n"
    "Name: a\nModel: k\nJobId: 8\nSubmitOrder: 1\nWorkerId: 0\nStartTime: 10\nEndTime: 20\n\n"
    "Name: d\nModel: l\nJobId: 12\nSubmitOrder: 5\nWorkerId: 1\nStartTime: 12\nEndTime: 25\n\n"
    "Name: c\nJobId: 11\nSubmitOrder: 4\n";

TEST_F(Placements, AreWhatWasDone) {
  const GivenPlacement placement = read("tasks.rec", recorded);

  EXPECT_EQ(placement.groups, (std::vector<std::vector<std::uint32_t>>{{}, {0}, {1}}));
  EXPECT_EQ(placement.group_of, (std::vector<std::uint32_t>{1, 2, 0, 2}));  // C: on any
  EXPECT_EQ(placement.lists.at(0), List{0});
  EXPECT_EQ(placement.lists.at(1), (List{3, 1}));  // by StartTime, not by SubmitOrder
  EXPECT_EQ(placement.priorities, (std::vector<double>{4, 3, 2, 1}));
  EXPECT_DOUBLE_EQ(*placement.makespan_s, 0.030);  // from 10 to 40 ms
  EXPECT_EQ(placement.file.digest.size(), 32U);
  EXPECT_TRUE(placement.place(1).ends_with("tasks.rec', line 1"));
}

TEST_F(Placements, AreWhatIsToBeDone) {
  const GivenPlacement placement =
      read("sched.rec",
           "SubmitOrder: 1\nSpecificWorker: 2\nWorkerorder: 2\nPriority: -7\n\n"
           "SubmitOrder: 4\nSpecificWorker: 2\nWorkers: 1 2\nWorkerorder: 1\n\n"
           "Prefetch: 4\nMemoryNode: 1\nParameters: 0\n\n"
           "SubmitOrder: 3\n\nSubmitOrder: 2\nWorkers: 3 0 3\nDependsOn: 3 4\n");

  EXPECT_EQ(placement.groups, (std::vector<std::vector<std::uint32_t>>{{}, {2}, {0, 3}}));
  EXPECT_EQ(placement.group_of, (std::vector<std::uint32_t>{1, 2, 0, 1}));
  EXPECT_EQ(placement.lists.at(2), (List{3, 0}));
  EXPECT_EQ(placement.priorities, (std::vector<double>{-7, 3, 2, 1}));
  EXPECT_EQ(placement.waits, (std::vector<Dependencies::Wait>{{1, 2}, {1, 3}}));
  EXPECT_FALSE(placement.makespan_s);
}

/// SubmitOrder counts calls of starpu_data_wont_use() too, which are no tasks.
TEST_F(Placements, MeanTasksByTheNumbersOfTheFileOfTheWorkload) {
  const std::string path = file("submitted.rec", recorded);
  const Workload workload = Workload::parse("file:path=" + path);
  const std::string numbers =
      "SubmitOrder: 1\n\nSubmitOrder: 2\n\nSubmitOrder: 4\nSpecificWorker: 6\n\n";

  const GivenPlacement placement =
      read_placement(file("sched.rec", numbers + "SubmitOrder: 5\n"), workload);

  EXPECT_EQ(placement.groups[placement.group_of[2]], std::vector<std::uint32_t>{6});
  EXPECT_EQ(
      refusal("sched.rec", numbers + "SubmitOrder: 3\n", workload),
      "file 'sched.rec', line 8: SubmitOrder 3 is no task of the workload; write the SubmitOrder of one of its 4");
}

TEST_F(Placements, AreOurOwn) {
  const GivenPlacement placement =
      read("p.json", R"({"damocles_placement": 1, "processors": [["C", 3], [0]],
                    "groups": [{"tasks": ["B"], "processors": [1, 0]}]})");

  EXPECT_EQ(placement.lists.at(0), (List{2, 3}));
  EXPECT_EQ(placement.lists.at(1), List{0});
  EXPECT_EQ(placement.groups[placement.group_of[1]], (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(read("any.json", R"({"damocles_placement": 1, "groups": [{"tasks": [0, 1, 2, 3]}]})")
                .group_of,
            (std::vector<std::uint32_t>{0, 0, 0, 0}));
}

TEST_F(Placements, AreRefusedWhereTheirOrderCannotRun) {
  // B waits for A, which is behind D, which waits for C, which is behind B.
  EXPECT_EQ(
      refusal("p.json", R"({"damocles_placement": 1, "processors": [["D", "A"], ["B", "C"]]})"),
      "file 'p.json': this order cannot run: 'A' comes after 'D' on processor 0, 'D' waits "
      "for 'C', 'C' comes after 'B' on processor 1, 'B' waits for 'A', which is a circle; "
      "change the order on one processor");
  EXPECT_EQ(refusal("p.json", R"({"damocles_placement": 1, "processors": [["B", "C", "D", "A"]]})"),
            "file 'p.json': this order cannot run: 'A' comes after 'B' on processor 0, 'B' waits "
            "for 'A', which is a circle; change the order on one processor");
  EXPECT_EQ(refusal("s.rec",
                    "SubmitOrder: 1\nDependsOn: 3\n\nSubmitOrder: 2\n\nSubmitOrder: 3\n"
                    "DependsOn: 2\n\nSubmitOrder: 4\n"),
            "file 's.rec': this order cannot run: 'A' waits for 'C', 'C' waits for 'B', 'B' waits "
            "for 'A', which is a circle; change the order on one processor");
}

TEST_F(Placements, AreRefusedWhereTasksAreLeftOutOrThereTwice) {
  EXPECT_EQ(refusal("p.json", R"({"damocles_placement": 1, "processors": [["A"]]})"),
            "file 'p.json': task 'B' is placed nowhere, nor are 2 more; say where each task runs");
  EXPECT_EQ(refusal("s.rec", "SubmitOrder: 1\n\nSubmitOrder: 2\n\nSubmitOrder: 4\n"),
            "file 's.rec': task 'C' is placed nowhere; say where each task runs");
  EXPECT_EQ(
      refusal("p.json", R"({"damocles_placement": 1, "processors": [["A"], ["C", 0]]})"),
      "file 'p.json', processors[1][1]: task 'A' again, after processors[0][0]; place each task once");
  EXPECT_EQ(
      refusal("t.rec", recorded + "\nName: e\nJobId: 13\nSubmitOrder: 6\n"),
      "file 't.rec', line 33: 'e 13' is task 5 in the order of submission, but the workload has 4; give the workload that was run");
}

TEST_F(Placements, AreRefusedWhereTheyAreOfAnotherWorkload) {
  EXPECT_EQ(refusal("t.rec", "Name: x\nModel: m\nJobId: 1\nSubmitOrder: 1\nWorkerId: 0\n"),
            "file 't.rec', line 1: task 1 in the order of submission is of kind 'm' here and 'k' "
            "in the workload, 'A'; give the workload that was run");
  EXPECT_EQ(
      refusal("s.rec", "SubmitOrder: 5\n"),
      "file 's.rec', line 1: SubmitOrder 5 is no task of the workload; write the SubmitOrder of one of its 4");
  EXPECT_EQ(
      refusal("s.rec", "SubmitOrder: 1\nDependsOn: 0\n"),
      "file 's.rec', line 2: DependsOn 0 is no task of the workload; write the SubmitOrder of one of its 4");
  EXPECT_EQ(refusal("p.json", R"({"damocles_placement": 1, "processors": [["E"]]})"),
            "file 'p.json': processors[0][0]: no task is called 'E'; write a name of the workload, "
            "or an index below 4");
  EXPECT_EQ(refusal("p.json", R"({"damocles_placement": 1, "groups": [{"tasks": [4]}]})"),
            "file 'p.json': groups[0].tasks[0] must be a task, a name or an index below 4");
}

TEST_F(Placements, AreRefusedWhereStarpuWouldWaitForEver) {
  EXPECT_EQ(
      refusal("s.rec",
              "SubmitOrder: 1\nSpecificWorker: 0\nWorkerorder: 1\n\n"
              "SubmitOrder: 2\nSpecificWorker: 0\nWorkerorder: 3\n"),
      "file 's.rec', line 7: Workerorder 3 of worker 0, but no task has 2, for which it would wait; number them from 1");
  EXPECT_EQ(
      refusal("s.rec",
              "SubmitOrder: 1\nSpecificWorker: 0\nWorkerorder: 1\n\n"
              "SubmitOrder: 2\nSpecificWorker: 0\nWorkerorder: 1\n"),
      "file 's.rec', line 7: Workerorder 1 of worker 0 again, after line 3; give each task its own");
  EXPECT_EQ(
      refusal("s.rec", "SubmitOrder: 1\nWorkerorder: 1\n"),
      "file 's.rec', line 2: Workerorder orders the tasks of one worker; write its SpecificWorker");
  EXPECT_EQ(
      refusal("s.rec", "SubmitOrder: 1\nSpecificWorker: 3\nWorkers: 0 1\n"),
      "file 's.rec', line 2: SpecificWorker is 3, which Workers leaves out; name it there too");
}

TEST_F(Placements, AreRefusedWhereTheyAreMalformed) {
  EXPECT_EQ(
      refusal("p.txt", ""),
      "placement 'p.txt' ends in '.txt'; give StarPU's tasks.rec or sched.rec, or a .json of our own");
  EXPECT_EQ(
      refusal("s.rec", "Priority: 1\n"),
      "file 's.rec', line 1: a record without SubmitOrder; write SubmitOrder: and the task's number");
  EXPECT_EQ(refusal("s.rec", "SubmitOrder: 1\nWorkers: 0 x\n"),
            "file 's.rec', line 2: Workers holds 'x'; write whole numbers");
  EXPECT_EQ(refusal("s.rec", "SubmitOrder: 1\nWorkers: \n"),
            "file 's.rec', line 2: Workers names no worker; write their numbers, as 0 1 2");
  EXPECT_EQ(
      refusal("t.rec", "JobId: 1\nStartTime: 2\nEndTime: 1\n"),
      "file 't.rec', line 3: EndTime is 1, before StartTime 2; write the time at which it ended");
  EXPECT_EQ(refusal("t.rec", "JobId: 1\nWorkerId: -1\n"),
            "file 't.rec', line 2: WorkerId is ' -1'; write a whole number");
  const std::string right =
      R"(write {"damocles_placement": 1, "processors": [["T0", 2], [1]], "groups": [{"tasks": [3]}]})";
  EXPECT_EQ(refusal("p.json", "{\n\"damocles_placement\": 1,,"),
            "file 'p.json', line 2: not JSON: syntax error while parsing object key - unexpected "
            "','; expected string literal; " +
                right);
  EXPECT_NE(refusal("p.json", "{\n\"damocles_placement\": ").find("it seems truncated"),
            std::string::npos);
  EXPECT_EQ(refusal("p.json", R"({"damocles": 1})"), "file 'p.json': no placement; " + right);
  EXPECT_EQ(refusal("p.json", R"([[[[[1]]]]])"),
            "file 'p.json': lists or objects more than 4 deep; " + right);
  EXPECT_EQ(
      refusal("p.json", R"({"damocles_placement": 1, "procesors": []})"),
      "file 'p.json': the file has the unknown key 'procesors'; write damocles_placement, processors, groups");
  EXPECT_EQ(refusal("p.json",
                    R"({"damocles_placement": 1, "groups": [{"tasks": [0], "processors": []}]})"),
            "file 'p.json': groups[0].processors is empty; leave it out where any may run them");
  EXPECT_EQ(refusal("p.json", R"({"damocles_placement": 1, "groups": [3]})"),
            R"(file 'p.json': groups[0] must be {"tasks": [...], "processors": [...]})");
}

}  // namespace
}  // namespace damocles::placement_test
