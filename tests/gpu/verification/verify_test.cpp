#include "gpu/verification/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

#include "gpu/verification/freivalds.hpp"
#include "gpu/verification/full_check.hpp"
#include "tests/error_text.hpp"
#include "tests/gpu/hand_run.hpp"

namespace damocles::verify_test {
namespace {

struct Case {
  std::string workload;  ///< of which `%` is the precision, where it says
  Precision precision;
};

std::string text_of(const Case& one) {
  const bool silent = one.workload.starts_with("outer") || one.workload.starts_with("matrix");
  if (silent) return one.workload;
  return one.workload +
         (one.precision == Precision::fp32 ? ",precision=single" : ",precision=double");
}

void PrintTo(const Case& one, std::ostream* out) {
  *out << text_of(one) << (one.precision == Precision::fp32 ? " in fp32" : " in fp64");
}

/// Tiles of 24 rows of `outer` and `matrix`, unlike the rank, so that no two extents are alike.
HandRun run_of(const Case& one) {
  return {text_of(one), {.precision = one.precision, .tile = 24, .rank = 10}};
}

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const char* workload :
       {"outer:m=3,n=5", "matrix:m=3,n=2,k=4", "gemm2d:m=3,n=4,tile=16,k=40",
        "gemm2d:m=3,n=4,tile=16,k=40,order=random", "gemm3d:m=2,n=3,k=4,tile=16",
        "gemm3d:m=2,n=3,k=4,tile=16,c=yes", "gemm3d:m=2,n=3,k=4,tile=16,c=later",
        "gemm3d:m=2,n=3,k=4,tile=16,c=yes,order=random",
        "gemm3d:m=2,n=3,k=4,tile=16,c=later,order=random",
        "sparse2d:m=9,n=7,density=0.3,tile=16,k=40"}) {
    result.push_back({workload, Precision::fp32});
    result.push_back({workload, Precision::fp64});
  }
  return result;
}

class EveryProduct : public testing::TestWithParam<Case> {};

TEST_P(EveryProduct, IsFoundRightByEitherCheck) {
  HandRun run = run_of(GetParam());
  run.compute();

  for (const Check check : {Check::full, Check::freivalds}) {
    const Verification verification = verify(run.arithmetic, run.workload, run.store, check);

    EXPECT_TRUE(verification.right) << verification.text;
    EXPECT_EQ(verification.check, check);
    EXPECT_GT(verification.worst, 0);  // rounding there is
    EXPECT_LT(verification.worst, 1);
    EXPECT_TRUE(verification.text.starts_with("right: ")) << verification.text;
  }
}

/// Both checks call the run wrong and name the tile.
void expect_wrong(HandRun& run, std::uint64_t tile, const std::string& why = {}) {
  for (const Check check : {Check::full, Check::freivalds}) {
    const Verification verification = verify(run.arithmetic, run.workload, run.store, check);

    EXPECT_FALSE(verification.right);
    EXPECT_TRUE(verification.text.starts_with("wrong: ")) << verification.text;
    EXPECT_NE(verification.text.find(run.arithmetic.tile_name(tile)), std::string::npos)
        << verification.text;
    EXPECT_NE(verification.text.find(why), std::string::npos) << verification.text;
  }
}

TEST_P(EveryProduct, OfASwappedPairOfTilesIsFoundWrong) {
  HandRun run = run_of(GetParam());
  run.compute();
  std::swap_ranges(run.store.output(1), run.store.output(1) + run.arithmetic.output_bytes(),
                   run.store.output(4));

  expect_wrong(run, 1);
  expect_wrong(run, 4);
}

