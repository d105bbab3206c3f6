// The task graphs of StarPU's example programs: tasks, accesses and priorities by hand for 3 x 3
// tiles.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/workload.hpp"
#include "tests/error_text.hpp"

namespace damocles::starpu_examples_test {
namespace {

/// A task as "KIND priority: data", a plus after those that it writes.
std::vector<std::string> tasks_of(const TaskGraph& graph) {
  const auto& parts = graph.parts();
  std::vector<std::string> all;
  for (std::size_t task = 0; task < graph.tasks(); ++task) {
    std::string text = parts.kind_names[parts.task_kinds[task]] + " " +
                       std::to_string(static_cast<int>(parts.priorities[task])) + ":";
    const auto data = graph.inputs(static_cast<TaskGraph::Index>(task));
    const auto how = graph.accesses(static_cast<TaskGraph::Index>(task));
    for (std::size_t at = 0; at < data.size(); ++at) {
      text += " " + std::to_string(data[at]) + (writes(how[at]) ? "+" : "");
    }
    all.push_back(text);
  }
  return all;
}

const std::vector<std::string> cholesky_of_3{
    "POTRF 6: 0+",  "TRSM 5: 0 1+", "TRSM 4: 0 3+", "SYRK 5: 1 2+", "GEMM 3: 3 1 4+",
    "SYRK 4: 3 5+", "POTRF 4: 2+",  "TRSM 2: 2 4+", "SYRK 2: 4 5+", "POTRF 2: 5+"};

const std::vector<std::string> lu_of_3{
    "GETRF 9: 0+",     "TRSM_LL 8: 0 3+", "TRSM_RU 8: 0 1+", "TRSM_LL 7: 0 6+", "TRSM_RU 7: 0 2+",
    "GEMM 7: 1 3 4+",  "GEMM 6: 1 6 7+",  "GEMM 6: 2 3 5+",  "GEMM 5: 2 6 8+",  "GETRF 6: 4+",
    "TRSM_LL 5: 4 7+", "TRSM_RU 5: 4 5+", "GEMM 4: 5 7 8+",  "GETRF 3: 8+"};

TEST(StarpuExamples, SubmitTasksInTheOrderOfThePrograms) {
  EXPECT_EQ(tasks_of(Workload::parse("starpu-cholesky:n=3").graph()), cholesky_of_3);
  EXPECT_EQ(tasks_of(Workload::parse("starpu-lu:n=3").graph()), lu_of_3);
  EXPECT_EQ(tasks_of(Workload::parse("starpu-sgemm:n=2").graph()),
            (std::vector<std::string>{"SGEMM 0: 0 2 4+", "SGEMM 0: 1 2 5+", "SGEMM 0: 0 3 6+",
                                      "SGEMM 0: 1 3 7+"}));
}

TEST(StarpuExamples, ComputeTheFlopsOfTheFactorisation) {
  const double cube = 960.0 * 960 * 960;
  const double n = 20;
  const auto flops = [](const char* text) { return Workload::parse(text).graph().total_flops(); };
  EXPECT_NEAR(flops("starpu-cholesky:n=20") / cube, n * n * n / 3, 1e-9);
  EXPECT_NEAR(flops("starpu-lu:n=20") / cube, 2 * n * n * n / 3, 1e-9);
  EXPECT_NEAR(flops("starpu-sgemm:n=20") / cube, 2 * n * n * 4, 1e-9);
}

TEST(StarpuExamples, CreateTilesOfTheProductWithoutReadingThem) {
  const Workload sgemm = Workload::parse("starpu-sgemm:n=2,tile=10,k=30");
  EXPECT_EQ(sgemm.graph().needed(0).size(), 2U);
  EXPECT_EQ(sgemm.graph().parts().bytes,
            (std::vector<std::uint64_t>{1200, 1200, 1200, 1200, 400, 400, 400, 400}));
}

TEST(StarpuExamples, SendTilesHomeEarlyAsThePrograms) {
  for (const std::string name : {"starpu-cholesky:n=3", "starpu-lu:n=3"}) {
    EXPECT_TRUE(Workload::parse(name).graph().early_home(0)) << name;
    EXPECT_FALSE(Workload::parse(name + ",home=end").graph().early_home(0)) << name;
  }
}

TEST(StarpuExamples, NeedASize) {
  EXPECT_EQ(
      error_text([] { static_cast<void>(Workload::parse("starpu-lu:tile=10")); }),
      "workload 'starpu-lu:tile=10': needs n, the number of blocks a side, as in starpu-lu:n=100");
}

}  // namespace
}  // namespace damocles::starpu_examples_test
