// Graphs of the Standard Task Graph Set, with and without communication costs.

#include <gtest/gtest.h>

#include <sstream>

#include "models/graph_files/graph_files.hpp"
#include "models/platforms/gpu_presets.hpp"
#include "tests/error_text.hpp"

namespace damocles::stg_test {
namespace {

TaskGraph read(const std::string& text, const GraphDefaults& defaults = {}) {
  std::istringstream in(text);
  return read_stg(in, "x.stg", defaults);
}

std::string refusal(const std::string& text) {
  return error_text([&] { static_cast<void>(read(text)); });
}

/// Entry, two tasks of which the second waits for the first, exit.
const std::string chain =
    " 2\n 0 0 0\n 1 3 1 0\n 2 4.5 1 1\n 3 0 1 2\n# Standard Task Graph\n# 2\n";

TEST(Stg, TakesAUnitOfTimeAsASecondOfAUsualCore) {
  const TaskGraph graph = read(chain);

  ASSERT_EQ(graph.tasks(), 4U);
  EXPECT_EQ(graph.data(), 0U);
  EXPECT_EQ(graph.flops(0), 0);
  EXPECT_EQ(graph.flops(1), 3 * usual_core_flops_per_s);
  EXPECT_EQ(read(chain, {.task_flops = 2}).flops(2), 9);
  EXPECT_EQ(graph.task_name(2), "T2");
  EXPECT_EQ(graph.dependencies().waits_for(2), 1U);
}

TEST(Stg, PassesDataAlongEdgesWhereTheUserGivesTheirSize) {
  const TaskGraph graph = read(chain, {.data_bytes = 7});

  EXPECT_EQ(graph.data(), 3U);
  EXPECT_EQ(graph.uniform_bytes(), 7U);
}

TEST(Stg, ReadsCommunicationCostsOnLinesOfTheirOwn) {
  const TaskGraph graph =
      read("2\n0 0 0\n1 3 1\n0 0\n2 4 2\n0 5\n1 6\n3 0 1\n2 0\n", {.data_bytes = 10});

  ASSERT_EQ(graph.tasks(), 4U);
  ASSERT_EQ(graph.data(), 2U);
  EXPECT_EQ(graph.bytes(0), 50U);
  EXPECT_EQ(graph.bytes(1), 60U);
  EXPECT_EQ(graph.inputs(2).size(), 2U);
  EXPECT_EQ(graph.dependencies().waits_for(3), 1U);
}

TEST(Stg, NumbersTasksFromOneWhereThereIsNoEntry) {
  const TaskGraph graph = read("2\n1 3 0\n2 4 1 1\n");

  EXPECT_EQ(graph.tasks(), 2U);
  EXPECT_EQ(graph.task_name(0), "T1");
  EXPECT_EQ(graph.dependencies().waits_for(1), 1U);
}

TEST(Stg, SaysWhatItsUnitsAreTakenAs) {
  Assumed assumed;
  static_cast<void>(read(chain, {.assumed = &assumed}));
  EXPECT_EQ(
      assumed.notes("x.stg"),
      std::vector<std::string>{
          "file 'x.stg': it has no units: a unit of time is taken as 4e+10 flops, a second of "
          "a usual core, no data pass between tasks (flops= and bytes= give others)"});
}

TEST(Stg, IsRefusedInOneLine) {
  EXPECT_EQ(refusal(""), "file 'x.stg', line 1: no task here; write the number of tasks");
  EXPECT_EQ(refusal("10 3\n"),
            "file 'x.stg', line 1: '10 3', as in the prototype set, which has another format; "
            "write the number of tasks");
  EXPECT_EQ(refusal("2\n0 0 0\n1 3 1 0\n"),
            "no error");  // 2 tasks from 0 on: neither entry nor exit
  EXPECT_EQ(refusal("2\n0 0 0\n"),
            "file 'x.stg', line 1: 2 tasks and an entry and an exit, but 1 follow; write 4");
  EXPECT_EQ(refusal("2\n0 0 0\n2 3 1 0\n"),
            "file 'x.stg', line 3: the task is '2'; write a whole number from 1 to 1");
  EXPECT_EQ(refusal("2\n0 0 0\n1 3 2 0\n"),
            "file 'x.stg', line 3: 2 predecessors are announced, but 1 follow; write as many");
  EXPECT_EQ(refusal("1\n0 x 0\n"),
            "file 'x.stg', line 2: the processing time is 'x'; write a number from 0 to 1e+12");
  EXPECT_EQ(refusal("1\n1 1 1 2\n"),
            "file 'x.stg': task 1 waits for task 2, which is not there; write it");
  EXPECT_NE(refusal("2\n1 1 1 2\n2 1 1 1\n"), "no error");  // a circle
}

}  // namespace
}  // namespace damocles::stg_test
