#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "models/graph_files/graph_files.hpp"
#include "models/workload.hpp"
#include "tests/error_text.hpp"
#include "tests/models/graph_files/graph_parts.hpp"

namespace damocles::dot_graph_test {
namespace {

using Index = TaskGraph::Index;
using Indices = std::vector<Index>;
using Names = std::vector<std::string>;
using Sizes = std::vector<std::uint64_t>;
using Waits = std::vector<std::pair<Index, Index>>;

TaskGraph read(const std::string& text, const GraphDefaults& defaults = {}) {
  std::istringstream in(text);
  return read_dot(in, "g.dot", defaults);
}

TaskGraph read_as_json(const std::string& text) {
  std::istringstream in(text);
  return read_json(in, "g.json");
}

std::string written(const TaskGraph& graph) {
  std::ostringstream out;
  write_dot(graph, out);
  return out.str();
}

std::string refusal(const std::string& text) {
  return error_text([&] { static_cast<void>(read(text)); });
}

Names kinds(const TaskGraph& graph) {
  Names result;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    result.push_back(graph.kind_name(static_cast<Index>(t)));
  }
  return result;
}

/// What the reader tells the user.
Names notes(const std::string& text) {
  Assumed assumed;
  static_cast<void>(read(text, {.data_bytes = 8, .task_flops = 1.0, .assumed = &assumed}));
  return assumed.notes("g.dot");
}

Names tasks(const std::string& text) { return read(text).parts().task_names; }
Waits waits(const std::string& text) { return read(text).parts().dependencies; }

TEST(DotGraph, TakesNodesAsTasksAndEdgesAsWaits) {
  const auto graph = read("digraph { a -> b; c -> b; d }");

  EXPECT_EQ(graph.parts().task_names, (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(graph.parts().dependencies, (Waits{{1, 0}, {1, 2}}));
  EXPECT_EQ(graph.data(), 0U);
  EXPECT_FALSE(graph.writes());
  EXPECT_EQ(graph.flops(0), usual_task_flops);
}

TEST(DotGraph, SaysWhatTheSameGraphSaysInJson) {
  const auto dot = read(R"(digraph {
    potrf [kind=POTRF, flops="7e9", priority=3, output_bytes=12];
    trsm1 [kind=TRSM, flops=2, priority=2]
    trsm2 [kind=TRSM, flops=2.5]
    syrk [kind=SYRK, flops=".5"]
    potrf -> { trsm1 trsm2 } [bytes=800, data=A00];
    trsm1 -> syrk [bytes=300];
    trsm2 -> syrk;
  })");
  const auto json = read_as_json(R"({"damocles": 1,
    "data": [{"name": "A00", "bytes": 800}, {"name": "trsm1->syrk", "bytes": 300}],
    "tasks": [
      {"name": "potrf", "kind": "POTRF", "flops": 7e9, "priority": 3, "output_bytes": 12,
       "writes": ["A00"]},
      {"name": "trsm1", "kind": "TRSM", "flops": 2, "priority": 2, "reads": ["A00"],
       "writes": [1], "after": ["potrf"]},
      {"name": "trsm2", "kind": "TRSM", "flops": 2.5, "reads": ["A00"], "after": ["potrf"]},
      {"name": "syrk", "kind": "SYRK", "flops": 0.5, "reads": [1], "after": ["trsm1", "trsm2"]}]})");

  EXPECT_TRUE(equal_parts(dot, json));
}

TEST(DotGraph, GivesEachEdgeWithBytesADataUnlessItsTailNamesOne) {
  const auto graph = read(R"(digraph { b -> c [size=5, data=A]; a -> b [size=7]; a -> b [size=9];
                             a -> c [bytes=11, data=A]; a -> d [data=A] })");

  // A as b wrote it, two of a -> b, A as a wrote it.
  EXPECT_EQ(graph.parts().bytes, (Sizes{5, 7, 9, 11}));
  EXPECT_EQ(graph.parts().data_names, (Names{"A", "a->b", "a->b", "A"}));
  const auto inputs = [&](Index task) {
    return Indices{graph.inputs(task).begin(), graph.inputs(task).end()};
  };
  EXPECT_EQ(inputs(0), (Indices{1, 2, 0}));  // b reads two, writes its A
  EXPECT_EQ(inputs(1), (Indices{0, 3}));     // c reads both
  EXPECT_EQ(inputs(2), (Indices{1, 2, 3}));  // a writes three
  EXPECT_EQ(inputs(3), (Indices{3}));
  EXPECT_TRUE(graph.needed(2).empty());
  EXPECT_EQ(graph.parts().lifetimes, std::vector<Lifetime>(4, Lifetime::temporary));
  EXPECT_EQ(graph.parts().dependencies, (Waits{{0, 2}, {1, 0}, {1, 2}, {3, 2}}));
}

