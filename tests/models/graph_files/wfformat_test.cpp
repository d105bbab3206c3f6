// WfCommons' WfFormat: what a workflow means as a task graph, and how wrong ones are refused.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "models/graph_files/graph_files.hpp"
#include "models/platforms/gpu_presets.hpp"
#include "tests/error_text.hpp"

namespace damocles::wfformat_test {
namespace {

TaskGraph read(const std::string& text, const GraphDefaults& defaults = {}) {
  std::istringstream in(text);
  return read_wfformat(in, "x.json", defaults);
}

std::string refusal(const std::string& text) {
  return error_text([&] { static_cast<void>(read(text)); });
}

/// Two tasks, of which one makes what the other reads; a file of 0 bytes.
const std::string two = R"({"name": "two", "schemaVersion": "1.5", "workflow": {
  "specification": {
    "tasks": [
      {"name": "make", "id": "t1", "parents": [], "children": ["t2"],
       "inputFiles": ["in", "empty"], "outputFiles": ["mid"]},
      {"name": "use", "id": "t2", "parents": ["t1"], "children": [], "inputFiles": ["mid"]}],
    "files": [{"id": "in", "sizeInBytes": 1000}, {"id": "mid", "sizeInBytes": 2000},
              {"id": "empty", "sizeInBytes": 0}]},
  "execution": {"makespanInSeconds": 3, "tasks": [
    {"id": "t1", "runtimeInSeconds": 1.5, "command": {"program": "cc"}},
    {"id": "t2", "runtimeInSeconds": 2}]}}})";

/// The same in the schema of 1.4.
const std::string older = R"({"name": "two", "schemaVersion": "1.4", "workflow": {"tasks": [
  {"name": "make", "parents": [], "children": ["use"], "category": "cc", "runtimeInSeconds": 1.5,
   "files": [{"link": "input", "name": "in", "sizeInBytes": 1000},
             {"link": "output", "name": "mid", "sizeInBytes": 2000}]},
  {"name": "use", "parents": ["make"], "runtimeInSeconds": 2,
   "files": [{"link": "input", "name": "mid", "sizeInBytes": 2000}]}]}})";

void expect_two(const TaskGraph& graph) {
  ASSERT_EQ(graph.tasks(), 2U);
  ASSERT_EQ(graph.data(), 2U);
  EXPECT_EQ(graph.data_name(0), "in");
  EXPECT_EQ(graph.bytes(1), 2000U);
  EXPECT_EQ(graph.task_name(0), "make");
  EXPECT_EQ(graph.kind_name(0), "cc");
  EXPECT_EQ(graph.flops(0), 1.5 * usual_core_flops_per_s);
  EXPECT_EQ(graph.flops(1), 2 * usual_core_flops_per_s);
  EXPECT_EQ(graph.accesses(0)[1], Access::write);
  EXPECT_EQ(graph.accesses(1)[0], Access::read);
  EXPECT_EQ(graph.dependencies().waits_for(1), 1U);
  EXPECT_FALSE(graph.temporary(0));
  EXPECT_TRUE(graph.temporary(1));
}

TEST(WfFormat, TakesFilesAsDataAndRuntimesAsThoseOfAUsualCore) {
  expect_two(read(two));
  EXPECT_EQ(read(two, {.task_flops = 10}).flops(1), 20);
}

TEST(WfFormat, ReadsTheOlderSchemaToo) { expect_two(read(older)); }

TEST(WfFormat, WaitsForTheOnlyWriterOfAnInputWithoutBeingTold) {
  const TaskGraph graph = read(R"({"schemaVersion": "1.5", "workflow": {"specification": {"tasks": [
      {"id": "reader", "inputFiles": ["f"]}, {"id": "writer", "outputFiles": ["f"]}]}}})");

  EXPECT_EQ(graph.dependencies().waits_for(0), 1U);
  EXPECT_EQ(graph.dependencies().waits_for(1), 0U);
  EXPECT_EQ(graph.flops(0), usual_task_flops);
  EXPECT_EQ(graph.bytes(0), usual_data_bytes);
}