TEST_P(EveryProduct, WithOneTermLeftOutIsFoundWrong) {
  HandRun run = run_of(GetParam());
  const TaskId left_out{run.arithmetic.tasks() / 2};
  const auto [where, tile] = run.arithmetic.output(left_out);
  if (where == TaskOutput::Where::fresh) {
    // All terms are one task's: leave the last row of B out.
    std::vector<std::byte> shorter;
    const Kernel& kernel = run.arithmetic.kernel();
    const std::size_t row = kernel.n * element_bytes(kernel.precision);
    run.compute([&](TaskCall& call) {
      if (call.task == left_out) {
        shorter.assign(call.inputs[1].at, call.inputs[1].at + call.inputs[1].bytes - row);
        shorter.resize(call.inputs[1].bytes);
        call.inputs[1].at = shorter.data();
      }
      return true;
    });
  } else {
    run.compute([&](TaskCall& call) { return call.task != left_out; });
  }

  expect_wrong(run, tile);
}

TEST_P(EveryProduct, OfAStaleInputIsFoundWrong) {
  HandRun run = run_of(GetParam());
  const TaskId task{run.arithmetic.tasks() / 2};
  run.compute([&](TaskCall& call) {
    // What the slot held before: another data item of the same shape.
    const bool first_row = call.inputs[0].at == run.store.data(DataId{0});
    if (call.task == task) call.inputs[0].at = run.store.data(DataId{first_row ? 1U : 0U});
    return true;
  });

  expect_wrong(run, run.arithmetic.output(task).tile);
}

TEST_P(EveryProduct, WithATileNeverWrittenIsFoundWrong) {
  HandRun run = run_of(GetParam());
  const std::uint64_t tile = run.arithmetic.output(TaskId{3}).tile;
  HandRun other = run_of(GetParam());
  other.compute();
  for (std::uint64_t t = 0; t < run.arithmetic.outputs(); ++t) {
    if (t != tile) run.store.add(t, other.store.output(t));
  }

  expect_wrong(run, tile, "it was never written");
}

TEST_P(EveryProduct, WithPartOfATileNeverWrittenIsFoundWrong) {
  HandRun run = run_of(GetParam());
  run.compute();
  const std::size_t element = element_bytes(run.arithmetic.kernel().precision);
  const std::size_t n = run.arithmetic.kernel().n;
  std::memset(run.store.output(2) + (3 * n + 7) * element, 0xff, element);

  expect_wrong(run, 2, "its number (3, 7) was never written");
}

TEST_P(EveryProduct, WithANaNIsFoundWrong) {
  HandRun run = run_of(GetParam());
  run.compute();
  if (GetParam().precision == Precision::fp32) {
    run.number<float>(2, 5) = std::numeric_limits<float>::quiet_NaN();
  } else {
    run.number<double>(2, 5) = std::numeric_limits<double>::quiet_NaN();
  }

  expect_wrong(run, 2, "its number (0, 5) is nan");
  EXPECT_TRUE(std::isinf(verify(run.arithmetic, run.workload, run.store, Check::freivalds).worst));
}

/// Adds to number (1, 2) of a tile, in its precision.
void change(HandRun& run, std::uint64_t tile, double by) {
  const std::size_t at = run.arithmetic.kernel().n + 2;
  if (run.arithmetic.kernel().precision == Precision::fp32) {
    run.number<float>(tile, at) += static_cast<float>(by);
  } else {
    run.number<double>(tile, at) += by;
  }
}

/// The sum of |a_l| |b_l| and the terms of number (1, 2) of a tile, one after the other.
template <typename Number>
std::array<double, 2> sums(const HandRun& run, std::uint64_t tile) {
  const Kernel& kernel = run.arithmetic.kernel();
  const BlockProduct& blocks = run.arithmetic.product();
  const auto [i, j] = run.arithmetic.block(tile);
  std::array<double, 2> result{};
  for (std::uint64_t l = 0; l < blocks.inner; ++l) {
    const auto* const a = reinterpret_cast<const Number*>(run.store.data(blocks.a(i, l)));
    const auto* const b = reinterpret_cast<const Number*>(run.store.data(blocks.b(l, j)));
    for (std::size_t s = 0; s < kernel.k; ++s) {
      result[0] += std::abs(static_cast<double>(a[kernel.k + s]) * b[s * kernel.n + 2]);
      result[1] += 1;
    }
  }
  return result;
}