TEST(DotGraph, TakesASizeThatALaterEdgeOfTheDataSays) {
  EXPECT_EQ(read("digraph { a -> b [data=A]; a -> c [data=A, size=5] }").parts().bytes, Sizes{5});
  EXPECT_EQ(read("digraph { a -> b [data=A] }").parts().bytes, Sizes{usual_data_bytes});
}

/// daggen writes 1e-12 at the edges of root and end, SimGrid's examples -1.
TEST(DotGraph, RoundsBytesAndOnlyOrdersWhereNothingPasses) {
  const auto graph = read(R"(digraph { a -> b [size="1.000000e-12"]; a -> c [size="-1."];
                             a -> d [size=2.5]; a -> e [size=0, data=X]; a -> f [size=""] })");

  EXPECT_EQ(graph.parts().bytes, Sizes{3});
  EXPECT_EQ(graph.parts().dependencies.size(), 5U);
}

TEST(DotGraph, TakesTheUsersSizesWhereTheFileSaysNone) {
  const auto graph = read("digraph { a -> b; a -> c [size=0]; a -> d [size=4]; d [size=8] }",
                          {.data_bytes = 6, .task_flops = 5.0});

  EXPECT_EQ(graph.parts().bytes, (Sizes{6, 4}));
  EXPECT_EQ(graph.parts().flops, (std::vector<double>{5, 5, 5, 8}));
}

/// SimGrid's root and end.
TEST(DotGraph, ComputesNothingInTasksWithoutACostBesideOthers) {
  EXPECT_EQ(read("digraph { root -> c1; c1 [size=\"1e9\"] }").parts().flops,
            (std::vector<double>{0, 1e9}));
}

TEST(DotGraph, TakesKindsOfKindOrTooltipOrLabel) {
  EXPECT_EQ(kinds(read("digraph { a [label=trsm]; b [label=\"trsm\"]; c }")),
            (Names{"trsm", "trsm", ""}));
  EXPECT_EQ(kinds(read("digraph { a [label=x, kind=GEMM]; b [label=\"<0/1> f(0)\", "
                       "tooltip=\"hid=1:did=3:tname=f:tid=0\"]; c [tooltip=\"t\", label=y] }")),
            (Names{"GEMM", "f", "y"}));
  EXPECT_EQ(kinds(read(R"(digraph { a [label="two\nlines\\n"]; b [label="\N"] })")),
            (Names{"two lines\\n", ""}));
  EXPECT_TRUE(read("digraph { a; b [label=\"\\N\"] }").parts().kind_names.empty());
}

TEST(DotGraph, TakesMoreLabelsThanThereMayBeKindsAsNone) {
  std::string text = "digraph {";
  for (int t = 0; t < 65537; ++t) text += fmt::format("t{0} [label=l{0}]\n", t);

  EXPECT_TRUE(read(text + "}").parts().kind_names.empty());
  EXPECT_EQ(read(text + "t65536 [label=l0] }").parts().kind_names.size(), 65536U);
}

TEST(DotGraph, ReadsNamesInEveryForm) {
  EXPECT_EQ(
      tasks(
          "digraph { _a1 -> -.5 -> 7. \"7\" \"a \\\"b\\\"\" é \"x\\\ny\" \"p\"+\"q\" 1e-9 \"\\\\\" }"),
      (Names{"_a1", "-.5", "7.", "7", "a \"b\"", "é", "xy", "pq", "1e-9", "\\"}));
  EXPECT_EQ(tasks("digraph { \"a\xff\" }"), Names{"a\xef\xbf\xbd"});
  EXPECT_EQ(tasks("\xef\xbb\xbfSTRICT DiGraph \"name\" { \"node\" -> \"graph\" }"),
            (Names{"node", "graph"}));
}

