// HyperDAG_DB's hypergraphs: what their lines mean, and how wrong ones are refused.

#include <gtest/gtest.h>

#include <sstream>

#include "models/graph_files/graph_files.hpp"
#include "tests/error_text.hpp"

namespace damocles::hyperdag_test {
namespace {

using Indices = std::vector<TaskGraph::Index>;

TaskGraph read(const std::string& text, const GraphDefaults& defaults = {}) {
  std::istringstream in(text);
  return read_hyperdag(in, "x.hdag", defaults);
}

std::string refusal(const std::string& text) {
  return error_text([&] { static_cast<void>(read(text)); });
}

/// 0 -> {1, 2}, 1 -> 2; the hyperedge of 1 has weight 0.
const std::string triangle =
    "%% header\n% comment\n2 3 5\n0 4\n1 0\n0 0\n2 3 9 % note\n1 2\n"
    "0 0\n0 1\n0 2\n1 1\n1 2\n";

TEST(HyperDag, TakesTheFirstPinAsTheWriterAndTheOthersAsReaders) {
  const TaskGraph graph = read(triangle, {.data_bytes = 10, .task_flops = 100});

  ASSERT_EQ(graph.tasks(), 3U);
  ASSERT_EQ(graph.data(), 1U);
  EXPECT_EQ(graph.bytes(0), 40U);
  EXPECT_EQ(graph.flops(0), 0);
  EXPECT_EQ(graph.flops(1), 200);
  EXPECT_EQ(graph.flops(2), 300);
  EXPECT_EQ(graph.accesses(0)[0], Access::write);
  EXPECT_EQ(graph.accesses(1)[0], Access::read);
  EXPECT_EQ(graph.users(0).size(), 3U);
  EXPECT_TRUE(graph.temporary(0));
  // A hyperedge of weight 0 only orders.
  EXPECT_EQ(graph.dependencies().waits_for(2), 2U);
}

TEST(HyperDag, TakesAWeightThatIsNotThereAsOne) {
  const TaskGraph graph = read("1 2 2 more\n0 % no weight\n0\n1\n0 1\n0 0\n");

  EXPECT_EQ(graph.bytes(0), usual_data_bytes);
  EXPECT_EQ(graph.flops(0), usual_task_flops);
  EXPECT_EQ(graph.accesses(1)[0], Access::write);  // node 1 is the first pin
}

TEST(HyperDag, TakesTypesOfVerticesAsKindsWhereTheCommentsListThem) {
  const TaskGraph graph = read(
      "%%MatrixMarket weighted-matrix\n% There are 2 unique source vertex types\n1 2 2\n0\n"
      "0 1 0\n1 71 0 % operation\n0 0\n0 1\n",
      {.task_flops = 5});

  EXPECT_EQ(graph.flops(1), 5);
  EXPECT_EQ(graph.kind_name(0), "type 1");
  EXPECT_EQ(graph.kind_name(1), "type 71");
}

TEST(HyperDag, SaysWhatAWeightIsTakenAsUnlessItIsGiven) {
  Assumed assumed;
  static_cast<void>(read(triangle, {.assumed = &assumed}));
  EXPECT_EQ(assumed.notes("x.hdag").size(), 1U);
  Assumed nothing;
  static_cast<void>(read(triangle, {.data_bytes = 1, .task_flops = 1, .assumed = &nothing}));
  EXPECT_EQ(nothing.notes("x.hdag"), std::vector<std::string>{});
}

TEST(HyperDag, IsRefusedInOneLine) {
  const std::string end = "; write 'hyperedges nodes pins'";
  EXPECT_EQ(refusal("% only\n"), "file 'x.hdag', line 2: the file ends here" + end);
  EXPECT_EQ(refusal("3 4\n"), "file 'x.hdag', line 1: '3 4'" + end);
  EXPECT_EQ(refusal("1 2 2\n0 1\n0 1\n"),
            "file 'x.hdag', line 3: the file ends after 1 of 2 nodes; write the rest");
  EXPECT_EQ(refusal("1 2 2\n0 1\n0 1\n0 1\n0 0\n0 1\n"),
            "file 'x.hdag', line 4: node 0 is there twice; write each once");
  EXPECT_EQ(refusal("1 2 2\n0 x\n"),
            "file 'x.hdag', line 2: the weight is 'x'; write a number from 0 to 1e+15");
  EXPECT_EQ(refusal("1 2 2\n0\n0\n1\n0 0\n0 2\n"),
            "file 'x.hdag', line 6: the node is '2'; write a whole number from 0 to 1");
  EXPECT_EQ(refusal("2 2 2\n0\n1\n0\n1\n0 0\n0 1\n"),
            "file 'x.hdag', line 7: hyperedge 1 has no pin; write its source first");
  EXPECT_EQ(refusal("1 2 2\n0\n0\n1\n0 0\n0 1\n0 1\n"),
            "file 'x.hdag', line 7: a line after the last pin; correct the header");
  EXPECT_NE(refusal("2 2 4\n0\n1\n0\n1\n0 0\n0 1\n1 1\n1 0\n"), "no error");  // a circle
}

}  // namespace
}  // namespace damocles::hyperdag_test
