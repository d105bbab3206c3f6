// What processors draw.

#include "models/platforms/energy.hpp"

#include <gtest/gtest.h>

#include "models/platforms/scenario.hpp"
#include "tests/models/platforms/platform_file.hpp"

namespace damocles::powers_test {
namespace {

class PowersFile : public PlatformFile {};

TEST(Powers, AreOfProcessorsAndKinds) {
  const Workload workload = Workload::parse("cholesky:n=2,deps=true");
  const Platform gpus =
      Scenario::parse("gpus:k=2,power=0.3kW,idle=50W,powers=TRSM:120W").draw(1, 0);
  ASSERT_TRUE(gpus.machine->has_powers());
  EXPECT_EQ(gpus.machine->processors[1].power.idle_w, 50);
  const Powers powers(workload, gpus);
  ASSERT_EQ(workload.graph().kind_name(1), "TRSM");
  EXPECT_DOUBLE_EQ(powers.w(1, 0), 300);
  EXPECT_DOUBLE_EQ(powers.w(1, 1), 120);
  // Tasks without a kind.
  const Workload product = Workload::parse("gemm2d:n=2");
  EXPECT_DOUBLE_EQ(Powers(product, Scenario::parse("gpus:power=250W").draw(1, 0)).w(0, 3), 250);
}

TEST(Powers, OfWrongKindsOrValuesAreRefused) {
  EXPECT_EQ(refusal("gpus:power=0W"),
            "platform 'gpus:power=0W': power must be a power, such as 300W, not '0W'");
  EXPECT_EQ(refusal("gpus:power=hot"),
            "platform 'gpus:power=hot': power must be a power, such as 300W, not 'hot'");
  EXPECT_EQ(refusal("gpus:power=300W,idle=-1W"),
            "platform 'gpus:power=300W,idle=-1W': idle must be a power, such as 300W, not '-1W'");
  EXPECT_EQ(refusal("gpus:power=300W,idle=0W"), "no error");
  EXPECT_EQ(
      refusal("gpus:idle=50W"),
      "platform 'gpus:idle=50W': idle and powers need the power of a processor that computes; give power=300W");
  for (const std::string powers : {"GEMM", "GEMM:", ":1W", "GEMM:0W", "GEMM:1s", "GEMM:1W+",
                                   "GEMM:1W+GEMM:2W", "GEMM:1e12W"}) {
    EXPECT_EQ(
        refusal("gpus:power=1W,powers=" + powers),
        "platform 'gpus:power=1W,powers=" + powers +
            "': powers must be a power above 0 for each kind of task, as GEMM:280W+POTRF:120W, not '" +
            powers + "'");
  }
  const Workload product = Workload::parse("gemm2d:n=2");
  EXPECT_EQ(
      error_text([&] {
        static_cast<void>(
            Powers(product, Scenario::parse("gpus:power=1W,powers=GEMM:2W").draw(1, 0)));
      }),
      "the platform gives a power for tasks of kind GEMM, but 'gemm2d:n=2' has no kinds; remove the powers");
}

TEST_F(PowersFile, AreOfAllProcessorsOrOfNone) {
  EXPECT_EQ(
      file_refusal("[[gpus]]\npower = \"300W\"\nidle = \"30W\"\n[[gpus]]\ncount = 2\n"),
      "platform file 'FILE': GPU0 has a power of 300 W, but GPU1 has none; give it one, as power=300W");
  EXPECT_EQ(
      file_refusal("[[gpus]]\npower = \"300W\"\n[[gpus]]\npower = \"10W\"\npowers = \"GEMM:5W\"\n"),
      "no error");
}

}  // namespace
}  // namespace damocles::powers_test