TEST(DotGraph, SkipsCommentsPortsAndWhatIsForDrawing) {
  EXPECT_EQ(
      waits(
          "// g -> h\n/* g -> h\n*/ digraph G {\n# g -> h\n  # too\nsize=\"7,5\"; a:f0:n -> "
          "b:w [weight=\"7\", label=\"A=>B\"] [color=\"#00FF00\"; style=dashed] graph [rankdir=LR]; ; b }"),
      (Waits{{1, 0}}));
}

TEST(DotGraph, DrawsChainsAndBraces) {
  EXPECT_EQ(waits("digraph { a -> b -> c }"), (Waits{{1, 0}, {2, 1}}));
  EXPECT_EQ(waits("digraph { a -> { b c b } -> d }"), (Waits{{1, 0}, {2, 0}, {3, 1}, {3, 2}}));
  // c waits for what the braces name, edges in them and deeper braces included.
  EXPECT_EQ(waits("digraph { { a -> b; { d } } -> c }"), (Waits{{1, 0}, {3, 0}, {3, 1}, {3, 2}}));
  EXPECT_EQ(waits("digraph { subgraph cluster_1 { label=x; a -> b } subgraph { c } b -> c }"),
            (Waits{{1, 0}, {2, 1}}));
}

TEST(DotGraph, GivesNewItemsTheDefaultsOfTheirBraces) {
  const auto graph = read(R"(digraph { z; node [flops=5] edge [bytes=4]; a -> b;
                             { node [flops=6]; a; c; edge [bytes=0]; b -> c } d [flops=7];
                             c -> d [bytes=9]; b -> d })");

  EXPECT_EQ(graph.parts().task_names, (Names{"z", "a", "b", "c", "d"}));
  EXPECT_EQ(graph.parts().flops, (std::vector<double>{0, 5, 5, 6, 7}));
  EXPECT_EQ(graph.parts().bytes, (Sizes{4, 9, 4}));
}

TEST(DotGraph, DrawsAnEdgeOfAStrictGraphOnce) {
  const auto graph = read("strict digraph { a -> b [size=3]; a -> b [data=X]; a -> b; b -> c }");

  EXPECT_EQ(graph.parts().bytes, Sizes{3});
  EXPECT_EQ(graph.parts().data_names, Names{"X"});
  EXPECT_EQ(read("digraph { a -> b [size=3]; a -> b [size=4] }").data(), 2U);
}

TEST(DotGraph, TakesATagOfStarPUAsItsTask) {
  const auto graph = read(R"(digraph { "tag_0_a"->"task_0_1"->"tag_0_a" [style=dashed]
                             "tag_0_a"->"tag_0_b" "tag_0_b"->"task_0_2"->"tag_0_b"
                             "task_0_2" -> "task_0_3" })");

  EXPECT_EQ(graph.parts().task_names, (Names{"task_0_1", "task_0_2", "task_0_3"}));
  EXPECT_EQ(graph.parts().dependencies, (Waits{{1, 0}, {2, 1}}));
}

TEST(DotGraph, WritesWhatItReads) {
  const std::string text = R"(digraph {
  "a\"\\" [kind="POTRF", flops="7000000000", priority="2", output_bytes=0];
  "b" [kind="TRSM", flops="0.1", priority="-1", output_bytes=12];
  "c" [flops="0", priority="0", output_bytes=0];
  "a\"\\" -> "b" [bytes=800, data="A00"];
  "a\"\\" -> "c" [bytes=800, data="A00"];
  "b" -> "c";
}
)";
  EXPECT_EQ(written(read(text)), text);
}

/// What a version of a data item is, is who wrote it last: b's A is another data item than a's.
TEST(DotGraph, WritesAnEdgeForWhatATaskReadsAsAnotherOneLeftIt) {
  const auto graph = read_as_json(R"({"damocles": 1, "data": [{"name": "A", "bytes": 8}],
    "tasks": [{"name": "a", "flops": 1, "writes": [0]}, {"name": "b", "flops": 1, "reads": [0]},
              {"name": "c", "flops": 1, "reads": [0], "writes": [0]},
              {"name": "d", "flops": 1, "reads": [0]}]})");

  EXPECT_EQ(written(graph), R"(digraph {
  "a" [flops="1"];
  "b" [flops="1"];
  "c" [flops="1"];
  "d" [flops="1"];
  "a" -> "b" [bytes=8, data="A"];
  "a" -> "c" [bytes=8, data="A"];
  "c" -> "d" [bytes=8, data="A"];
  "b" -> "c";
}
)");
}

