#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "gpu/arithmetic/numbers.hpp"
#include "gpu/verification/verify.hpp"
#include "tests/gpu/hand_run.hpp"

namespace damocles::usual_error_test {
namespace {

/// The numbers of a data item with 10 bits of 23 of their fractions, as TF32 takes them.
std::vector<float> in_tf32(std::span<const std::byte> content) {
  std::vector<float> numbers(content.size() / sizeof(float));
  std::memcpy(numbers.data(), content.data(), content.size());
  std::transform(numbers.begin(), numbers.end(), numbers.begin(), to_tf32);
  return numbers;
}

TEST(UsualError, FindsThatTf32WasTakenForFp32) {
  for (const char* workload : {"gemm2d:n=2,tile=16,k=64", "gemm2d:n=3,tile=16,k=2048"}) {
    HandRun run({workload}, {});
    std::vector<std::vector<float>> rounded;
    run.compute([&](TaskCall& call) {
      rounded.clear();
      for (TaskCall::Input& input : call.inputs) {
        rounded.push_back(in_tf32({input.at, input.bytes}));
        input.at = reinterpret_cast<const std::byte*>(rounded.back().data());
      }
      return true;
    });
    for (const Check check : {Check::full, Check::freivalds}) {
      EXPECT_FALSE(verify(run.arithmetic, run.workload, run.store, check).right) << workload;
    }
  }
}

/// Where the tolerance alone is passed: many terms, of which it takes the worst.
TEST(UsualError, SaysThatTf32MayHaveBeenTaken) {
  HandRun run({"gemm2d:n=2,tile=2,k=100000"}, {});
  run.compute();
  const Verification right = verify(run.arithmetic, run.workload, run.store, Check::freivalds);
  run.number<float>(1, 0) += 0.5F;

  const Verification wrong = verify(run.arithmetic, run.workload, run.store, Check::freivalds);

  EXPECT_TRUE(right.right) << right.text;
  EXPECT_LT(right.worst, usual_error(100'000));
  EXPECT_FALSE(wrong.right);
  EXPECT_LT(wrong.worst, 1);
  EXPECT_TRUE(wrong.text.starts_with("wrong: less precise than fp32 is")) << wrong.text;
  EXPECT_NE(wrong.text.find("TF32 may have been taken"), std::string::npos) << wrong.text;
}

}  // namespace
}  // namespace damocles::usual_error_test