TEST(WfFormat, IsToldFromOurOwnJsonByItsKeys) {
  const std::string path = testing::TempDir() + "damocles_wfformat_test.json";
  std::ofstream(path) << two;
  expect_two(read_graph(path));
  std::ofstream(path) << R"({"data": [], "tasks": [{"name": "\"workflow\": 1"}], "damocles": 1})";
  EXPECT_EQ(read_graph(path).tasks(), 1U);
  std::filesystem::remove(path);
}

TEST(WfFormat, SaysWhatItAssumes) {
  Assumed assumed;
  static_cast<void>(read(two, {.assumed = &assumed}));
  EXPECT_EQ(assumed.notes("x.json"),
            std::vector<std::string>{"file 'x.json': a second of runtime is taken as 4e+10 flops, "
                                     "those of a usual core (flops= gives another)"});
}

TEST(WfFormat, SaysThatTasksRanOnSeveralCores) {
  const std::string said =
      "file 'x.json': 2 tasks ran on several cores (coreCount, at most 8); each is taken to run on one for its whole runtime";
  const auto notes = [](const std::string& text) {
    Assumed assumed;
    static_cast<void>(read(text, {.task_flops = 1.0, .assumed = &assumed}));
    return assumed.notes("x.json");
  };
  EXPECT_EQ(notes(R"({"schemaVersion": "1.5", "workflow": {
                       "specification": {"tasks": [{"id": "a"}, {"id": "b"}, {"id": "c"}]},
                       "execution": {"tasks": [{"id": "a", "runtimeInSeconds": 1, "coreCount": 8},
                                               {"id": "b", "runtimeInSeconds": 1, "coreCount": 2.0},
                                               {"id": "c", "runtimeInSeconds": 1, "coreCount": 1}]}}})"),
            std::vector<std::string>{said});
  EXPECT_EQ(notes(R"({"schemaVersion": "1.4", "workflow": {"tasks": [
                       {"name": "a", "runtimeInSeconds": 1, "cores": 8},
                       {"name": "b", "runtimeInSeconds": 1, "cores": 4}]}})"),
            std::vector<std::string>{said});
}

TEST(WfFormat, IsRefusedInOneLine) {
  const auto tasks = [](const std::string& list) {
    return refusal(R"({"schemaVersion": "1.5", "workflow": {"specification": {"tasks": [)" + list +
                   "]}}}");
  };
  EXPECT_EQ(
      refusal(R"({"schemaVersion": "1.0", "workflow": {"jobs": []}})"),
      "file 'x.json': schemaVersion '1.0' of WfFormat is not read; give one of 1.3, 1.4, 1.5, 1.6");
  EXPECT_EQ(refusal(R"({"schemaVersion": "1.5"})"),
            "file 'x.json': 'workflow' is missing; write an object, as WfFormat has it");
  EXPECT_EQ(tasks(""), "file 'x.json': no tasks; write workflow.specification.tasks");
  EXPECT_EQ(tasks(R"({"id": "a"}, {"id": "a"})"),
            "file 'x.json': task 'a' is there twice; write each id once");
  EXPECT_EQ(tasks(R"({"id": "a", "parents": ["b"]})"),
            "file 'x.json': task 'a' has 'b' before or behind it, which is no task; write an id");
  EXPECT_EQ(tasks(R"({"id": "a", "parents": 3})"),
            "file 'x.json': 'parents' is no list; write [...]");
  EXPECT_NE(tasks(R"({"id": "a", "parents": ["b"]}, {"id": "b", "parents": ["a"]})"), "no error");
  EXPECT_EQ(
      refusal(R"({"schemaVersion": "1.5", "workflow": {"specification": {"tasks": [{"id": "a"}],
                       "files": [{"id": "f", "sizeInBytes": -1}]}}})"),
      "file 'x.json': a 'sizeInBytes' is -1; write a number from 0 to 1.1259e+15");
  EXPECT_NE(refusal("{]").find("file 'x.json': not JSON: parse error at line 1, column 2: "),
            std::string::npos);
  EXPECT_NE(refusal("{").find("it seems truncated"), std::string::npos);
  EXPECT_EQ(refusal(std::string(100, '[')), "file 'x.json': lists and objects more than 32 deep");
}

}  // namespace
}  // namespace damocles::wfformat_test