TEST(DotGraph, WritesOtherNamesWhereTwoShareOne) {
  EXPECT_EQ(written(read_as_json(R"({"damocles": 1, "data": [{"name": "A", "bytes": 8},
    {"name": "A", "bytes": 9}], "tasks": [{"name": "x", "flops": 1, "writes": [0, 1]},
    {"name": "x", "flops": 1, "reads": [0, 1]}]})")),
            R"(digraph {
  "T0" [flops="1"];
  "T1" [flops="1"];
  "T0" -> "T1" [bytes=8, data="A"];
  "T0" -> "T1" [bytes=9, data="D1"];
}
)");
}

TEST(DotGraph, ReadsWhatItWroteOfWorkloadsWithTheSameOrder) {
  for (const auto* text : {"cholesky:n=4,deps=true", "stencil:n=3,steps=2", "layered:n=3"}) {
    const Workload workload = Workload::parse(text);
    const auto again = read(written(workload.graph()));

    EXPECT_EQ(again.parts().flops, workload.graph().parts().flops) << text;
    EXPECT_EQ(kinds(again), kinds(workload.graph())) << text;
    for (std::size_t t = 0; t < again.tasks(); ++t) {
      const auto task = static_cast<Index>(t);
      const auto after = again.dependencies().after(task);
      const auto expected = workload.graph().dependencies().after(task);
      EXPECT_EQ(Indices(after.begin(), after.end()), Indices(expected.begin(), expected.end()));
    }
    EXPECT_EQ(written(read(written(again))), written(again)) << text;
  }
}

TEST(DotGraph, RefusesWhatIsNoDirectedGraph) {
  const std::string at = "file 'g.dot', line 1: ";
  EXPECT_EQ(refusal(""), at + "the file ends here; write digraph { a -> b; }");
  EXPECT_EQ(refusal("a -> b"), at + "'a' is wrong here; write digraph { a -> b; }");
  EXPECT_EQ(
      refusal("strict graph { a -- b }"),
      at +
          "an undirected graph does not say which task waits; write digraph, and a -> b where b waits for a");
  EXPECT_EQ(
      refusal("digraph {\na -- b }"),
      "file 'g.dot', line 2: '--' does not say which task waits; write a -> b where b waits for a");
  EXPECT_EQ(refusal("digraph g a"), at + "'a' is wrong here; write digraph { a -> b; }");
  EXPECT_EQ(refusal("digraph { a } digraph { b }"),
            at + "'digraph' is wrong here; the graph has ended; write one a file");
  EXPECT_EQ(refusal("digraph { }"), "file 'g.dot': a task graph without tasks; give at least one");
}

TEST(DotGraph, RefusesWhatDoesNotEnd) {
  const std::string at = "file 'g.dot', line 3: ";
  EXPECT_EQ(refusal("\n\ndigraph { a\n\n"),
            "file 'g.dot', line 5: the file ends inside the graph of line 3; close it with }");
  EXPECT_EQ(refusal("digraph {\n{ a\n"),
            at + "the file ends inside the braces of line 2; close them with }");
  EXPECT_EQ(refusal("digraph {\n\n\"a -> b }\n"), at + "a string without end; close it with \"");
  EXPECT_EQ(refusal("digraph {\n\n/* a }\n*"), at + "a comment without end; close it with */");
  EXPECT_EQ(refusal("digraph {\n\na [x=1"),
            at + "the file ends here; write name=value, or ] after the last one");
}

TEST(DotGraph, RefusesAMalformedStatementNamingItsLine) {
  const auto inside = [](const std::string& text) { return refusal("digraph {\n" + text + " }"); };
  const std::string at = "file 'g.dot', line 2: ";
  EXPECT_EQ(inside("-> a"), at + "'->' is wrong here; write a task, a -> b or }");
  EXPECT_EQ(inside("a ->"), at + "'}' is wrong here; write a task or { ... } after ->");
  EXPECT_EQ(inside("a [label=<b]"), at + "HTML without end; close its '<' with >");
  EXPECT_EQ(
      inside("a.b -> c"),
      at +
          "'.' has no meaning here; write names of other characters than letters, digits and _ in double quotes");
  EXPECT_EQ(inside("a [bold]"), at + "']' is wrong here; write bold=value");
  EXPECT_EQ(inside("a [=3]"), at + "'=' is wrong here; write name=value, or ] after the last one");
  EXPECT_EQ(inside("a [x=]"), at + "']' is wrong here; write a name or a number");
  EXPECT_EQ(inside("node"), at + "'}' is wrong here; write [name=value] after node, edge or graph");
  EXPECT_EQ(inside("subgraph x"), at + "'}' is wrong here; write subgraph { ... }");
  EXPECT_EQ(inside("\"a\" + b"), at + "'b' is wrong here; write \"a\" + \"b\"");
}