double bound(const HandRun& run, std::uint64_t tile) {
  const bool single = run.arithmetic.kernel().precision == Precision::fp32;
  const auto [absolute, terms] = single ? sums<float>(run, tile) : sums<double>(run, tile);
  return (terms + 2) * absolute * ((single ? 0x1p-24 : 0x1p-53) + 0x1p-53);
}

/// See usual_error().
double usual_of(const HandRun& run) {
  return usual_error(
      static_cast<double>(run.arithmetic.product().inner * run.arithmetic.kernel().k));
}

TEST_P(EveryProduct, ChangedByTenTolerancesIsFoundWrongInFull) {
  HandRun run = run_of(GetParam());
  run.compute();
  change(run, 2, 10 * bound(run, 2));

  const Verification verification = verify(run.arithmetic, run.workload, run.store, Check::full);

  EXPECT_FALSE(verification.right);
  EXPECT_NE(verification.text.find(run.arithmetic.tile_name(2)), std::string::npos)
      << verification.text;
  EXPECT_NE(verification.text.find("number (1, 2)"), std::string::npos) << verification.text;
  EXPECT_NEAR(verification.worst, 10, 1.01);  // rounding takes or gives less than one tolerance
}

TEST_P(EveryProduct, ChangedByLessThanTheToleranceIsRounding) {
  HandRun run = run_of(GetParam());
  run.compute();
  const double before = verify(run.arithmetic, run.workload, run.store, Check::full).worst;
  const double usual = usual_of(run);
  ASSERT_LT(before, 0.5 * usual);
  change(run, 2, 0.5 * usual * bound(run, 2));

  const Verification verification = verify(run.arithmetic, run.workload, run.store, Check::full);

  EXPECT_TRUE(verification.right) << verification.text;
  EXPECT_GT(verification.worst, 0.5 * usual - before);
}

/// Columns of tiles that are looked at together with a tile: all where its row has all its tiles.
std::vector<std::uint64_t> columns_with(const HandRun& run, std::uint64_t tile) {
  std::vector<std::uint64_t> columns;
  const auto [i, j] = run.arithmetic.block(tile);
  for (std::uint64_t other = 0; other < run.arithmetic.outputs(); ++other) {
    const auto [row, column] = run.arithmetic.block(other);
    if (row == i) columns.push_back(column);
  }
  const bool whole = columns.size() == run.arithmetic.product().columns;
  return whole ? columns : std::vector<std::uint64_t>{j};
}

/// |row 1 of A| |columns of B| of a tile and those that are looked at with it.
template <typename Number>
double norms(const HandRun& run, std::uint64_t tile) {
  const Kernel& kernel = run.arithmetic.kernel();
  const BlockProduct& blocks = run.arithmetic.product();
  const std::uint64_t i = run.arithmetic.block(tile)[0];
  double a_squares = 0;
  double b_squares = 0;
  for (std::uint64_t l = 0; l < blocks.inner; ++l) {
    const auto* const a = reinterpret_cast<const Number*>(run.store.data(blocks.a(i, l)));
    for (std::size_t s = 0; s < kernel.k; ++s) a_squares += std::pow(a[kernel.k + s], 2);
    for (const std::uint64_t j : columns_with(run, tile)) {
      const auto* const b = reinterpret_cast<const Number*>(run.store.data(blocks.b(l, j)));
      for (std::size_t s = 0; s < kernel.k * kernel.n; ++s) b_squares += std::pow(b[s], 2);
    }
  }
  return std::sqrt(a_squares * b_squares);
}

double row_tolerance(const HandRun& run, std::uint64_t tile) {
  const Kernel& kernel = run.arithmetic.kernel();
  const auto terms = static_cast<double>(run.arithmetic.product().inner * kernel.k);
  const auto columns = static_cast<double>(columns_with(run, tile).size() * kernel.n);
  return freivalds_tolerance(kernel.precision, terms, columns) *
         (kernel.precision == Precision::fp32 ? norms<float>(run, tile) : norms<double>(run, tile));
}

