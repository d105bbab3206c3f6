#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "models/graph_files/graph_files.hpp"
#include "models/rng.hpp"
#include "models/workload.hpp"
#include "tests/error_text.hpp"
#include "tests/models/graph_files/graph_parts.hpp"

namespace damocles::json_graph_test {
namespace {

using Index = TaskGraph::Index;
using Indices = std::vector<Index>;
using Waits = std::vector<std::pair<Index, Index>>;

TaskGraph read(const std::string& text, const GraphDefaults& defaults = {}) {
  std::istringstream in(text);
  return read_json(in, "x.json", defaults);
}

std::string refusal(const std::string& text) {
  return error_text([&] { static_cast<void>(read(text)); });
}

std::string written(const TaskGraph& graph) {
  std::ostringstream out;
  write_json(graph, out);
  return out.str();
}

Indices inputs(const TaskGraph& graph, Index task) {
  return {graph.inputs(task).begin(), graph.inputs(task).end()};
}

/// A file of one data item A and the given tasks; the tasks begin on line 3.
std::string with_tasks(const std::string& tasks) {
  return "{\"damocles\": 1,\n\"data\": [{\"name\": \"A\"}], \"tasks\": [\n" + tasks + "]}";
}

TEST(JsonGraph, ReadsAllThatAFileSays) {
  const auto graph = read(R"({
    "tasks": [{"name": "S", "reads": ["B", 0], "flops": 2.5},
              {"name": "T", "after": ["S", 0], "priority": -3, "output_bytes": 7}],
    "data": [{"name": "A", "bytes": 10}, {"name": "B", "bytes": 20}],
    "damocles": 1})");

  EXPECT_EQ(graph.parts().bytes, (std::vector<std::uint64_t>{10, 20}));
  EXPECT_EQ(graph.mean_bytes(), 15);
  EXPECT_EQ(inputs(graph, 0), (Indices{1, 0}));  // in the order given, by name and by index
  EXPECT_EQ(inputs(graph, 1), Indices{});
  EXPECT_EQ(graph.flops(0), 2.5);
  EXPECT_EQ(graph.flops(1), usual_task_flops);
  EXPECT_EQ(graph.output_bytes(0), 0U);
  EXPECT_EQ(graph.output_bytes(1), 7U);
  EXPECT_EQ(graph.priority(0), 0);
  EXPECT_EQ(graph.priority(1), -3);
  EXPECT_EQ(graph.parts().dependencies, (Waits{{1, 0}}));  // named twice, waited for once
  EXPECT_EQ(graph.task_name(1), "T");
}

TEST(JsonGraph, TakesTheDefaultsForWhatIsNotSaid) {
  const auto graph = read(R"({"damocles":1,"data":[{},{"name":"B"},{}],"tasks":[{"reads":[2]},
                              {"name":"T","reads":["D0","B"],"after":["T0"]},{}]})",
                          {.data_bytes = 5, .task_flops = 3.0});

  EXPECT_EQ(graph.uniform_bytes(), 5U);
  EXPECT_EQ(graph.total_flops(), 9);
  EXPECT_EQ(graph.parts().data_names, (std::vector<std::string>{"D0", "B", "D2"}));
  EXPECT_EQ(graph.parts().task_names, (std::vector<std::string>{"T0", "T", "T2"}));
  EXPECT_EQ(inputs(graph, 1), (Indices{0, 1}));
  EXPECT_EQ(graph.parts().dependencies, (Waits{{1, 0}}));
  EXPECT_TRUE(graph.parts().output_bytes.empty());
  EXPECT_TRUE(graph.parts().priorities.empty());
}

TEST(JsonGraph, FindsUsualNamesWhereNothingHasAName) {
  const auto graph =
      read(R"({"damocles":1,"data":[{},{}],"tasks":[{"reads":["D1"]},{"after":["T0"]}]})");

  EXPECT_EQ(inputs(graph, 0), Indices{1});
  EXPECT_EQ(graph.parts().dependencies, (Waits{{1, 0}}));
  EXPECT_TRUE(graph.parts().task_names.empty());
}