TEST(DotGraph, RefusesAWrongValueNamingItsLine) {
  const auto of_node = [](const std::string& text) {
    return refusal("digraph { a [x=1\n" + text + "] }");
  };
  const std::string at = "file 'g.dot', line 2: ";
  EXPECT_EQ(of_node("flops=-1"), at + "flops is '-1'; write a number from 0 to 1e+30");
  EXPECT_EQ(of_node("size=\"7 GF\""), at + "size is '7 GF'; write a number from 0 to 1e+30");
  EXPECT_EQ(of_node("priority=high"), at + "priority is 'high'; write a number");
  EXPECT_EQ(of_node("output_bytes=1e16"),
            at + "output_bytes is '1e16'; write a number from 0 to 1125899906842624");
  EXPECT_EQ(refusal("digraph { a -> b [bytes=nan] }"),
            "file 'g.dot', line 1: bytes is 'nan'; write a number up to 1125899906842624");
  EXPECT_EQ(
      refusal("digraph { a -> b [data=A, bytes=3]\n\n a -> c [data=A, bytes=4] }"),
      "file 'g.dot', line 3: data 'A' of task 'a' has 4 bytes, but 3 on line 1; write one size");
}

TEST(DotGraph, RefusesWhatTakesTooMuchMemory) {
  const std::string at = "file 'g.dot', line 1: ";
  const std::string name(256, 'a');
  EXPECT_EQ(tasks("digraph {" + name.substr(1) + "}"), Names{name.substr(1)});
  EXPECT_EQ(refusal("digraph {" + name + "}"),
            at + "a task's name of 256 characters; write at most 255");
  EXPECT_EQ(refusal("digraph { a -> b [data=" + name + "] }"),
            at + "a data item's name of 256 characters; write at most 255");

  const auto braces = [](std::size_t deep) {
    return "digraph " + std::string(deep, '{') + "a" + std::string(deep, '}');
  };
  EXPECT_EQ(tasks(braces(100)), Names{"a"});
  EXPECT_EQ(refusal(braces(101)), at + "braces are more than 100 deep; write fewer");
  EXPECT_EQ(refusal(braces(1'000'000)), at + "braces are more than 100 deep; write fewer");

  std::string layers = "digraph { {";
  for (int t = 0; t < 512; ++t) layers += fmt::format("a{} ", t);
  layers += "} -> {";
  for (int t = 0; t < 512; ++t) layers += fmt::format("b{} ", t);
  EXPECT_EQ(waits(layers + "} }").size(), 512U * 512);
  EXPECT_EQ(refusal(layers + " c d } }"), at + "braces draw more than 262144 edges; write fewer");
}

TEST(DotGraph, RefusesTasksThatWaitInACircle) {
  EXPECT_EQ(
      refusal("digraph { a -> b -> c -> b [size=3] }"),
      "file 'g.dot': the task graph has a cycle: 'b' after 'c' after 'b'; remove one dependency");
  EXPECT_EQ(refusal("digraph { \"a\nb\" -> \"a\nb\" }"),
            "file 'g.dot': the task graph has a cycle: 'a?b' after 'a?b'; remove one dependency");
  EXPECT_EQ(refusal("digraph { a -> a }"),
            "file 'g.dot': the task graph has a cycle: 'a' after 'a'; remove one dependency");
}

TEST(DotGraph, TakesTheTextOfHtmlLabelsAsKinds) {
  const auto graph = read(
      "digraph { label = <<b>entry<br/>x</b>>; a [label=<<b>add</b><br/>f32[8,8]>];\n"
      "b [label=<<!-- < --><TABLE><TR><TD>x &lt;</TD><TD>y\n z</TD></TR></TABLE>>, size=3];\n"
      "c [label=<>]; <<i>d</i>> }");

  EXPECT_EQ(kinds(graph), (Names{"add f32[8,8]", "x < y z", "", ""}));
  EXPECT_EQ(graph.parts().task_names.back(), "<<i>d</i>>");
  EXPECT_EQ(graph.flops(1), 3);
}