TEST_P(EveryProduct, ChangedByTwoTolerancesIsFoundWrongByFreivalds) {
  HandRun run = run_of(GetParam());
  run.compute();
  change(run, 2, 2.1 * row_tolerance(run, 2));

  const Verification verification =
      verify(run.arithmetic, run.workload, run.store, Check::freivalds);

  EXPECT_FALSE(verification.right);
  EXPECT_NE(verification.text.find(run.arithmetic.tile_name(2)), std::string::npos)
      << verification.text;
  EXPECT_NE(verification.text.find("row 1 "), std::string::npos) << verification.text;
}

TEST_P(EveryProduct, ChangedByLessThanTheToleranceOfARowIsRoundingToFreivalds) {
  HandRun run = run_of(GetParam());
  run.compute();
  const double before = verify(run.arithmetic, run.workload, run.store, Check::freivalds).worst;
  const double usual = usual_of(run);
  ASSERT_LT(before, 0.5 * usual);
  change(run, 2, 0.5 * usual * row_tolerance(run, 2));

  const Verification verification =
      verify(run.arithmetic, run.workload, run.store, Check::freivalds);

  EXPECT_TRUE(verification.right) << verification.text;
  EXPECT_GT(verification.worst, 0.5 * usual - before);
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = text_of(info.param);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name + (info.param.precision == Precision::fp32 ? "_fp32" : "_fp64");
}

INSTANTIATE_TEST_SUITE_P(Workloads, EveryProduct, testing::ValuesIn(cases()), name_of);

TEST(Verify, FindsATileWrittenTwice) {
  HandRun run({"gemm2d:n=3,tile=8,k=8"}, {});
  run.compute();
  run.store.arrived(5);

  expect_wrong(run, 5, "it was written 2 times, not once");
}

TEST(Verify, TakesSumsOfSeveralProcessorsAsOneTile) {
  HandRun run({"matrix:n=2"}, {});
  run.compute();

  EXPECT_GT(run.store.arrivals(0) + run.store.arrivals(1) + run.store.arrivals(2), 3U);
  EXPECT_TRUE(verify(run.arithmetic, run.workload, run.store, Check::full).right);
}

TEST(Verify, NamesAFewOfManyWrongTiles) {
  HandRun run({"outer:n=4"}, {});

  const Verification verification = verify(run.arithmetic, run.workload, run.store, Check::full);

  EXPECT_EQ(verification.text,
            "wrong: tile (0, 0): it was never written; tile (0, 1): it was never written; "
            "tile (0, 2): it was never written; and 13 more of 16");
}

TEST(Verify, FindsDataThatChanged) {
  HandRun run({"outer:n=3"}, {});
  run.compute();
  ASSERT_TRUE(verify(run.arithmetic, run.workload, run.store, Check::full).right);
  const_cast<std::byte*>(run.store.data(DataId{4}))[3] ^= std::byte{1};

  for (const Check check : {Check::full, Check::freivalds}) {
    const Verification verification = verify(run.arithmetic, run.workload, run.store, check);

    EXPECT_FALSE(verification.right);
    EXPECT_NE(verification.text.find("data b(1) is not what it was before the run"),
              std::string::npos)
        << verification.text;
  }
}

TEST(Verify, HasATighterEyeThanItsWorstCase) {
  // K = 256 terms: the tolerance is some 256 u |A||B|; real errors grow as sqrt(K) or slower.
  HandRun run({"gemm2d:n=2,tile=32,k=256"}, {});
  run.compute();

  for (const Check check : {Check::full, Check::freivalds}) {
    const Verification verification = verify(run.arithmetic, run.workload, run.store, check);

    EXPECT_GT(verification.worst, 1e-4) << verification.text;
    EXPECT_LT(verification.worst, 0.5) << verification.text;
  }
}

