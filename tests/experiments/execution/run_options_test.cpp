#include "experiments/commands/run_options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "experiments/execution/execution.hpp"
#include "tests/error_text.hpp"

namespace damocles::run_options_test {
namespace {

using Compute = ArithmeticOptions::Compute;

struct Case {
  std::string RunOptions::*option;
  std::string text;
  std::string says;
};

std::string refusal(const RunOptions& options, const char* workload = "outer:n=4") {
  return error_text([&] { (void)options.parsed(Workload::parse(workload)); });
}

TEST(RunOptions, DefaultToAVerifiedHostRunAsFastAsItGoes) {
  const ExecutionOptions parsed = RunOptions{}.parsed(Workload::parse("outer:n=4"));

  EXPECT_EQ(parsed.backend, "host");
  EXPECT_EQ(parsed.arithmetic.compute, Compute::automatic);
  EXPECT_EQ(parsed.arithmetic.precision, Precision::fp32);
  EXPECT_EQ(parsed.arithmetic.tile, 32U);
  EXPECT_EQ(parsed.arithmetic.rank, 8U);
  EXPECT_EQ(parsed.check, Check::automatic);
  EXPECT_EQ(parsed.pace_s, std::nullopt);
  EXPECT_TRUE(parsed.throttle);
  EXPECT_EQ(parsed.depth, 1U);
  EXPECT_TRUE(parsed.multiprocessors.empty());
}

TEST(RunOptions, MeanWhatTheySay) {
  RunOptions options;
  options.compute = "checksum";
  options.precision = "double";
  options.tile = "1000000";
  options.inner = std::string("1");  // GCC 12 takes "1" for overlapping memory (its bug 105329)
  options.check = "freivalds";
  options.pace = "500us";
  options.depth = std::string("3");
  options.no_throttle = true;

  const ExecutionOptions parsed = options.parsed(Workload::parse("matrix:n=4"));

  EXPECT_EQ(parsed.arithmetic.compute, Compute::checksum);
  EXPECT_EQ(parsed.arithmetic.precision, Precision::fp64);
  EXPECT_EQ(parsed.arithmetic.tile, 1'000'000U);
  EXPECT_EQ(parsed.arithmetic.rank, 1U);
  EXPECT_EQ(parsed.check, Check::freivalds);
  EXPECT_DOUBLE_EQ(*parsed.pace_s, 500e-6);
  EXPECT_EQ(parsed.depth, 3U);
  EXPECT_FALSE(parsed.throttle);
}

TEST(RunOptions, RefuseEachWrongValueByItsName) {
  const std::vector<Case> cases{
      {&RunOptions::compute, "prod",
       "unknown compute 'prod'; did you mean 'product'? valid: auto, product, checksum, empty"},
      {&RunOptions::precision, "half",
       "unknown precision 'half'; valid: single, double, tf32, bf16, fp16"},
      {&RunOptions::check, "ful", "unknown --verify 'ful'; did you mean 'full'?"},
      {&RunOptions::tile, "0", "--tile '0': give a whole number from 1 to 1000000"},
      {&RunOptions::tile, "1000001", "--tile '1000001': give a whole number from 1 to 1000000"},
      {&RunOptions::inner, "-1", "--inner '-1': give a whole number from 1 to 1000000"},
      {&RunOptions::inner, "8.5", "--inner '8.5': give a whole number"},
      {&RunOptions::depth, "0", "--depth '0': give a whole number from 1 to 1000000"},
      {&RunOptions::pace, "0ms", "--pace '0ms': give a time above 0 and up to 1h"},
      {&RunOptions::pace, "-1ms", "--pace '-1ms': give a time above 0"},
      {&RunOptions::pace, "3601s", "--pace '3601s': give a time above 0 and up to 1h"},
      {&RunOptions::pace, "1MB", "--pace '1MB': give a time above 0"},
      {&RunOptions::pace, "nan", "--pace 'nan': give a time above 0"},
      {&RunOptions::multiprocessors, "8,0", "--sms '0': give a whole number from 1 to 4096"},
      {&RunOptions::multiprocessors, "8,,8", "--sms '': give a whole number from 1 to 4096"},
      {&RunOptions::multiprocessors, "8",
       "--sms is for --backend cuda; host has no multiprocessors; use --pace"}};
  for (const Case& wrong : cases) {
    RunOptions options;
    options.*wrong.option = wrong.text;
    EXPECT_TRUE(refusal(options).starts_with(wrong.says)) << refusal(options);
  }
}

TEST(RunOptions, RefuseSizesOfBlocksWhereTheWorkloadHasItsOwn) {
  const std::string only = " applies only to outer and matrix; ";
  for (const auto& [option, value, workload, says] :
       {std::tuple(&RunOptions::tile, "16", "gemm2d:n=4,tile=64",
                   "--tile" + only + "give tile= in the workload, as gemm2d:tile=16"),
        {&RunOptions::inner, "16", "gemm2d:n=4",
         "--inner" + only + "give k= in the workload, as gemm2d:k=16"},
        {&RunOptions::inner, "16", "gemm3d:n=4",
         "--inner" + only + "leave it out, as gemm3d has its own sizes and precision"},
        {&RunOptions::precision, "double", "cholesky:n=4,deps=false",
         "--precision" + only + "give precision= in the workload, as cholesky:precision=double"},
        {&RunOptions::precision, "double", "starpu-lu:n=4",
         "--precision" + only + "leave it out, as starpu-lu has its own sizes and precision"}}) {
    RunOptions options;
    options.*option = value;
    EXPECT_EQ(refusal(options, workload), says);
    EXPECT_EQ(refusal(options, "matrix:n=4"), "no error");
  }
}

TEST(RunOptions, GiveAGpuItsSharesAndNoPace) {
  RunOptions options;
  options.backend = "cuda";
  options.multiprocessors = "8,16,32";
  EXPECT_EQ(options.parsed(Workload::parse("outer:n=4")).multiprocessors,
            (std::vector<unsigned>{8, 16, 32}));

  options.pace = "1ms";

  EXPECT_EQ(refusal(options),
            "--pace is for --backend host or mpi; cuda computes as fast as it goes");
}

}  // namespace
}  // namespace damocles::run_options_test