TEST(DotGraph, TakesPaRSECsClassesAsKindsInOldAndNewTooltips) {
  EXPECT_EQ(kinds(read("digraph { a [label=x, tooltip=\"tpid=2:tcid=1:tcname=potrf:tid=0\"];\n"
                       "b [tooltip=\"hid=1:did=3:tname=trsm:tid=0\"]; c [tooltip=\"xtname=f\"] }")),
            (Names{"potrf", "trsm", ""}));
}

TEST(DotGraph, TakesPaRSECsCirclesAsData) {
  const std::string text =
      "digraph G {\n dc0x55d0_1 [label=\"A(0, 0)\",shape=\"circle\"]\n"
      "p [shape=polygon,tooltip=\"tcname=potrf\"]; t [shape=polygon,tooltip=\"tcname=trsm\"];\n"
      "dc0x55d0_1 -> p [label=\"T\"]\n p -> dc0x55d0_1 [label=\"T\"]\n p -> t [label=\"T=>T\"]\n"
      "dc0x55d0_2 [label=\"A(1, 0)\",shape=\"circle\"]\n dc0x55d0_2 -> t [label=\"C\"]\n"
      "desc_7 [label=\"A(2, 0)\",shape=\"circle\"]; desc_7 -> t }";
  const auto graph = read(text, {.data_bytes = 0x100});

  EXPECT_EQ(graph.parts().task_names, (Names{"p", "t"}));
  EXPECT_EQ(graph.parts().data_names, (Names{"A(0, 0)", "A(1, 0)", "A(2, 0)", "p->t"}));
  EXPECT_EQ(graph.bytes(0), 0x100U);
  EXPECT_EQ(graph.accesses(0)[0], Access::read_write);
  EXPECT_EQ(graph.inputs(1).size(), 3U);
  EXPECT_EQ(graph.dependencies().waits_for(1), 1U);
  EXPECT_EQ(read(text).parts().bytes, Sizes(3, usual_data_bytes));
  // Other graphs draw tasks as circles.
  EXPECT_EQ(tasks("digraph { other [shape=circle]; other -> t }"), (Names{"other", "t"}));
  EXPECT_EQ(
      refusal("digraph {\n dc0x1_1 [shape=circle]; dc0x1_2 [shape=circle]; t;\n"
              "dc0x1_1 -> dc0x1_2 }"),
      "file 'g.dot', line 3: an edge between two of PaRSEC's data, which are circles; write one of a task");
}

TEST(DotGraph, TakesANamedSubgraphAsOneHoweverOftenItIsOpened) {
  const std::string first = "digraph { subgraph s { a b } ";
  EXPECT_EQ(waits(first + "subgraph s { c } -> d }"), (Waits{{3, 0}, {3, 1}, {3, 2}}));
  EXPECT_EQ(waits(first + "d -> subgraph s {} }"), (Waits{{0, 2}, {1, 2}}));
  EXPECT_EQ(waits(first + "subgraph { c } -> d }"), (Waits{{3, 2}}));  // no name: another one
  // Inside other braces the name is that of another subgraph.
  EXPECT_EQ(waits(first + "{ subgraph s { c } -> d } }"), (Waits{{3, 2}}));
  EXPECT_EQ(waits("digraph { subgraph s { subgraph t { a } } subgraph s { b } -> c }"),
            (Waits{{2, 0}, {2, 1}}));
}

TEST(DotGraph, OrdersWholeClustersByLtailAndLhead) {
  const std::string clusters =
      "subgraph cluster_x { a -> b; a -> c } subgraph cluster_y { d -> e } z;"
      "a -> e [ltail=cluster_x, lhead=cluster_y, bytes=8]";
  // The last of x, b and c, come before the first of y, d; the edge as drawn passes the data.
  const auto graph = read("digraph { compound=true; " + clusters + " }");
  EXPECT_EQ(graph.parts().dependencies, (Waits{{1, 0}, {2, 0}, {3, 1}, {3, 2}, {4, 0}, {4, 3}}));
  EXPECT_EQ(graph.data(), 1U);
  // Graphviz wants compound=true to draw it so; what it means does not depend on that.
  EXPECT_EQ(waits("digraph { " + clusters + " }"), graph.parts().dependencies);
  const std::string whole = "digraph { subgraph cluster_x { a -> b; a -> c }";
  // The edge's end may be the task that the cluster stands for.
  EXPECT_EQ(waits(whole + "z -> e [ltail=cluster_x] }"),
            (Waits{{1, 0}, {2, 0}, {4, 1}, {4, 2}, {4, 3}}));
  // A cluster that holds both ends, or is not there.
  for (const std::string edge :
       {"a -> b [ltail=cluster_x]", "a -> z [ltail=cluster_0]", "a -> z [ltail=x]"}) {
    EXPECT_LE(waits(whole + edge + "}").size(), 3U) << edge;
    EXPECT_EQ(notes(whole + edge + "}"),
              Names{"file 'g.dot': attributes that are not read: ltail of edges"});
  }
}

