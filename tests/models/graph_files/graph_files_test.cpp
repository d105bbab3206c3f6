#include "models/graph_files/graph_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/error_text.hpp"
#include "tests/models/graph_files/graph_parts.hpp"

namespace damocles::graph_files_test {
namespace {

namespace fs = std::filesystem;
using Index = TaskGraph::Index;

const fs::path root = DAMOCLES_SOURCE;

std::string refusal(const std::string& path) {
  return error_text([&] { static_cast<void>(read_graph(path)); });
}

TaskGraph through_json(const TaskGraph& graph) {
  std::stringstream text;
  write_json(graph, text);
  return read_json(text, "written");
}

TaskGraph example(const char* name) { return read_graph(root / "docs" / "examples" / name); }

TEST(GraphFiles, ChooseTheFormatByTheEnding) {
  const auto product = example("product_3x3.json");

  EXPECT_EQ(product.tasks(), 9U);
  EXPECT_EQ(product.data(), 6U);
  EXPECT_EQ(product.task_name(5), "C12");
  EXPECT_EQ(product.data_name(product.inputs(5)[0]), "A1");
  EXPECT_EQ(product.data_name(product.inputs(5)[1]), "B2");

  const auto band = example("band.mtx");
  EXPECT_EQ(band.tasks(), 5U);
  EXPECT_EQ(band.edges(), 13U);  // 5 on the diagonal, 2 x 4 beside it

  const auto cholesky = example("tasks.rec");
  EXPECT_EQ(cholesky.tasks(), 3U);  // potrf, trsm, syrk
  EXPECT_EQ(cholesky.data(), 3U);
  EXPECT_EQ(cholesky.edges(), 5U);
}

TEST(GraphFiles, SayTheSameInJsonAndHypergraph) {
  const auto json = example("product_3x3.json").parts();
  const auto hypergraph = example("product_3x3.hgr").parts();

  EXPECT_EQ(json.bytes, hypergraph.bytes);
  EXPECT_EQ(json.inputs, hypergraph.inputs);
  EXPECT_EQ(json.input_begin, hypergraph.input_begin);
  EXPECT_EQ(json.flops, hypergraph.flops);
}

TEST(GraphFiles, TakeAnEndingInAnyCase) {
  const auto path = fs::path(testing::TempDir()) / "damocles_graph_files_test.MTX";
  fs::copy_file(root / "docs" / "examples" / "band.mtx", path,
                fs::copy_options::overwrite_existing);

  EXPECT_EQ(read_graph(path, {.data_bytes = 3}).uniform_bytes(), 3U);
  fs::remove(path);
}

TEST(GraphFiles, RefuseWhatTheyCannotRead) {
  EXPECT_EQ(
      refusal("graph.txt"),
      "file 'graph.txt' ends in '.txt'; a task graph ends in .mtx (Matrix Market), .hgr "
      "(hMETIS), .json (Damocles' own), .json (WfCommons' WfFormat), .rec (StarPU's tasks.rec), .dot "
      "or .gv (Graphviz), .hdag (HyperDAG_DB) or .stg (Standard Task Graph Set), each also packed as .gz; "
      "for another ending name the format, as in file:path=graph.txt,format=dot");
  EXPECT_EQ(
      refusal("no/such.mtx"),
      "cannot open task graph 'no/such.mtx': no such file; check the path, or give a task graph file; "
      "`damocles list file` shows the formats");
  const auto folder = fs::path(testing::TempDir()) / "damocles_graph_files_test.hgr";
  fs::create_directory(folder);
  EXPECT_EQ(refusal(folder.string()),
            "task graph '" + folder.string() +
                "' is a folder; give a task graph file; `damocles list file` shows the formats");
  fs::remove(folder);
}

/// HyperDAG_DB's own files end in .txt, and others name them after what their format derives from.
TEST(GraphFiles, TellHyperDagsByTheirContent) {
  const std::string text =
      "%%MatrixMarket matrix coordinate pattern general\n% HyperDAG\n2 3 4 % v1\n"
      "0 1\n1 1\n0 5\n1 5\n2 5\n0 0\n0 1\n1 1\n1 2\n";
  for (const char* const ending : {".mtx", ".hgr", ".txt", ".hdag"}) {
    const auto path = fs::path(testing::TempDir()) / (std::string("damocles_hyperdag") + ending);
    std::ofstream(path) << text;
    const TaskGraph graph = read_graph(path, {.data_bytes = 3, .task_flops = 2.0});
    EXPECT_EQ(graph.tasks(), 3U) << ending;
    EXPECT_EQ(graph.flops(0), 10) << ending;
    EXPECT_EQ(graph.parts().dependencies.size(), 2U) << ending;
    fs::remove(path);
  }
  // hMETIS has three numbers too, but counts from 1.
  const auto path = fs::path(testing::TempDir()) / "damocles_hyperdag.hgr";
  std::ofstream(path) << "1 2 11\n4 1 2\n6\n7\n";
  EXPECT_EQ(read_graph(path).flops(1), 7);
  fs::remove(path);
}

TEST(GraphFiles, NameTheFileAndTheLine) {
  const auto path = fs::path(testing::TempDir()) / "damocles_graph_files_test_bad.hgr";
  std::ofstream(path) << "1 2\n1 3\n";

  EXPECT_EQ(
      refusal(path.string()),
      "file '" + path.string() + "', line 2: the vertex is '3'; write a whole number from 1 to 2");
  fs::remove(path);
}

/// Each seed of the fuzzers of task graphs, which are good files all.
TEST(GraphFiles, ReadEverySeedOfTheFuzzersAndWriteItAsJson) {
  int seeds = 0;
  for (const char* const format : {"matrix_market", "hmetis", "json_graph", "tasks_rec", "dot"}) {
    for (const auto& entry : fs::directory_iterator(root / "tests" / "fuzz" / "seeds" / format)) {
      ++seeds;
      const auto graph = read_graph(entry.path());
      EXPECT_TRUE(equal_parts(graph, through_json(graph))) << entry.path();
    }
  }
  EXPECT_GE(seeds, 17);
}

}  // namespace
}  // namespace damocles::graph_files_test