TEST(JsonGraph, WritesWhatItReads) {
  const std::string text =
      "{\"damocles\": 1,\n"
      " \"data\": [\n"
      "  {\"name\": \"A\\n\\\"\\u0001\", \"bytes\": 10},\n"
      "  {\"name\": \"é\", \"bytes\": 1125899906842624}],\n"
      " \"tasks\": [\n"
      "  {\"name\": \"S\", \"reads\": [1, 0], \"flops\": 0.1, \"output_bytes\": 0, \"priority\": 1e-300},\n"
      "  {\"name\": \"T\", \"reads\": [], \"flops\": 1e+30, \"output_bytes\": 9, \"priority\": -2, \"after\": [0]}]}\n";

  EXPECT_EQ(written(read(text)), text);
}

TaskGraph random_graph(Rng& rng) {
  TaskGraph::Parts parts;
  const auto data = rng.below(6);
  const auto tasks = 1 + rng.below(6);
  for (std::uint64_t d = 0; d < data; ++d) parts.bytes.push_back(1 + rng.below(1U << 20U));
  for (std::uint64_t t = 0; t < tasks; ++t) {
    Indices reads;
    for (auto count = data == 0 ? 0 : rng.below(4); count > 0; --count) {
      reads.push_back(static_cast<Index>(rng.below(data)));
    }
    parts.add_task(reads, rng.uniform() * 1e12);
    for (std::uint64_t before = 0; before < t; ++before) {
      if (rng.below(3) == 0) {
        parts.dependencies.emplace_back(static_cast<Index>(t), static_cast<Index>(before));
      }
    }
  }
  if (rng.below(2) == 0) {
    for (std::uint64_t t = 0; t < tasks; ++t) parts.priorities.push_back(rng.uniform() - 0.5);
  }
  if (rng.below(2) == 0) parts.output_bytes.assign(tasks, rng.below(100));
  if (rng.below(2) == 0) parts.task_names.assign(tasks, "same");
  if (rng.below(2) == 0) parts.data_names.assign(data, "\\");
  return TaskGraph(parts);
}

/// A random order leaves who waits for whom in the order of the old numbers.
TEST(JsonGraph, WritesWaitsInWhateverOrderTheyAre) {
  TaskGraph::Parts parts;
  for (int t = 0; t < 3; ++t) parts.add_task({}, 1);
  parts.dependencies = {{2, 1}, {1, 0}, {2, 0}};

  EXPECT_EQ(read(written(TaskGraph(parts))).parts().dependencies, (Waits{{1, 0}, {2, 0}, {2, 1}}));
}

TEST(JsonGraph, RoundTripKeepsEverything) {
  Rng rng(1, Draw::test, 0);
  for (int round = 0; round < 200; ++round) {
    const TaskGraph graph = random_graph(rng);

    ASSERT_TRUE(equal_parts(graph, read(written(graph)))) << written(graph);
  }
}

TEST(JsonGraph, ReadsWhatTasksWriteAndTheirKinds) {
  const auto graph = read(R"({"damocles": 1, "data": [{"name": "A"}, {"name": "B"}],
    "tasks": [{"kind": "INIT", "writes": ["B"]},
              {"kind": "MUL", "reads": ["A", "B"], "writes": ["A"]},
              {"kind": "MUL", "writes": [0], "reads": [1]}]})");

  const auto accesses = [&](Index task) {
    return std::vector<Access>(graph.accesses(task).begin(), graph.accesses(task).end());
  };
  EXPECT_EQ(accesses(0), std::vector{Access::write});
  EXPECT_EQ(inputs(graph, 1), (Indices{0, 1}));
  EXPECT_EQ(accesses(1), (std::vector{Access::read_write, Access::read}));
  EXPECT_EQ(inputs(graph, 2), (Indices{1, 0}));  // what is only written comes last
  EXPECT_EQ(accesses(2), (std::vector{Access::read, Access::write}));
  EXPECT_EQ(graph.kind_name(0), "INIT");
  EXPECT_EQ(graph.kind_name(2), "MUL");
  EXPECT_EQ(graph.dependencies().size(), 3U);  // 1 and 2 read what 0 writes, 2 writes what 1 does
}

TEST(JsonGraph, RoundTripKeepsWhatTasksWrite) {
  for (const auto* text : {"cholesky:n=4,deps=true", "cholesky:n=4,deps=true,updates=commute",
                           "cholesky:n=4,deps=true,updates=reduce", "stencil:n=3,steps=2",
                           "layered:n=3", "gemm3d:n=3,c=made"}) {
    const Workload workload = Workload::parse(text);
    EXPECT_TRUE(equal_parts(read(written(workload.graph())), workload.graph())) << text;
  }
}