/// Taskflow's dump: B spawned B1 and B2, which run after A and before D.
TEST(DotGraph, LetsSpawnedTasksOfTaskflowWaitForWhatTheirParentWaitsFor) {
  const std::string text =
      " { subgraph cluster_p0 { label=\"Taskflow: T\"; pa [label=A]; pa -> pb; pb [label=B]; pb -> pd;"
      "subgraph cluster_pb { label=\"Subflow: B\"; p1 -> p2; p2 -> pb } } }";
  const Waits drawn{{1, 0}, {1, 4}, {2, 1}, {4, 3}};  // a, b, d, 1, 2
  EXPECT_EQ(waits("digraph G" + text), drawn);
  EXPECT_EQ(waits("digraph Taskflow" + text), (Waits{{1, 0}, {1, 4}, {2, 1}, {3, 0}, {4, 3}}));
}

TEST(DotGraph, ReadsNamesOfAttributesInAnyCase) {
  const auto graph =
      read("digraph { node [WEIGHT=3]; a; b; a -> b [Weight=4]; b [Kind=X, Priority=2] }");

  EXPECT_EQ(graph.parts().flops, (std::vector<double>{3, 3}));
  EXPECT_EQ(graph.parts().bytes, Sizes{4});
  EXPECT_EQ(kinds(graph), (Names{"", "X"}));
  EXPECT_EQ(graph.priority(1), 2);
  EXPECT_EQ(refusal("digraph { a [Weight=x] }"),
            "file 'g.dot', line 1: Weight is 'x'; write a number from 0 to 1e+30");
}

TEST(DotGraph, NamesEachAttributeThatIsNotReadOnce) {
  EXPECT_EQ(notes("digraph { rankdir=LR; node [shape=box, Duration=4]; a [Duration=5, color=\"\"];"
                  "b [cores=2]; a -> b [weight=3, latency=1] }"),
            Names{"file 'g.dot': attributes that are not read: Duration, cores of tasks; "
                  "latency, weight of edges; rankdir of the graph"});
  EXPECT_EQ(notes("digraph { compound=true; a [weight=2, label=A]; a -> b [weight=3, data=D] }"),
            Names{});
  std::string many = "digraph { a [x10=1";
  for (int i = 11; i < 24; ++i) many += fmt::format(", x{}=1", i);
  EXPECT_TRUE(notes(many + "] }")[0].ends_with("x20, x21 and 2 more of tasks"));
}

TEST(DotGraph, SkipsWhatFollowsANumberSign) {
  EXPECT_EQ(waits("digraph { a -> b; # c -> d\n a -> e # [x=1]\n#\n}"), (Waits{{1, 0}, {2, 0}}));
  // A colour without quotes is no comment: the bracket behind it would be one too.
  EXPECT_NE(refusal("digraph { a [color=#ff0000] }"), "no error");
}

TEST(DotGraph, TakesWeightsAsCostsWhereNodesHaveThem) {
  const auto graph =
      read("digraph { a [weight=5]; b [cost=\"2.5\"]; c; a -> b [weight=3]; b -> c [cost=4]; }");
  EXPECT_EQ(graph.parts().flops, (std::vector<double>{5, 2.5, 0}));
  EXPECT_EQ(graph.parts().bytes, (Sizes{3, 4}));
  EXPECT_EQ(read("digraph { a [flops=7, weight=5] }").flops(0), 7);
  // Graphviz's own weight, how straight an edge is drawn.
  EXPECT_EQ(read("digraph { a -> b [weight=100]; b -> c [weight=x] }").data(), 0U);
  EXPECT_EQ(refusal("digraph { a [weight=x] }"),
            "file 'g.dot', line 1: weight is 'x'; write a number from 0 to 1e+30");
}

}  // namespace
}  // namespace damocles::dot_graph_test
