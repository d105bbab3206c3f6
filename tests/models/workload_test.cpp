#include "models/workload.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/error_text.hpp"

namespace damocles::workload_test {
namespace {

std::string refusal(std::string_view text) {
  return error_text([&] { static_cast<void>(Workload::parse(text)); });
}

std::vector<std::uint64_t> inputs(const Workload& workload, TaskId task) {
  std::vector<std::uint64_t> data;
  workload.for_each_input(task, [&](DataId id) { data.push_back(raw(id)); });
  return data;
}

TEST(Workload, NumbersTheTasksLexicographically) {
  for (const auto& workload :
       {Workload::outer(1, 1), Workload::outer(5, 13), Workload::outer(70, 3),
        Workload::matrix(2, 3, 5), Workload::matrix(1, 1, 9), Workload::matrix(4, 4, 4)}) {
    std::uint64_t next = 0;
    const std::uint64_t k = workload.dimensions() == 3 ? workload.extent(2) : 1;

    for (std::uint64_t i = 0; i < workload.extent(0); ++i) {
      for (std::uint64_t j = 0; j < workload.extent(1); ++j) {
        for (std::uint64_t l = 0; l < k; ++l, ++next) {
          EXPECT_EQ(raw(workload.task(i, j, l)), next);
          EXPECT_EQ(workload.indices(TaskId{next}), (std::array<std::uint64_t, 3>{i, j, l}));
        }
      }
    }
    EXPECT_EQ(workload.tasks(), next);
  }
}

TEST(Workload, FindsTheIndicesOfTasksBeyond32Bits) {
  const auto wide = Workload::matrix(8192, 16384, 8192);  // 2^40 tasks

  EXPECT_EQ(wide.indices(wide.task(8191, 16383, 8191)),
            (std::array<std::uint64_t, 3>{8191, 16383, 8191}));
  EXPECT_EQ(wide.indices(wide.task(8000, 7, 4321)), (std::array<std::uint64_t, 3>{8000, 7, 4321}));
  // 2^32 and 2^32 + 2^16 tasks: on either side of the switch to 64-bit division.
  for (const auto& edge : {Workload::outer(65536, 65536), Workload::outer(65537, 65536)}) {
    const auto last = edge.extent(0) - 1;
    EXPECT_EQ(edge.indices(edge.task(last, 65535)), (std::array<std::uint64_t, 3>{last, 65535, 0}));
  }
  const auto flat = Workload::outer(2, max_extent);
  EXPECT_EQ(flat.indices(flat.task(1, max_extent - 1)),
            (std::array<std::uint64_t, 3>{1, max_extent - 1, 0}));
}

TEST(Workload, ReadsOneBlockOfEachVectorATask) {
  const auto workload = Workload::outer(2, 3);  // a_0 a_1 b_0 b_1 b_2

  EXPECT_EQ(workload.data(), 5U);
  EXPECT_EQ(inputs(workload, workload.task(0, 0)), (std::vector<std::uint64_t>{0, 2}));
  EXPECT_EQ(inputs(workload, workload.task(1, 2)), (std::vector<std::uint64_t>{1, 4}));
}

TEST(Workload, ReadsOneBlockOfEachMatrixATask) {
  // A is 2 x 4 (data 0 to 7), B 4 x 3 (8 to 19), C 2 x 3 (20 to 25).
  const auto workload = Workload::matrix(2, 3, 4);

  EXPECT_EQ(workload.data(), 26U);
  EXPECT_EQ(inputs(workload, workload.task(0, 0, 0)), (std::vector<std::uint64_t>{0, 8, 20}));
  // (1, 2, 3): A_13 = 1 * 4 + 3, B_32 = 8 + 3 * 3 + 2, C_12 = 20 + 1 * 3 + 2.
  EXPECT_EQ(inputs(workload, workload.task(1, 2, 3)), (std::vector<std::uint64_t>{7, 19, 25}));
  // (1, 0, 2): A_12 = 6, B_20 = 8 + 6, C_10 = 23.
  EXPECT_EQ(inputs(workload, workload.task(1, 0, 2)), (std::vector<std::uint64_t>{6, 14, 23}));
}

TEST(Workload, HasEachDataReadByAsManyTasksAsTheOtherExtents) {
  const auto workload = Workload::matrix(2, 3, 5);
  std::vector<int> readers(workload.data(), 0);

  for (std::uint64_t id = 0; id < workload.tasks(); ++id) {
    for (const auto data : inputs(workload, TaskId{id})) ++readers.at(data);
  }

  for (std::size_t data = 0; data < readers.size(); ++data) {
    // A_il is read for each j, B_lj for each i, C_ij for each l.
    EXPECT_EQ(readers[data], data < 10 ? 3 : data < 25 ? 2 : 5) << data;
  }
}

TEST(Workload, ReadsItsTextAndWritesItBack) {
  EXPECT_EQ(Workload::parse("outer:n=7").text(), "outer:n=7");
  EXPECT_EQ(Workload::parse("outer:m=7,n=7").text(), "outer:n=7");
  EXPECT_EQ(Workload::parse("outer:n=7,m=5").text(), "outer:m=5,n=7");
  EXPECT_EQ(Workload::parse("matrix:n=4").text(), "matrix:n=4");
  EXPECT_EQ(Workload::parse("matrix:n=4,k=9").text(), "matrix:m=4,n=4,k=9");
  const auto workload = Workload::parse("matrix:m=2,n=3,k=5");
  EXPECT_EQ(workload.extent(0), 2U);
  EXPECT_EQ(workload.extent(1), 3U);
  EXPECT_EQ(workload.extent(2), 5U);
  EXPECT_EQ(workload.dimensions(), 3);
  EXPECT_EQ(Workload::parse("outer:m=2,n=3").dimensions(), 2);
}

TEST(Workload, HasAtMost2To40Tasks) {
  EXPECT_EQ(Workload::parse("outer:n=1048576").tasks(), max_tasks);
  EXPECT_EQ(
      refusal("outer:n=1048577"),
      "workload 'outer:n=1048577' has more than 2^40 tasks; make the product of its sizes at most 1099511627776");
  EXPECT_EQ(Workload::parse("matrix:m=1024,n=1048576,k=1024").tasks(), max_tasks);
  EXPECT_NE(refusal("matrix:m=1024,n=1048576,k=1025"), "no error");
  // The product of these extents is 2^93, which 64 bits would call 0.
  EXPECT_NE(refusal("matrix:n=2147483648"), "no error");
  EXPECT_NE(refusal("matrix:m=2147483648,n=2,k=2147483648"), "no error");
  // 2^40 times 2^24 is 2^64, which 64 bits would call 0.
  EXPECT_NE(refusal("matrix:m=1048576,n=1048576,k=16777216"), "no error");
}

TEST(Workload, RefusesSizesOutsideOneTo2To31) {
  const std::string range = "must be a whole number from 1 to 2147483648";
  EXPECT_EQ(refusal("outer:n=0"), "workload 'outer:n=0': n " + range);
  EXPECT_EQ(refusal("outer:n=2147483649,m=1"), "workload 'outer:n=2147483649,m=1': n " + range);
  EXPECT_EQ(refusal("outer:n=-3"), "workload 'outer:n=-3': n " + range);
  EXPECT_EQ(refusal("outer:n=3,m=0"), "workload 'outer:n=3,m=0': m " + range);
  EXPECT_EQ(refusal("matrix:n=3,k=1.5"), "workload 'matrix:n=3,k=1.5': k " + range);
  EXPECT_EQ(Workload::parse("outer:n=2147483648,m=1").tasks(), max_extent);
  EXPECT_EQ(error_text([] { static_cast<void>(Workload::outer(0, 3)); }),
            "a workload with 0 blocks a side; give 1 to 2147483648");
  EXPECT_NE(error_text([] { static_cast<void>(Workload::matrix(3, 3, 0)); }), "no error");
}

TEST(Workload, RefusesUnknownNamesAndKeys) {
  EXPECT_EQ(
      refusal("oter:n=3"),
      "unknown workload 'oter'; did you mean 'outer'? `damocles list workloads` shows all 13");
  EXPECT_EQ(refusal("outer"),
            "workload 'outer': needs n, the number of blocks a side, as in outer:n=100");
  EXPECT_EQ(refusal("matrix:m=3"),
            "workload 'matrix:m=3': needs n, the number of blocks a side, as in matrix:n=100");
  EXPECT_TRUE(refusal("outer:n=3,k=3").starts_with("workload 'outer' has no option 'k'; "));
  EXPECT_EQ(refusal("matrix:3"),
            "workload 'matrix:3': '3' is not key=value; did you mean n=3? keys are: n, m, k");
}

TEST(Workload, ParsesEveryFormItLists) {
  std::set<std::string> names;
  for (const auto& [form, meaning] : Workload::forms()) {
    names.insert(form.substr(0, form.find(':')));
    EXPECT_FALSE(meaning.empty());
    if (form.starts_with("file:")) continue;
    std::string text = form;
    for (const auto& [letter, value] :
         {std::pair{"M", "2"}, {"N", "3"}, {"K", "4"}, {"S", "5"}, {"L", "6"}}) {
      for (auto at = text.find(letter); at != std::string::npos; at = text.find(letter)) {
        text.replace(at, 1, value);
      }
    }
    EXPECT_GE(Workload::parse(text).tasks(), 1U) << text;
  }
  EXPECT_EQ(names, (std::set<std::string>{"outer", "matrix", "gemm2d", "gemm3d", "cholesky", "lu",
                                          "sparse2d", "stencil", "layered", "starpu-cholesky",
                                          "starpu-lu", "starpu-sgemm", "file"}));
}

}  // namespace
}  // namespace damocles::workload_test
