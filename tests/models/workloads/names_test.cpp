#include "models/workloads/names.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "models/workload.hpp"

namespace damocles::names_test {
namespace {

std::vector<std::string> tasks_of(const Workload& workload) {
  std::vector<std::string> names;
  for (std::uint64_t t = 0; t < workload.tasks(); ++t)
    names.push_back(workload.task_name(TaskId{t}));
  return names;
}

std::vector<std::string> data_of(const Workload& workload) {
  std::vector<std::string> names;
  for (std::uint64_t d = 0; d < workload.data(); ++d)
    names.push_back(workload.data_name(DataId{d}));
  return names;
}

std::set<std::string> distinct(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

/// "GEMM(2,0) A(2) B(0)": a task and the data that it accesses.
std::string with_data(const Workload& workload, std::uint64_t task) {
  std::string text = workload.task_name(TaskId{task});
  workload.for_each_input(TaskId{task},
                          [&](DataId data) { text += " " + workload.data_name(data); });
  return text;
}

const std::vector<const char*> families{"outer:m=2,n=3",
                                        "matrix:m=2,n=3,k=4",
                                        "gemm2d:m=2,n=3",
                                        "gemm3d:m=2,n=3,k=4",
                                        "gemm3d:m=2,n=3,k=4,c=yes",
                                        "gemm3d:m=2,n=3,k=4,c=later",
                                        "gemm3d:m=2,n=3,k=4,c=made",
                                        "cholesky:n=5,deps=false",
                                        "cholesky:n=5,deps=true",
                                        "cholesky:n=5,deps=true,updates=reduce",
                                        "cholesky:n=1,deps=false",
                                        "lu:n=4,deps=false",
                                        "lu:n=4,deps=true,updates=commute",
                                        "sparse2d:m=9,n=7,density=0.3",
                                        "stencil:n=3,steps=4",
                                        "layered:n=3,layers=2",
                                        "starpu-cholesky:n=5",
                                        "starpu-lu:n=4",
                                        "starpu-sgemm:n=3"};

TEST(Names, TellTasksAndDataOfEveryFamilyApart) {
  for (const char* const text : families) {
    const Workload workload = Workload::parse(text);
    EXPECT_EQ(distinct(tasks_of(workload)).size(), workload.tasks()) << text;
    EXPECT_EQ(distinct(data_of(workload)).size(), workload.data()) << text;
    EXPECT_FALSE(distinct(tasks_of(workload)).contains("T0")) << text;
  }
}

TEST(Names, OfAGridAreThoseOfItsGraph) {
  for (const char* const text : families) {
    const Workload workload = Workload::parse(text);
    for (TaskGraph::Index t = 0; t < workload.tasks(); ++t) {
      EXPECT_EQ(workload.graph().task_name(t), workload.task_name(TaskId{t})) << text;
    }
    for (TaskGraph::Index d = 0; d < workload.data(); ++d) {
      EXPECT_EQ(workload.graph().data_name(d), workload.data_name(DataId{d})) << text;
    }
  }
}

TEST(Names, StayWithTasksInARandomOrder) {
  for (const std::string text :
       {"gemm2d:m=3,n=4", "gemm3d:n=3,c=later", "cholesky:n=5,deps=false", "lu:n=4,deps=false"}) {
    const Workload plain = Workload::parse(text);
    const Workload shuffled = Workload::parse(text + ",order=random");
    std::set<std::string> expected;
    std::set<std::string> found;
    for (std::uint64_t t = 0; t < plain.tasks(); ++t) {
      expected.insert(with_data(plain, t));
      found.insert(with_data(shuffled, t));
    }
    EXPECT_EQ(found, expected) << text;
    EXPECT_NE(tasks_of(shuffled), tasks_of(plain)) << text;
  }
}

TEST(Names, OfProductsAreTheirIndices) {
  EXPECT_EQ(with_data(Workload::parse("outer:m=2,n=3"), 5), "T(1,2) a(1) b(2)");
  EXPECT_EQ(with_data(Workload::parse("gemm2d:m=2,n=3"), 5), "GEMM(1,2) A(1) B(2)");
  const Workload matrix = Workload::matrix(2, 3, 4);
  EXPECT_EQ(with_data(matrix, raw(matrix.task(1, 2, 3))), "GEMM(1,2,3) A(1,3) B(3,2) C(1,2)");
  const Workload made = Workload::parse("gemm3d:m=2,n=3,k=4,c=made");
  EXPECT_EQ(with_data(made, 23), "GEMM(1,2,3) A(1,3) B(3,2) C(1,2)");
  EXPECT_EQ(with_data(Workload::parse("starpu-sgemm:n=3"), 5), "SGEMM(2,1) A(2) B(1) C(2,1)");
  const std::uint64_t n = 1U << 20U;
  EXPECT_EQ(Workload::outer(n, n).task_name(TaskId{n * n - 1}), "T(1048575,1048575)");
}

TEST(Names, OfFactorisationsAreTheirTiles) {
  const auto all = [](const char* text) {
    const Workload workload = Workload::parse(text);
    std::vector<std::string> result;
    for (std::uint64_t t = 0; t < workload.tasks(); ++t) result.push_back(with_data(workload, t));
    return result;
  };

  EXPECT_EQ(all("cholesky:n=3,deps=true"),
            (std::vector<std::string>{"POTRF(0) A(0,0)", "TRSM(1,0) A(0,0) A(1,0)",
                                      "TRSM(2,0) A(0,0) A(2,0)", "SYRK(1,0) A(1,0) A(1,1)",
                                      "SYRK(2,0) A(2,0) A(2,2)", "GEMM(2,1,0) A(2,0) A(1,0) A(2,1)",
                                      "POTRF(1) A(1,1)", "TRSM(2,1) A(1,1) A(2,1)",
                                      "SYRK(2,1) A(2,1) A(2,2)", "POTRF(2) A(2,2)"}));
  EXPECT_EQ(all("lu:n=2,deps=false"),
            (std::vector<std::string>{"GETRF(0) A(0,0)", "TRSM(0,1) A(0,0) A(0,1)",
                                      "TRSM(1,0) A(0,0) A(1,0)", "GEMM(1,1,0) A(1,0) A(0,1) A(1,1)",
                                      "GETRF(1) A(1,1)"}));
  EXPECT_EQ(all("starpu-lu:n=2")[3], "GEMM(1,1,0) A(0,1) A(1,0) A(1,1)");
}

TEST(Names, OfALargeTriangleAreRight) {
  const IndexNames names = cholesky_names();
  for (const std::uint64_t row : {0U, 1U, 2U, 999U, 94'906'265U}) {
    const std::uint64_t first = row * (row + 1) / 2;
    EXPECT_EQ(names.data_name(first), indexed_name("A", row, 0));
    EXPECT_EQ(names.data_name(first + row), indexed_name("A", row, row));
  }
}

TEST(Names, OfStepsAndLayersCountThem) {
  EXPECT_EQ(with_data(Workload::parse("stencil:n=2,steps=2"), 5),
            "JACOBI(0,1,1) B(0,1) B(0,0) B(1,1) A(0,1)");
  const Workload layered = Workload::parse("layered:n=1,layers=2");
  EXPECT_EQ(with_data(layered, 1), "T(1,0) A(1,0) A(2,0)");
}

}  // namespace
}  // namespace damocles::names_test