/// Twice the tolerance of the row whose tolerance is largest: of 64 numbers in [-1, 1) the norms of
/// 32 rows differ by 6 % in one standard deviation.
TEST(Verify, SaysWhatOneWrongNumberMustExceedToBeSeen) {
  HandRun run({"gemm2d:n=2,tile=16,k=64"}, {});
  run.compute();
  const std::string text = verify(run.arithmetic, run.workload, run.store, Check::freivalds).text;

  const std::string before = "one number off by more than ";
  const auto at = text.find(before);
  ASSERT_NE(at, std::string::npos) << text;
  const double detectable = std::stod(text.substr(at + before.size()));
  EXPECT_GT(detectable, 1.9 * row_tolerance(run, 0));
  EXPECT_LT(detectable, 2.6 * row_tolerance(run, 0));
}

TEST(Verify, ResultsAloneSayNothingOfInputs) {
  HandRun run({"outer:n=3"}, {});
  run.compute();
  EXPECT_EQ(changed_inputs(run.arithmetic, run.store), "");
  const_cast<std::byte*>(run.store.data(DataId{4}))[3] ^= std::byte{1};

  EXPECT_EQ(changed_inputs(run.arithmetic, run.store),
            "wrong: data b(1) is not what it was before the run");
}

TEST(Verify, ComparesChecksumsExactly) {
  for (const char* text :
       {"cholesky:n=5,tile=9,deps=false", "cholesky:n=5,tile=9,order=random,deps=false"}) {
    HandRun run({text}, {});
    run.compute();
    const Verification before = verify(run.arithmetic, run.workload, run.store, Check::automatic);
    *run.store.output(7) ^= std::byte{4};
    const Verification after = verify(run.arithmetic, run.workload, run.store, Check::freivalds);

    EXPECT_TRUE(before.right) << before.text;
    EXPECT_EQ(before.check, Check::full);
    EXPECT_FALSE(after.right);
    EXPECT_TRUE(after.text.starts_with("wrong: the output of task " +
                                       run.workload.task_name(TaskId{7}) + ": it is "))
        << after.text;
  }
}

TEST(Verify, ChecksInFullUpToTwoGflop) {
  HandRun small({"gemm2d:n=2,tile=8,k=8"}, {});
  small.compute();

  EXPECT_EQ(verify(small.arithmetic, small.workload, small.store, Check::automatic).check,
            Check::full);

  // 2 * 2 * 512^2 * 2048 = 2.1 Gflop, and nothing arrived, so that it takes no time.
  HandRun large({"gemm2d:m=1,n=2,tile=512,k=2048"}, {});

  EXPECT_EQ(verify(large.arithmetic, large.workload, large.store, Check::automatic).check,
            Check::freivalds);
}

TEST(Verify, SaysWhatItDidNotCheck) {
  HandRun run({"outer:n=2"}, {});
  HandRun empty({"outer:n=2"}, {.compute = ArithmeticOptions::Compute::empty});
  empty.compute();

  const Verification none = verify(run.arithmetic, run.workload, run.store, Check::none);
  const Verification nothing = verify(empty.arithmetic, empty.workload, empty.store, Check::full);

  EXPECT_EQ(none.text, "not checked");
  EXPECT_EQ(nothing.check, Check::none);
  EXPECT_EQ(nothing.text, "not checked: the tasks are empty");
}

TEST(Verify, StatesTheChanceOfAMiss) {
  HandRun run({"outer:n=2"}, {});
  run.compute();

  const Verification verification =
      verify(run.arithmetic, run.workload, run.store, Check::freivalds);

  EXPECT_NE(verification.text.find("missed with probability at most 1e-06"), std::string::npos)
      << verification.text;
}

TEST(Verify, KnowsItsChecksByName) {
  EXPECT_EQ(check_named("auto"), Check::automatic);
  EXPECT_EQ(check_named("full"), Check::full);
  EXPECT_EQ(check_named("freivalds"), Check::freivalds);
  EXPECT_EQ(check_named("none"), Check::none);
  EXPECT_NE(error_text([] { (void)check_named("frievalds"); }).find("did you mean 'freivalds'"),
            std::string::npos);
}

}  // namespace
}  // namespace damocles::verify_test
