#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "models/graph_files/graph_files.hpp"
#include "models/rng.hpp"
#include "tests/error_text.hpp"

namespace damocles::hmetis_test {
namespace {

using Indices = std::vector<TaskGraph::Index>;

TaskGraph read(const std::string& text, const GraphDefaults& defaults = {}) {
  std::istringstream in(text);
  return read_hmetis(in, "x.hgr", defaults);
}

std::string refusal(const std::string& text, const GraphDefaults& defaults = {}) {
  return error_text([&] { static_cast<void>(read(text, defaults)); });
}

std::string written(const TaskGraph& graph) {
  std::ostringstream out;
  write_hgr(graph, out);
  return out.str();
}

Indices inputs(const TaskGraph& graph, TaskGraph::Index task) {
  return {graph.inputs(task).begin(), graph.inputs(task).end()};
}

TEST(Hmetis, TakesVerticesAsTasksAndHyperedgesAsData) {
  const auto graph = read("% comment\n2 3 0\n1 3\n% between\n3 2\n\n", {.data_bytes = 7});

  EXPECT_EQ(graph.tasks(), 3U);
  EXPECT_EQ(graph.data(), 2U);
  EXPECT_EQ(inputs(graph, 0), Indices{0});
  EXPECT_EQ(inputs(graph, 1), Indices{1});
  EXPECT_EQ(inputs(graph, 2), (Indices{0, 1}));
  EXPECT_EQ(graph.uniform_bytes(), 7U);
  EXPECT_EQ(graph.flops(0), usual_task_flops);
}

TEST(Hmetis, KeepsWeightsAsMultiplesOfAUnit) {
  const std::string both = "2 2 11\n3 1 2\n5 2\n0.5\n4\n";
  const auto plain = read(both);
  const auto units = read(both, {.data_bytes = 10, .task_flops = 100});

  EXPECT_EQ(plain.bytes(0), 3U);  // a weight counts bytes and flops where nobody said what it is
  EXPECT_EQ(plain.bytes(1), 5U);
  EXPECT_EQ(plain.flops(0), 0.5);
  EXPECT_EQ(units.bytes(1), 50U);
  EXPECT_EQ(units.flops(1), 400);
}

TEST(Hmetis, TakesTheDefaultForTheWeightsThatAreNotThere) {
  const auto hyperedges = read("1 2 1\n3 1 2\n");
  const auto vertices = read("1 2 10\n1 2\n3\n4\n");

  EXPECT_EQ(hyperedges.bytes(0), 3U);
  EXPECT_EQ(hyperedges.flops(1), usual_task_flops);
  EXPECT_EQ(vertices.bytes(0), usual_data_bytes);
  EXPECT_EQ(vertices.flops(1), 4);
}

TEST(Hmetis, ReadsDataThatNobodyReadsAndTasksThatReadNothing) {
  const auto graph = read("2 3 1\n8\n9 1\n");

  EXPECT_EQ(graph.data(), 2U);
  EXPECT_TRUE(graph.users(0).empty());
  EXPECT_EQ(inputs(graph, 1), Indices{});
}

TEST(Hmetis, TakesABlankLineAsAHyperedgeWithoutVertices) {
  const auto graph = read("3 3\n1 2\n\n% between\n2 3\n\n");

  EXPECT_EQ(graph.data(), 3U);
  EXPECT_TRUE(graph.users(1).empty());
  EXPECT_EQ(inputs(graph, 2), Indices{2});
  // Where hyperedges have weights, one without a vertex has its weight, and blank lines are none.
  EXPECT_EQ(read("2 3 1\n\n5 1\n\n6\n").bytes(1), 6U);
  EXPECT_EQ(
      refusal("1 2\n\n0\n"),
      "file 'x.hgr', line 3: more than the lines announced on line 1; correct one of them (a blank line is a hyperedge without vertices)");
}

TEST(Hmetis, TakesFractionsOfWeightsWhereTheirUnitIsGiven) {
  const std::string text = "2 3 1\n1.5 1 2\n2.25 2 3\n";
  const auto graph = read(text, {.data_bytes = 1'000'000});

  EXPECT_EQ(graph.bytes(0), 1'500'000U);
  EXPECT_EQ(graph.bytes(1), 2'250'000U);
  EXPECT_EQ(read("1 1 1\n3.0 1\n").bytes(0), 3U);
  EXPECT_EQ(
      refusal(text),
      "file 'x.hgr', line 2: the hyperedge's weight is '1.5', which is no whole number of bytes; give the size of weight 1, as bytes=1MB");
  EXPECT_EQ(
      refusal("1 1 1\n-1.5 1\n"),
      "file 'x.hgr', line 2: the hyperedge's weight is '-1.5'; write a number from 1 to 1125899906842624");
}

TEST(Hmetis, SkipsAByteOrderMark) {
  const std::string mark = "\xef\xbb\xbf";
  EXPECT_EQ(read(mark + "2 3\n1 2\n2 3\n").tasks(), 3U);
}

TEST(Hmetis, WritesWhatItReads) {
  const std::string text =
      "% hyperedge = data, its weight in bytes; vertex = task, its weight in flops\n"
      "2 3 11\n14745600 1 3\n8 2\n7077888000\n0.1\n1e+20\n";

  EXPECT_EQ(written(read(text)), text);
}

TEST(Hmetis, RoundTripKeepsStructureAndWeights) {
  Rng rng(1, Draw::test, 0);
  for (int round = 0; round < 50; ++round) {
    TaskGraph::Parts parts;
    const auto data = 1 + rng.below(9);
    for (std::uint64_t d = 0; d < data; ++d) parts.bytes.push_back(1 + rng.below(1U << 30U));
    for (std::uint64_t t = 0; t < 1 + data; ++t) {
      Indices reads;
      for (auto count = rng.below(4); count > 0; --count) {
        reads.push_back(static_cast<TaskGraph::Index>(rng.below(data)));
      }
      parts.add_task(reads, rng.uniform() * 1e12);
    }
    const TaskGraph graph(parts);

    const TaskGraph again = read(written(graph));

    ASSERT_EQ(again.parts().bytes, graph.parts().bytes);
    ASSERT_EQ(again.parts().flops, graph.parts().flops);
    ASSERT_EQ(again.edges(), graph.edges());
    for (TaskGraph::Index t = 0; t < graph.tasks(); ++t) {
      auto expected = inputs(graph, t);
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(inputs(again, t), expected);
    }
  }
}

TEST(Hmetis, RefusesAMalformedHeader) {
  const std::string right = "write 'hyperedges vertices' and the format, if any: 1, 10 or 11";
  EXPECT_EQ(refusal(""), "file 'x.hgr', line 1: the file ends here; " + right);
  EXPECT_EQ(refusal("3\n"), "file 'x.hgr', line 1: '3'; " + right);
  EXPECT_EQ(refusal("%\n1 2 3 4\n"), "file 'x.hgr', line 2: '1 2 3 4'; " + right);
  EXPECT_EQ(
      refusal("x 2\n"),
      "file 'x.hgr', line 1: the number of hyperedges is 'x'; write a whole number from 0 to 2147483648");
  EXPECT_EQ(
      refusal("2 0\n"),
      "file 'x.hgr', line 1: the number of vertices is '0'; write a whole number from 1 to 2147483648");
  EXPECT_EQ(
      refusal("2 2 2\n"),
      "file 'x.hgr', line 1: format '2'; write 0, 1 (weights of hyperedges), 10 (of vertices) or 11 (both)");
}

TEST(Hmetis, RefusesAMalformedLineNamingIt) {
  EXPECT_EQ(refusal("2 2\n1 2\n"),
            "file 'x.hgr', line 2: the file ends after 1 of 2 hyperedges; write the rest");
  EXPECT_EQ(refusal("1 2\n1 3\n"),
            "file 'x.hgr', line 2: the vertex is '3'; write a whole number from 1 to 2");
  EXPECT_EQ(refusal("1 2\n%\n0\n"),
            "file 'x.hgr', line 3: the vertex is '0'; write a whole number from 1 to 2");
  EXPECT_EQ(
      refusal("1 2 1\n0 1\n"),
      "file 'x.hgr', line 2: the hyperedge's weight is '0'; write a whole number from 1 to 1125899906842624");
  EXPECT_EQ(refusal("1 2 10\n1 2\n3\n"),
            "file 'x.hgr', line 3: the file ends after 1 of 2 weights of vertices; write the rest");
  EXPECT_EQ(refusal("1 1 10\n1\n-3\n"),
            "file 'x.hgr', line 3: the vertex's weight is '-3'; write one number from 0 to 1e+30");
  EXPECT_EQ(refusal("1 1 10\n1\n3 4\n"),
            "file 'x.hgr', line 3: the vertex's weight is '3 4'; write one number from 0 to 1e+30");
  EXPECT_EQ(
      refusal("1 1\n1\n1\n"),
      "file 'x.hgr', line 3: more than the lines announced on line 1; correct one of them (a blank line is a hyperedge without vertices)");
}

TEST(Hmetis, RefusesSizesAndCostsWhoseSumsCouldOverflow) {
  EXPECT_EQ(
      refusal("1 1 1\n2 1\n", {.data_bytes = std::uint64_t{1} << 50U}),
      "file 'x.hgr', line 2: the hyperedge's weight is '2'; write a whole number from 1 to 1");
  EXPECT_EQ(
      refusal("1 1 10\n1\n1e29\n", {.task_flops = 100.0}),
      "file 'x.hgr', line 3: the vertex's weight is '1e29'; write one number from 0 to 1e+28");
  EXPECT_EQ(refusal("1 1 1\n2 1\n", {.data_bytes = 0}),
            "file 'x.hgr': data D0 has 0 bytes; give at least 1");
}

TEST(Hmetis, BelievesAHeaderOnlyAsFarAsLinesFollow) {
  EXPECT_EQ(refusal("2147483648 2147483648\n1\n"),
            "file 'x.hgr', line 2: the file ends after 1 of 2147483648 hyperedges; write the rest");
  EXPECT_EQ(
      refusal("1 2147483648\n1\n"),
      "file 'x.hgr', line 1: 2147483648 vertices, but only 1 entries follow; write at most 1048576 more vertices than entries");
}

}  // namespace
}  // namespace damocles::hmetis_test