TEST(JsonGraph, ReadsOnWhatTasksCommuteAndIntoWhatTheyReduce) {
  const auto graph = read(with_tasks(R"({"commutes": ["A"]}, {"commutes": [0], "reads": ["A"]},
                                        {"reduces": ["A"]}, {"reduces": ["A"], "reads": ["A"]})"));
  EXPECT_EQ(graph.accesses(0)[0], Access::commute);
  EXPECT_EQ(graph.accesses(1)[0], Access::read_write);  // it reads what it finds
  EXPECT_EQ(graph.accesses(2)[0], Access::reduce);
  EXPECT_EQ(graph.accesses(3)[0], Access::read_write);
  EXPECT_EQ(refusal(with_tasks(R"({"commutes": "A"})")),
            "file 'x.json', line 3: commutes is 'A'; write a list of names or indices, [...]");
}

/// A file of the data items A, temporary, and B.
std::string with_temporary(const std::string& tasks) {
  return R"({"damocles": 1, "data": [{"name": "A", "temporary": true}, {"name": "B"}], "tasks": [)" +
         tasks + "]}";
}

TEST(JsonGraph, ReadsAndWritesWhichDataAreTemporary) {
  const auto graph =
      read(with_temporary(R"({"writes": ["A"]}, {"reads": ["A"], "writes": ["B"]})"));
  EXPECT_TRUE(graph.temporary(0));
  EXPECT_FALSE(graph.temporary(1));
  EXPECT_EQ(read(written(graph)).parts().lifetimes, graph.parts().lifetimes);
  EXPECT_FALSE(read(R"({"damocles": 1, "data": [{"temporary": false}], "tasks": [{}]})")
                   .any(Lifetime::temporary));
}

TEST(JsonGraph, TakesWhatOneTaskMakesAndOthersReadAsTemporaryUnlessTheFileSaysOtherwise) {
  const std::string tasks =
      R"("tasks": [{"writes": [0, 1, 2]}, {"reads": [0, 1, 3]}, {"reads": [1], "writes": [3]}, )"
      R"({"writes": [1]}]})";
  const auto by_use = read(R"({"damocles": 1, "data": [{}, {}, {}, {}], )" + tasks);
  using Lifetimes = std::vector<Lifetime>;
  EXPECT_EQ(by_use.parts().lifetimes,
            (Lifetimes{Lifetime::temporary, Lifetime::kept, Lifetime::kept, Lifetime::kept}));
  EXPECT_EQ(written(by_use).find("temporary"), std::string::npos);
  const auto said = read(
      R"({"damocles": 1, "data": [{"temporary": false}, {"temporary": true}, {}, {}], )" + tasks);
  EXPECT_EQ(said.parts().lifetimes,
            (Lifetimes{Lifetime::kept, Lifetime::temporary, Lifetime::kept, Lifetime::kept}));
  EXPECT_EQ(read(written(said)).parts().lifetimes, said.parts().lifetimes);
}

TEST(JsonGraph, TakesNoDataAsTemporaryThatAreReadBeforeTheyAreMade) {
  EXPECT_FALSE(read(R"({"damocles": 1, "data": [{}], "tasks": [{"reads": [0], "after": [1]}, )"
                    R"({"writes": [0]}]})")
                   .parts()
                   .lifetimes.empty());
  EXPECT_TRUE(read(R"({"damocles": 1, "data": [{}], "tasks": [{"reads": [0]}, {"writes": [0]}]})")
                  .parts()
                  .lifetimes.empty());
}

TEST(JsonGraph, RefusesTemporaryDataThatAreReadBeforeTheyAreWritten) {
  const std::string why =
      "which no task has written before; let a task write it first, or take 'temporary' away";
  for (const auto* how : {"reads", "commutes", "reduces"}) {
    EXPECT_EQ(refusal(with_temporary("{\"" + std::string(how) + "\": [\"A\"]}, {\"writes\": [0]}")),
              "file 'x.json': task 'T0' reads temporary data item 'A', " + why)
        << how;
  }
  EXPECT_EQ(
      refusal(with_temporary(R"({"name": "S"}, {"name": "T", "reads": ["A"], "writes": ["A"]})")),
      "file 'x.json': task 'T' reads temporary data item 'A', " + why);
}

TEST(JsonGraph, TakesNoDataAsTemporaryWhereTasksAreIndependent) {
  std::istringstream in(with_temporary(R"({"reads": ["A"]}, {"writes": ["A"]})"));
  EXPECT_FALSE(read_json(in, "x.json", {.independent = true}).any(Lifetime::temporary));
}

TEST(JsonGraph, RefusesATemporaryThatIsNeitherTrueNorFalse) {
  const std::string file = R"({"damocles": 1, "data": [{"temporary": )";
  EXPECT_EQ(refusal(file + "1}], \"tasks\": [{}]}"),
            "file 'x.json', line 1: temporary is 1; write true or false");
  EXPECT_EQ(refusal(file + "\"yes\"}], \"tasks\": [{}]}"),
            "file 'x.json', line 1: temporary is 'yes'; write true or false");
  EXPECT_EQ(refusal(with_tasks("{\"flops\": true}")),
            "file 'x.json', line 3: flops is true; write a number from 0 to 1e+30");
}

TEST(JsonGraph, ReadsWhatGoesHomeEarly) {
  const std::string tasks = R"("tasks": [{"writes": [0, 1, 2, 3]}, {"reads": [0]}]})";
  const TaskGraph graph = read(
      R"({"damocles": 1, "data": [{"home": "early"}, {"home": "end"}, {"home": "early", "temporary": false}, {}], )" +
      tasks);
  EXPECT_EQ(graph.parts().lifetimes, (std::vector<Lifetime>{Lifetime::early_home, Lifetime::kept,
                                                            Lifetime::early_home, Lifetime::kept}));
  EXPECT_FALSE(graph.any(Lifetime::temporary));
  EXPECT_EQ(read(written(graph)).parts().lifetimes, graph.parts().lifetimes);
}

TEST(JsonGraph, RefusesAHomeOfATemporaryDataItem) {
  const std::string file = R"({"damocles": 1, "data": [{)";
  const std::string tasks = R"(}], "tasks": [{"writes": [0]}]})";
  const std::string why =
      "file 'x.json', line 1: a temporary data item does not go home; leave out temporary or home";
  EXPECT_EQ(refusal(file + R"("home": "early", "temporary": true)" + tasks), why);
  EXPECT_EQ(refusal(file + R"("temporary": true, "home": "end")" + tasks), why);
  EXPECT_EQ(refusal(file + R"("home": "late")" + tasks),
            "file 'x.json', line 1: home is 'late'; write 'early' or 'end'");
  EXPECT_EQ(refusal(file + R"("home": true)" + tasks),
            "file 'x.json', line 1: home is true; write 'early' or 'end'");
}

TEST(JsonGraph, RefusesKindsOfSomeTasksAlone) {
  EXPECT_EQ(
      refusal(with_tasks("{},\n{\"kind\": \"GEMM\"}")),
      "file 'x.json', line 4: this task has a kind, but one before has none; write one for each, or none");
  EXPECT_EQ(refusal(with_tasks("{\"kind\": \"GEMM\"},\n{}")),
            "file 'x.json': task 'T1' has no kind, but others have; write one for each, or none");
}

TEST(JsonGraph, RefusesToWriteANumberJsonCannotSay) {
  TaskGraph::Parts parts;
  parts.add_task({}, 1);
  parts.priorities = {std::numeric_limits<double>::quiet_NaN()};
  const TaskGraph graph(parts);

  EXPECT_EQ(error_text([&] { static_cast<void>(written(graph)); }),
            "a priority is nan, which JSON cannot say; give a finite number");
}

TEST(JsonGraph, RefusesWhatIsNotJsonNamingTheLine) {
  EXPECT_EQ(
      refusal(""),
      "file 'x.json', line 1: the file ends before its JSON is complete; it seems truncated, so write or copy it again");
  EXPECT_EQ(
      refusal("{\"damocles\": 1,\n\"data\": [],\n,}"),
      "file 'x.json', line 3: not JSON: syntax error while parsing object key - unexpected ','; expected string literal");
  EXPECT_EQ(refusal(with_tasks("{\"flops\": 1e999}")),
            "file 'x.json', line 3: not JSON: number overflow parsing '1e999'");
  EXPECT_EQ(
      refusal(with_tasks("") + "\n 1"),
      "file 'x.json', line 4: not JSON: syntax error while parsing value - unexpected number literal; expected end of input");
}

TEST(JsonGraph, SaysThatAFileSeemsTruncated) {
  const std::string whole = R"({"damocles": 1, "data": [{"bytes": 8}], "tasks": [{"reads": [0]}]})";
  for (const std::size_t size : {1U, 5U, 20U, 30U, 50U, 60U}) {
    EXPECT_EQ(refusal(whole.substr(0, size)),
              "file 'x.json', line 1: the file ends before its JSON is complete; it seems "
              "truncated, so write or copy it again")
        << size;
  }
}

TEST(JsonGraph, RefusesAnotherOutermostShape) {
  const std::string right = R"({"damocles": 1, "data": [...], "tasks": [...]})";
  EXPECT_EQ(refusal("[]"), "file 'x.json', line 1: the file is a list; write " + right);
  EXPECT_EQ(refusal("\n\n3\n\n"), "file 'x.json', line 3: the file is 3; write " + right);
  EXPECT_EQ(refusal("{}"), "file 'x.json': 'damocles' is missing; write " + right);
  EXPECT_EQ(refusal("{\"damocles\": 1, \"data\": []}"),
            "file 'x.json': 'tasks' is missing; write " + right);
  EXPECT_EQ(refusal("{\"damocles\":\n2}"),
            "file 'x.json', line 2: damocles is 2; write 1, the version of this format");
  EXPECT_EQ(refusal("{\"damocles\": \"1\"}"),
            "file 'x.json', line 1: damocles is '1'; write 1, the version of this format");
  EXPECT_EQ(refusal("{\"data\": {}}"),
            "file 'x.json', line 1: data is an object; write a list, [...]");
  EXPECT_EQ(refusal("{\"data\": [\n3]}"),
            R"(file 'x.json', line 2: an item of data is 3; write {"name": "A", "bytes": 1000})");
  EXPECT_EQ(
      refusal("{\"tasks\": [[]]}"),
      R"(file 'x.json', line 1: an item of tasks is a list; write {"reads": ["A"], "flops": 1000})");
  EXPECT_EQ(refusal("{\"damocles\": 1, \"data\": [], \"tasks\": []}"),
            "file 'x.json': a task graph without tasks; give at least one");
}

TEST(JsonGraph, SaysHowToConvertAnInstanceOfSaga) {
  EXPECT_EQ(refusal("{\"task_graph\": {\"tasks\": []}, \"network\": {}}"),
            "file 'x.json', line 1: 'task_graph' is of an instance of SAGA, which has a task graph "
            "and a network; write its tasks and dependencies as DOT, as a [size=1.5e9]; a -> b "
            "[size=4e6] in flops and bytes, and its nodes as a platform file");
}

TEST(JsonGraph, RefusesUnknownAndRepeatedKeys) {
  EXPECT_EQ(
      refusal("{\"damocles\": 1,\n\"date\": []}"),
      "file 'x.json', line 2: unknown key 'date'; did you mean 'data'? valid: damocles, data, tasks");
  EXPECT_EQ(refusal("{\"data\": [{\"size\": 3}]}"),
            "file 'x.json', line 1: unknown key 'size'; valid: name, bytes, temporary, home");
  EXPECT_EQ(refusal(with_tasks("{},\n{\"flop\": 3}")),
            "file 'x.json', line 4: unknown key 'flop'; did you mean 'flops'? valid: name, kind, "
            "reads, writes, commutes, reduces, flops, output_bytes, priority, after");
  EXPECT_EQ(refusal(with_tasks("{\"reads\": [],\n\"reads\": [0]}")),
            "file 'x.json', line 4: 'reads' is given twice; write it once");
  EXPECT_EQ(refusal("{\"data\": [],\n\"data\": []}"),
            "file 'x.json', line 2: 'data' is given twice; write it once");
}

TEST(JsonGraph, RefusesAWrongValueNamingItsLine) {
  const std::string at = "file 'x.json', line 4: ";
  const auto task = [](const std::string& field) {
    return refusal(with_tasks("{\n" + field + "}"));
  };
  EXPECT_EQ(task("\"flops\": -1\n"), at + "flops is -1; write a number from 0 to 1e+30");
  EXPECT_EQ(task("\"flops\": 1.5e30\n"), at + "flops is 1.5e30; write a number from 0 to 1e+30");
  EXPECT_EQ(task("\"flops\": \"7G\""), at + "flops is '7G'; write a number from 0 to 1e+30");
  EXPECT_EQ(task("\"output_bytes\": 1.5"),
            at + "output_bytes is 1.5; write a whole number from 0 to 1125899906842624");
  EXPECT_EQ(task("\"priority\": null"), at + "priority is null; write a number");
  EXPECT_EQ(task("\"name\": true"), at + "name is true; write a string");
  EXPECT_EQ(task("\"reads\": \"A\""), at + "reads is 'A'; write a list of names or indices, [...]");
  EXPECT_EQ(task("\"after\": 3"), at + "after is 3; write a list of names or indices, [...]");
  EXPECT_EQ(task("\"reads\": [[0]]"),
            at + "an item of reads is a list; write a name or an index from 0 to 2147483647");
  EXPECT_EQ(task("\"after\": [-1]"),
            at + "an item of after is -1; write a name or an index from 0 to 2147483647");
  EXPECT_EQ(refusal("{\"data\": [{\"bytes\":\n0\n}]}"),
            "file 'x.json', line 2: bytes is 0; write a whole number from 1 to 1125899906842624");
  EXPECT_EQ(
      refusal("{\"data\": [{\"bytes\": 1125899906842625}]}"),
      "file 'x.json', line 1: bytes is 1125899906842625; write a whole number from 1 to 1125899906842624");
}

TEST(JsonGraph, RefusesReferencesToWhatIsNotThere) {
  EXPECT_EQ(refusal(with_tasks("{\"reads\": [0]},\n{\"reads\": [0,\n 1]}")),
            "file 'x.json', line 5: reads data item 1, but the only one is 0");
  EXPECT_EQ(
      refusal(with_tasks("{},\n{\"reads\": [\"AB\"]}")),
      "file 'x.json', line 4: reads 'AB', but no data item has that name; did you mean 'A'? write a name or an index");
  // A name of up to 40 letters may be a slip of a finger.
  const auto suggests = [](std::size_t letters) {
    const std::string name(letters, 'a');
    const std::string text = R"({"damocles":1,"data":[{"name":")" + name +
                             R"(b"}],"tasks":[{"reads":[")" + name + R"("]}]})";
    return refusal(text).find("did you mean") != std::string::npos;
  };
  EXPECT_TRUE(suggests(40));
  EXPECT_FALSE(suggests(41));
  EXPECT_EQ(refusal(R"({"damocles":1,"data":[],"tasks":[{"reads":[1]}]})"),
            "file 'x.json', line 1: reads data item 1, but there is none");
  EXPECT_EQ(
      refusal(with_tasks("{},\n{\"after\": [7]}")),
      "file 'x.json', line 4: waits for task 7, but the last one is 1; write an index from 0");
  EXPECT_EQ(refusal(with_tasks("{\"name\": \"X\"}, {\"name\": \"X\"},\n{\"after\": [\"X\"]}")),
            "file 'x.json', line 4: waits for 'X', a name that two have; write the index");
}

