#include "gpu/arithmetic/arithmetic.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "models/rng.hpp"
#include "tests/error_text.hpp"

namespace damocles::arithmetic_test {
namespace {

using Compute = ArithmeticOptions::Compute;
using Where = TaskOutput::Where;

Arithmetic arithmetic_of(const std::string& text, const ArithmeticOptions& options = {},
                         std::uint64_t seed = 1) {
  return Arithmetic::of(Workload::parse(text), options, seed);
}

std::array<std::size_t, 3> shape(const Kernel& kernel) { return {kernel.m, kernel.n, kernel.k}; }

TEST(Arithmetic, TakesTheBlocksOfAGridWithoutSizesFromTheOptions) {
  const ArithmeticOptions options{.precision = Precision::fp64, .tile = 20, .rank = 6};
  const auto outer = arithmetic_of("outer:m=3,n=5", options);
  const auto matrix = arithmetic_of("matrix:m=3,n=5,k=2", options);

  EXPECT_EQ(shape(outer.kernel()), (std::array<std::size_t, 3>{20, 20, 6}));
  EXPECT_EQ(outer.data_bytes(DataId{7}), 20U * 6 * 8);
  EXPECT_EQ(outer.output_bytes(), 20U * 20 * 8);
  EXPECT_EQ(outer.outputs(), 15U);
  EXPECT_EQ(outer.flops(TaskId{0}), 2.0 * 20 * 20 * 6);
  EXPECT_EQ(shape(matrix.kernel()), (std::array<std::size_t, 3>{20, 20, 20}));
  EXPECT_EQ(matrix.uniform_bytes(), 20U * 20 * 8);
  EXPECT_EQ(matrix.outputs(), 15U);
}

TEST(Arithmetic, TakesTheBlocksOfOthersFromTheirText) {
  const ArithmeticOptions ignored{.precision = Precision::fp64, .tile = 20, .rank = 6};
  for (const char* text : {"gemm2d:n=3,tile=24,k=40", "sparse2d:n=3,density=1,tile=24,k=40",
                           "gemm2d:n=3,tile=24,k=40,order=random"}) {
    const auto arithmetic = arithmetic_of(text, ignored);

    EXPECT_EQ(shape(arithmetic.kernel()), (std::array<std::size_t, 3>{24, 24, 40})) << text;
    EXPECT_EQ(arithmetic.kernel().precision, Precision::fp32);
    EXPECT_EQ(arithmetic.data_bytes(DataId{0}), 24U * 40 * 4);
    EXPECT_EQ(arithmetic.output_bytes(), 24U * 24 * 4);
  }
  const auto cube = arithmetic_of("gemm3d:n=3,tile=24,precision=double");
  EXPECT_EQ(shape(cube.kernel()), (std::array<std::size_t, 3>{24, 24, 24}));
  EXPECT_EQ(cube.kernel().precision, Precision::fp64);
}

TEST(Arithmetic, KnowsTheDefaultsOfTheWorkloads) {
  EXPECT_EQ(shape(arithmetic_of("gemm2d:n=2").kernel()),
            (std::array<std::size_t, 3>{960, 960, 3840}));
  EXPECT_EQ(shape(arithmetic_of("sparse2d:n=20").kernel()),
            (std::array<std::size_t, 3>{960, 960, 3840}));
  EXPECT_EQ(shape(arithmetic_of("gemm3d:n=2").kernel()),
            (std::array<std::size_t, 3>{960, 960, 960}));
}

/// What a task computes, told by its inputs alone: (i, l) of A, (l, j) of B in an m x k, k x n
/// product.
struct Indices {
  std::uint64_t i, j, l;
  bool reads_c;
};

Indices read_off(const Workload& workload, TaskId task, std::uint64_t m, std::uint64_t n,
                 std::uint64_t k) {
  std::vector<std::uint64_t> inputs;
  workload.for_each_input(task, [&](DataId data) { inputs.push_back(raw(data)); });
  Indices result{.i = inputs[0] / k, .j = 0, .l = inputs[0] % k, .reads_c = inputs.size() > 2};
  EXPECT_EQ((inputs[1] - m * k) / n, result.l);  // A_il meets B_lj
  result.j = (inputs[1] - m * k) % n;
  if (result.reads_c) {
    EXPECT_EQ(inputs[2], m * k + k * n + result.i * n + result.j);
  }
  return result;
}

TEST(Arithmetic, SendsEveryTermOfASumToItsTile) {
  const std::map<std::string, std::string> expected{
      // of l = 0, of l = 1, 2
      {"matrix:m=2,n=5,k=3", "input input"},
      {"gemm3d:m=2,n=5,k=3,tile=4,c=yes", "input input"},
      {"gemm3d:m=2,n=5,k=3,tile=4,c=yes,order=random", "input input"},
      {"gemm3d:m=2,n=5,k=3,tile=4", "partial partial"},
      {"gemm3d:m=2,n=5,k=3,tile=4,order=random", "partial partial"},
      {"gemm3d:m=2,n=5,k=3,tile=4,c=later", "partial input"},
      {"gemm3d:m=2,n=5,k=3,tile=4,c=later,order=random,seed=4", "partial input"}};
  for (const auto& [text, places] : expected) {
    const auto workload = Workload::parse(text);
    const auto arithmetic = arithmetic_of(text);
    std::map<std::uint64_t, std::set<std::uint64_t>> terms;
    std::map<bool, std::set<Where>> where;  // of l = 0; of the others
    for (std::uint64_t task = 0; task < workload.tasks(); ++task) {
      const auto [i, j, l, reads_c] = read_off(workload, TaskId{task}, 2, 5, 3);
      const auto output = arithmetic.output(TaskId{task});

      EXPECT_EQ(output.tile, i * 5 + j) << text;
      EXPECT_EQ(output.where == Where::input, reads_c) << text;
      EXPECT_EQ(arithmetic.block(output.tile), (std::array{i, j})) << text;
      terms[output.tile].insert(l);
      where[l == 0].insert(output.where);
    }
    EXPECT_EQ(terms.size(), arithmetic.outputs()) << text;
    for (const auto& [tile, ls] : terms) EXPECT_EQ(ls.size(), 3U) << text;
    const auto word = [&, &text = text](bool first) {
      EXPECT_EQ(where[first].size(), 1U) << text;
      return *where[first].begin() == Where::input ? "input" : "partial";
    };
    EXPECT_EQ(std::string(word(true)) + " " + word(false), places) << text;
  }
}

TEST(Arithmetic, GivesEveryTaskOfAnOuterProductATileOfItsOwn) {
  for (const char* text :
       {"outer:m=4,n=6", "gemm2d:m=4,n=6,tile=4,k=8",
        "gemm2d:m=4,n=6,tile=4,k=8,order=random,seed=3", "sparse2d:m=4,n=6,density=0.4,tile=4,k=8",
        "sparse2d:m=4,n=6,density=0.4,tile=4,k=8,order=random"}) {
    const auto workload = Workload::parse(text);
    const auto arithmetic = arithmetic_of(text);
    std::set<std::uint64_t> tiles;
    std::set<std::array<std::uint64_t, 2>> blocks;
    for (std::uint64_t task = 0; task < workload.tasks(); ++task) {
      const auto [i, j, l, reads_c] = read_off(workload, TaskId{task}, 4, 6, 1);
      const auto output = arithmetic.output(TaskId{task});

      EXPECT_EQ(output.where, Where::fresh) << text;
      EXPECT_EQ(arithmetic.block(output.tile), (std::array{i, j})) << text;
      EXPECT_EQ(arithmetic.tile_name(output.tile), fmt::format("tile ({}, {})", i, j));
      tiles.insert(output.tile);
      blocks.insert({i, j});
    }
    EXPECT_EQ(tiles.size(), workload.tasks()) << text;
    EXPECT_EQ(*tiles.rbegin(), workload.tasks() - 1) << text;  // none for what is not there
    EXPECT_EQ(arithmetic.outputs(), workload.tasks()) << text;
    EXPECT_EQ(blocks.size(), workload.tasks()) << text;
  }
}

TEST(Arithmetic, KnowsWhichDataAreTilesOfC) {
  for (const char* text : {"matrix:m=2,n=5,k=3", "gemm3d:m=2,n=5,k=3,tile=4,c=later"}) {
    const auto arithmetic = arithmetic_of(text);

    EXPECT_EQ(arithmetic.tile_of(DataId{20}), std::nullopt);  // 6 of A, 15 of B
    EXPECT_EQ(arithmetic.tile_of(DataId{21}), 0U);
    EXPECT_EQ(arithmetic.tile_of(DataId{30}), 9U);
  }
  EXPECT_EQ(arithmetic_of("outer:n=3").tile_of(DataId{5}), std::nullopt);
  EXPECT_EQ(arithmetic_of("matrix:n=2", {.compute = Compute::checksum}).tile_of(DataId{11}),
            std::nullopt);
}

TEST(Arithmetic, FoldsTheBytesOfWhatIsNoProduct) {
  const auto arithmetic = arithmetic_of("cholesky:n=4,tile=5,deps=false");

  EXPECT_EQ(arithmetic.kernel().kind, Kernel::Kind::checksum);
  EXPECT_EQ(arithmetic.outputs(), arithmetic.tasks());
  EXPECT_EQ(arithmetic.output_bytes(), 8U);
  EXPECT_EQ(arithmetic.output(TaskId{3}).where, Where::fresh);
  EXPECT_EQ(arithmetic.output(TaskId{3}).tile, 3U);
  EXPECT_EQ(arithmetic.flops(TaskId{3}), 0);
  EXPECT_EQ(arithmetic.tile_name(3), "the output of task TRSM(3,0)");
}

Workload graph(std::string text, std::vector<std::uint64_t> bytes,
               std::vector<std::pair<TaskGraph::Index, TaskGraph::Index>> dependencies = {}) {
  TaskGraph::Parts parts;
  parts.bytes = std::move(bytes);
  parts.add_task(std::array<TaskGraph::Index, 2>{0, 1}, 1);
  parts.add_task(std::array<TaskGraph::Index, 2>{1, 2}, 1);
  parts.dependencies = std::move(dependencies);
  return Workload::of_graph(std::move(text), TaskGraph(std::move(parts)));
}

TEST(Arithmetic, TakesDataOfAnySizes) {
  const auto arithmetic = Arithmetic::of(graph("odd", {3, 8, 21}), {}, 1);

  EXPECT_EQ(arithmetic.kernel().kind, Kernel::Kind::checksum);
  EXPECT_EQ(arithmetic.uniform_bytes(), std::nullopt);
  EXPECT_EQ(arithmetic.data_bytes(DataId{2}), 21U);
}

TEST(Arithmetic, DoesNotBelieveATextAlone) {
  const auto arithmetic = Arithmetic::of(graph("gemm2d:n=2,tile=4,k=8", {3, 8, 21}), {}, 1);

  EXPECT_EQ(arithmetic.kernel().kind, Kernel::Kind::checksum);
}

TEST(Arithmetic, MultipliesInWhateverOrderAndHoweverManyAreLeft) {
  for (const char* text :
       {"gemm2d:n=3,tile=4,k=8", "gemm2d:n=3,tile=4,k=8,order=random", "gemm3d:n=2,tile=4",
        "gemm3d:n=2,tile=4,c=yes,order=random", "sparse2d:n=4,tile=4,k=8,density=0.5"}) {
    EXPECT_EQ(arithmetic_of(text).kernel().kind, Kernel::Kind::product) << text;
  }
}

TEST(Arithmetic, ComputesChecksumsOrNothingOfAnyWorkload) {
  for (const char* text : {"outer:n=3", "matrix:n=2", "gemm2d:n=2,tile=4,k=4",
                           "cholesky:n=3,deps=false", "gemm3d:n=2,tile=4,c=later"}) {
    const auto fold = arithmetic_of(text, {.compute = Compute::checksum});
    const auto empty = arithmetic_of(text, {.compute = Compute::empty});

    EXPECT_EQ(fold.kernel().kind, Kernel::Kind::checksum) << text;
    EXPECT_EQ(fold.outputs(), fold.tasks()) << text;
    EXPECT_EQ(fold.output(TaskId{1}).where, Where::fresh) << text;
    EXPECT_EQ(empty.kernel().kind, Kernel::Kind::empty) << text;
    EXPECT_EQ(empty.outputs(), 0U) << text;
    EXPECT_EQ(empty.output(TaskId{1}).where, Where::none) << text;
    EXPECT_EQ(empty.data_bytes(DataId{0}), arithmetic_of(text).data_bytes(DataId{0})) << text;
  }
}

TEST(Arithmetic, RefusesWhatItCannotCompute) {
  EXPECT_EQ(
      error_text(
          [] { (void)arithmetic_of("cholesky:n=3,deps=false", {.compute = Compute::product}); }),
      "workload 'cholesky:n=3,deps=false' is no product of matrices; compute checksum or empty instead");
  EXPECT_EQ(error_text([] { (void)arithmetic_of("outer:n=3", {.tile = 0}); }),
            "a tile of 0; give 1 to 1000000");
  EXPECT_EQ(error_text([] { (void)arithmetic_of("outer:n=3", {.rank = 1'000'001}); }),
            "a rank of 1000001; give 1 to 1000000");
}

/// Where tasks write data these are the results; where they only wait, each has its own.
TEST(Arithmetic, KnowsWhereResultsAreOfTasksInOrder) {
  const auto waits = Arithmetic::of(graph("waits", {1, 1, 1}, {{1, 0}}), {}, 1);
  EXPECT_FALSE(waits.writes_data());
  EXPECT_EQ(waits.output(TaskId{1}).where, TaskOutput::Where::fresh);
  EXPECT_EQ(waits.outputs(), waits.tasks());

  const auto writing = arithmetic_of("cholesky:n=2,deps=true");  // tasks POTRF, TRSM, SYRK, POTRF
  EXPECT_TRUE(writing.writes_data());
  EXPECT_EQ(writing.outputs(), 0U);
  std::vector<std::uint64_t> read;
  std::vector<std::array<std::uint64_t, 2>> written;
  for (std::uint64_t task = 0; task < writing.tasks(); ++task) {
    EXPECT_EQ(writing.output(TaskId{task}).where, TaskOutput::Where::none);
    writing.for_each_read(TaskId{task}, [&](DataId data) { read.push_back(raw(data)); });
    writing.for_each_written(TaskId{task}, [&](DataId data, std::uint64_t position, Access) {
      written.push_back({raw(data), position});
    });
  }
  EXPECT_EQ(read.size(), 1U + 2 + 2 + 1);
  EXPECT_EQ(written.size(), 4U);
}

std::vector<std::byte> content(const Arithmetic& arithmetic, std::uint64_t data) {
  std::vector<std::byte> result(arithmetic.data_bytes(DataId{data}), std::byte{0xab});
  arithmetic.fill(DataId{data}, result);
  return result;
}

template <typename Number>
std::vector<double> numbers(const Arithmetic& arithmetic, std::uint64_t data) {
  const auto bytes = content(arithmetic, data);
  std::vector<Number> result(bytes.size() / sizeof(Number));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return {result.begin(), result.end()};
}

/// Mean and mean square of m uniform numbers in [-1, 1): 0 and 1/3, with standard errors
/// sqrt(1/3 / m) and sqrt(4/45 / m); 5 of each are allowed.
void expect_uniform(const std::vector<double>& all) {
  double sum = 0;
  double squares = 0;
  for (const double x : all) {
    ASSERT_GE(x, -1);
    ASSERT_LT(x, 1);
    sum += x;
    squares += x * x;
  }
  const auto m = static_cast<double>(all.size());
  EXPECT_NEAR(sum / m, 0, 5 * std::sqrt(1.0 / 3 / m));
  EXPECT_NEAR(squares / m, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / m));
}

TEST(Arithmetic, FillsWithNumbersUniformFromMinusOneToOne) {
  for (std::uint64_t data = 0; data < 4; ++data) {
    expect_uniform(numbers<float>(arithmetic_of("gemm2d:n=2,tile=100,k=101"), data));
    expect_uniform(
        numbers<double>(arithmetic_of("gemm2d:n=2,tile=100,k=101,precision=double"), data));
  }
}

TEST(Arithmetic, FillsFromTheWordsOfItsOwnStream) {
  const auto single = numbers<float>(arithmetic_of("outer:n=2", {.tile = 3, .rank = 1}, 9), 1);
  const auto twice = numbers<double>(
      arithmetic_of("outer:n=2", {.precision = Precision::fp64, .tile = 3, .rank = 1}, 9), 1);
  Rng rng(9, Draw::values, 1);
  const std::array words{rng.next(), rng.next(), rng.next()};
  // The leading 24 or 53 bits as a signed whole number; three fp32 numbers are a word and a half.
  const auto leading = [](std::uint64_t word, int bits) {
    const auto whole = static_cast<double>(word >> (64 - bits));
    const double half = std::ldexp(1, bits - 1);
    return whole < half ? whole / half : whole / half - 2;
  };

  EXPECT_EQ(single, (std::vector{leading(words[0] << 32U, 24), leading(words[0], 24),
                                 leading(words[1] << 32U, 24)}));
  EXPECT_EQ(twice,
            (std::vector{leading(words[0], 53), leading(words[1], 53), leading(words[2], 53)}));
}

TEST(Arithmetic, FillsByDataAndSeedAlone) {
  const auto one = arithmetic_of("gemm2d:n=3,tile=4,k=8", {}, 1);

  EXPECT_EQ(content(one, 2), content(arithmetic_of("gemm2d:n=3,tile=4,k=8", {}, 1), 2));
  EXPECT_EQ(content(one, 2),
            content(arithmetic_of("gemm2d:n=3,tile=4,k=8,order=random,seed=8", {}, 1), 2));
  EXPECT_NE(content(one, 2), content(one, 3));
  EXPECT_NE(content(one, 2), content(arithmetic_of("gemm2d:n=3,tile=4,k=8", {}, 2), 2));
}

TEST(Arithmetic, StartsTilesOfCAsZeros) {
  for (const char* text : {"matrix:n=2", "gemm3d:n=2,tile=4,c=later"}) {
    const auto c = content(arithmetic_of(text), 9);

    EXPECT_TRUE(std::all_of(c.begin(), c.end(), [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST(Arithmetic, FillsWhatIsFoldedWithRandomBitsToTheLastByte) {
  const auto arithmetic = Arithmetic::of(graph("odd", {3, 8, 21}), {}, 4);
  Rng rng(4, Draw::values, 2);
  std::array<std::uint64_t, 3> words{rng.next(), rng.next(), rng.next()};

  EXPECT_EQ(std::memcmp(content(arithmetic, 2).data(), words.data(), 21), 0);
}

}  // namespace
}  // namespace damocles::arithmetic_test
