// What a program without CUDA says; tests/gpu/cuda/ has the others.
#include <gtest/gtest.h>

#include <string>

#include "gpu/cuda_device.hpp"
#include "models/error.hpp"

namespace damocles::no_cuda_test {
namespace {

TEST(NoCuda, SaysHowToBuildIt) {
  if (cuda_was_built()) GTEST_SKIP() << "built with CUDA";
  try {
    (void)make_cuda_device({});
    FAIL() << "made a device of nothing";
  } catch (const InvalidInput& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("cmake --preset cuda"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace damocles::no_cuda_test