TEST(JsonGraph, RefusesTasksThatWaitInACircle) {
  EXPECT_EQ(refusal(with_tasks("{\"after\": [0]}")),
            "file 'x.json': the task graph has a cycle: 'T0' after 'T0'; remove one dependency");
  EXPECT_EQ(
      refusal(with_tasks(R"({"name": "A", "after": [1]}, {"name": "B", "after": [2]},
                                  {"name": "C", "after": [1]})")),
      "file 'x.json': the task graph has a cycle: 'B' after 'C' after 'B'; remove one dependency");
  EXPECT_EQ(
      refusal(with_tasks("{\"after\": [5]}, {\"after\": [0]}, {\"after\": [1]}, {\"after\": "
                         "[2]}, {\"after\": [3]}, {\"after\": [4]}")),
      "file 'x.json': the task graph has a cycle: 'T0' after 'T5' after 'T4' after 'T3' after 2 more after 'T0'; remove one dependency");
}

TEST(JsonGraph, WalksLongChainsAndDeepNestingWithoutRecursion) {
  std::string chain = "{}";
  for (int t = 0; t < 100'000; ++t) chain += ",{\"after\":[" + std::to_string(t) + "]}";
  const std::string deep(1'000'000, '[');

  EXPECT_EQ(read(with_tasks(chain)).tasks(), 100'001U);
  EXPECT_EQ(
      refusal(with_tasks("{\"reads\": " + deep)),
      "file 'x.json', line 3: an item of reads is a list; write a name or an index from 0 to 2147483647");
}

}  // namespace
}  // namespace damocles::json_graph_test
