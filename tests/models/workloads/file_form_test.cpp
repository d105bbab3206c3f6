// file:path=...: the options of the form reach the graph.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "models/workload.hpp"

namespace damocles::file_form_test {
namespace {

namespace fs = std::filesystem;

/// A file with this text, gone after the test.
class FileForm : public testing::Test {
 protected:
  std::string file(const std::string& ending, const std::string& text) {
    path_ = fs::temp_directory_path() / ("damocles_file_form_" + std::to_string(getpid()) + ending);
    std::ofstream(path_) << text;
    return path_.string();
  }
  void TearDown() override { fs::remove(path_); }

 private:
  fs::path path_;
};

const char* const two_by_two =
    "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n1 2\n2 2\n";

TEST_F(FileForm, SetsBytesAndFlopsWhereTheFileSaysNone) {
  const std::string path = file(".mtx", two_by_two);

  const Workload given = Workload::parse("file:path=" + path + ",flops=3GF,bytes=7kB");

  EXPECT_EQ(given.graph().bytes(0), 7000U);
  EXPECT_EQ(given.graph().bytes(1), 7000U);
  EXPECT_EQ(given.graph().flops(0), 3e9);
  EXPECT_EQ(given.graph().total_flops(), 6e9);
}

TEST_F(FileForm, DropsDependenciesWhereAsked) {
  const std::string path = file(".json",
                                R"({"damocles": 1, "data": [{"bytes": 5}],
          "tasks": [{"reads": [0], "flops": 1}, {"reads": [0], "flops": 2, "after": [0]}]})");

  EXPECT_EQ(Workload::parse("file:path=" + path + ",deps=ignore").graph().total_flops(), 3);
}

TEST_F(FileForm, TakesWhatTasksWriteAsTheirOutputWhereDependenciesAreDropped) {
  const std::string path = file(".json",
                                R"({"damocles": 1, "data": [{"bytes": 5}, {"bytes": 7}],
          "tasks": [{"reads": [0], "writes": [0, 1]}, {"reads": [1], "output_bytes": 2}]})");

  const Workload independent = Workload::parse("file:path=" + path + ",deps=ignore");

  EXPECT_FALSE(independent.has_dependencies());
  EXPECT_FALSE(independent.writes());
  const auto inputs = independent.graph().inputs(0);
  EXPECT_EQ(std::vector<TaskGraph::Index>(inputs.begin(), inputs.end()),
            std::vector<TaskGraph::Index>{0});
  EXPECT_EQ(independent.graph().output_bytes(0), 12U);
  EXPECT_EQ(independent.graph().output_bytes(1), 2U);
}

/// Of 80 runs of 5000 each waits for each of the one before: 2 * 10^9 waits, of 8 bytes each,
/// twice.
TEST_F(FileForm, InfersNoWaitsWhereDependenciesAreDropped) {
  std::string text = R"({"damocles": 1, "data": [{"bytes": 5}, {"bytes": 7}], "tasks": [)";
  for (int half = 0; half < 80; ++half) {
    const char* const task = half % 2 == 0 ? R"({"commutes": [0]},)" : R"({"reads": [0, 1]},)";
    for (int t = 0; t < 5000; ++t) text += task;
  }
  text.back() = ']';
  const std::string path = file(".json", text + "}");

  const Workload workload = Workload::parse("file:path=" + path + ",deps=ignore");

  const TaskGraph& graph = workload.graph();
  EXPECT_EQ(graph.tasks(), 400'000U);
  EXPECT_TRUE(graph.dependencies().empty());
  EXPECT_FALSE(graph.ordered());
  EXPECT_FALSE(graph.commutes());
  EXPECT_FALSE(graph.writes());
  EXPECT_EQ(graph.widest(), 2U);
  EXPECT_EQ(graph.output_bytes(0), 5U);
  EXPECT_EQ(graph.users(0).size(), graph.tasks());
}

TEST_F(FileForm, GivesTasksOfARecordWithoutAPriorityPriorityZero) {
  const auto task = [](int job, const std::string& priority) {
    return "Name: a\nModel: m\nJobId: " + std::to_string(job) +
           "\nSubmitOrder: " + std::to_string(job) + "\n" + priority +
           "Footprint: 1\nGFlop: 1\nHandles: 1\nModes: R\nSizes: 8\n\n";
  };
  const std::string path = file(".rec", task(1, "Priority: 3\n") + task(2, ""));

  const Workload read = Workload::parse("file:path=" + path);

  EXPECT_EQ(read.graph().priority(0), 3);
  EXPECT_EQ(read.graph().priority(1), 0);
}

}  // namespace
}  // namespace damocles::file_form_test
