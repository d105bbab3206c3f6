#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "gpu/arithmetic/numbers.hpp"
#include "gpu/arithmetic/values.hpp"
#include "gpu/verification/full_check.hpp"
#include "gpu/verification/verify.hpp"
#include "models/rng.hpp"
#include "tests/gpu/executed_run.hpp"
#include "tests/gpu/hand_run.hpp"

namespace damocles::mixed_precision_test {
namespace {

constexpr std::array mixed{Precision::tf32, Precision::bf16, Precision::fp16};

TEST(Tf32, IsTheNearestOfItsNumbersAndTheEvenOneOfTwo) {
  EXPECT_EQ(to_tf32(1 + 0x1p-10F), 1 + 0x1p-10F);
  EXPECT_EQ(to_tf32(1 + 0x1p-11F), 1);                // between 1 and 1 + 2^-10: 1 is even
  EXPECT_EQ(to_tf32(1 + 3 * 0x1p-11F), 1 + 0x1p-9F);  // the other one is odd
  EXPECT_EQ(to_tf32(1 + 0x1p-11F + 0x1p-23F), 1 + 0x1p-10F);
  EXPECT_EQ(to_tf32(-2 + 0x1p-12F), -2);  // the power of two above
  EXPECT_EQ(to_tf32(0), 0);
  Rng rng(1, Draw::test, 0);
  for (int i = 0; i < 1000; ++i) {
    const auto number = static_cast<float>(std::ldexp(2 * rng.uniform() - 1, int(rng.below(20))));
    const float rounded = to_tf32(number);
    EXPECT_EQ(to_tf32(rounded), rounded);
    EXPECT_LE(std::abs(rounded - number), 0x1p-11F * std::abs(number)) << number;
  }
}

/// All numbers that are drawn, as multiples of `unit`.
template <typename Number>
std::vector<double> drawn(Precision precision, double unit) {
  std::vector<Number> numbers(100'003);
  fill_uniform(1, 2, precision, std::as_writable_bytes(std::span(numbers)));
  std::vector<double> result;
  for (const Number& number : numbers) result.push_back(static_cast<double>(number) / unit);
  return result;
}

void expect_uniform(const std::vector<double>& multiples, double half) {
  double sum = 0;
  for (const double multiple : multiples) {
    ASSERT_EQ(multiple, std::round(multiple));
    ASSERT_GE(multiple, -half);
    ASSERT_LT(multiple, half);
    sum += multiple / half;
  }
  const auto count = static_cast<double>(multiples.size());
  EXPECT_NEAR(sum / count, 0, 4 / std::sqrt(3 * count) + 0.5 / half);
  EXPECT_EQ(*std::min_element(multiples.begin(), multiples.end()), -half);
  EXPECT_EQ(*std::max_element(multiples.begin(), multiples.end()), half - 1);
}

TEST(FillUniform, DrawsAllNumbersOf16BitsThatAreMultiplesOfOne) {
  expect_uniform(drawn<Eigen::bfloat16>(Precision::bf16, 0x1p-7), 128);
  expect_uniform(drawn<Eigen::half>(Precision::fp16, 0x1p-10), 1024);
}

TEST(FillUniform, DrawsForTf32WhatItDrawsForFp32) {
  std::array<float, 100> tf32{};
  std::array<float, 100> fp32{};
  fill_uniform(1, 2, Precision::tf32, std::as_writable_bytes(std::span(tf32)));
  fill_uniform(1, 2, Precision::fp32, std::as_writable_bytes(std::span(fp32)));
  EXPECT_EQ(tf32, fp32);
}

const std::vector<std::string>& workloads() {
  static const std::vector<std::string> all{
      "gemm2d:n=3,tile=24,k=40", "sparse2d:n=4,density=0.5,tile=16,k=300", "gemm3d:n=3,tile=20",
      "gemm3d:n=3,tile=20,c=yes", "gemm3d:m=2,n=3,k=5,tile=12,c=later"};
  return all;
}

TEST(MixedPrecision, IsWithinItsToleranceHoweverItIsSummed) {
  for (const Precision precision : mixed) {
    for (const std::string& workload : workloads()) {
      HandRun run(workload + ",precision=" + std::string(precision_word(precision)), {});
      ASSERT_EQ(run.arithmetic.kernel().precision, precision);
      run.compute();
      for (const Check check : {Check::full, Check::freivalds}) {
        const Verification found = verify(run.arithmetic, run.workload, run.store, check);
        EXPECT_TRUE(found.right) << run.workload.text() << ": " << found.text;
        EXPECT_GT(found.worst, 0) << run.workload.text();
      }
    }
    for (const char* const workload : {"outer:n=4", "matrix:n=3"}) {
      HandRun run(workload, {.precision = precision, .tile = 16, .rank = 24});
      run.compute();
      EXPECT_TRUE(verify(run.arithmetic, run.workload, run.store, Check::full).right) << workload;
    }
  }
}

TEST(MixedPrecision, IsExecutedByStrategies) {
  for (const Precision precision : mixed) {
    for (const std::string& text : workloads()) {
      const auto workload =
          Workload::parse(text + ",precision=" + std::string(precision_word(precision)));
      SCOPED_TRACE(workload.text());
      ExecutedRun run(workload, limited(2, room_bytes(workload, Room::medium), 0));
      run.by("eager");
      run.expect_sound();
    }
  }
}

/// Adds two units of the last bit that is kept to the largest number of a tile, whose units exceed
/// what sums may err by most.
void step_twice(HandRun& run) {
  const std::size_t count = run.arithmetic.kernel().m * run.arithmetic.kernel().n;
  auto* const numbers = &run.number<std::uint16_t>(1, 0);
  constexpr unsigned all_but_sign = 0x7fff;
  *std::max_element(numbers, numbers + count, [](std::uint16_t a, std::uint16_t b) {
    return (a & all_but_sign) < (b & all_but_sign);
  }) += 2;
}

/// What one task leaves is rounded once, to nearest: half a unit, and more is wrong.
TEST(MixedPrecision, FindsANumberThatIsTwoUnitsOff) {
  for (const char* const precision : {"bf16", "fp16"}) {
    HandRun run(std::string("gemm2d:n=2,tile=24,k=40,precision=") + precision, {});
    run.compute();
    ASSERT_TRUE(verify(run.arithmetic, run.workload, run.store, Check::full).right);
    step_twice(run);
    EXPECT_FALSE(verify(run.arithmetic, run.workload, run.store, Check::full).right) << precision;
  }
}

/// Factors in another precision than was asked for. A single term shows it most: sums of many err
/// by less than the worst that each of them may.
TEST(MixedPrecision, FindsFactorsOfTooFewBits) {
  HandRun run("gemm2d:n=2,tile=32,k=1,precision=tf32", {});
  std::vector<std::vector<float>> coarse;
  run.compute([&](TaskCall& call) {
    coarse.clear();
    for (TaskCall::Input& input : call.inputs) {
      auto& numbers = coarse.emplace_back(input.bytes / sizeof(float));
      std::memcpy(numbers.data(), input.at, input.bytes);
      for (float& number : numbers) {
        number = static_cast<float>(static_cast<Eigen::bfloat16>(number));
      }
      input.at = reinterpret_cast<const std::byte*>(numbers.data());
    }
    return true;
  });
  EXPECT_FALSE(verify(run.arithmetic, run.workload, run.store, Check::full).right);
}

/// tf32 in the place of fp32 is found (usual_error_test.cpp); fp32 in the place of tf32 is better
/// than what was asked for, and right.
TEST(MixedPrecision, MayBeBetterThanItMust) {
  HandRun tf32("gemm2d:n=2,tile=16,k=300,precision=tf32", {});
  HandRun fp32("gemm2d:n=2,tile=16,k=300", {});
  fp32.compute();
  for (std::uint64_t tile = 0; tile < 4; ++tile) {
    std::memcpy(tf32.store.output(tile), fp32.store.output(tile), fp32.arithmetic.output_bytes());
    tf32.store.arrived(tile);
  }
  EXPECT_TRUE(verify(tf32.arithmetic, tf32.workload, tf32.store, Check::full).right);
}

/// K terms of full size whose factors are all cut off by 2^-10 almost, as hardware may: the bound
/// is one that can be reached.
TEST(FullTolerance, AllowsFactorsThatAreCutOff) {
  constexpr double terms = 100;
  constexpr double cut = 1 - 0x1p-10;
  EXPECT_GE(full_tolerance(Precision::tf32, terms), 1 - cut * cut);
  EXPECT_LT(full_tolerance(Precision::tf32, terms), 1.2 * (1 - cut * cut));
}

TEST(FullTolerance, GrowsWithTheTasksThatRoundWhatIsKept) {
  EXPECT_EQ(full_tolerance(Precision::bf16, 10, 1), full_tolerance(Precision::fp16, 10, 1));
  EXPECT_GT(full_tolerance(Precision::bf16, 10, 2), 4 * 0x1p-8);
  EXPECT_GT(full_tolerance(Precision::bf16, 10, 4), full_tolerance(Precision::bf16, 10, 3));
  EXPECT_EQ(full_tolerance(Precision::tf32, 10, 4), full_tolerance(Precision::tf32, 10, 1));
  EXPECT_EQ(result_tolerance(Precision::fp32), 0);
  EXPECT_NEAR(result_tolerance(Precision::bf16), 0x1p-8, 0x1p-15);
  EXPECT_EQ(result_tolerance(Precision::bf16, 2), 0);
}

}  // namespace
}  // namespace damocles::mixed_precision_test
