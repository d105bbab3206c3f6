// Runs that take more memory of this computer than there is are refused before they start.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "strategies/registry.hpp"
#include "tests/error_text.hpp"

namespace damocles::host_bytes_test {
namespace {

/// 100 MB of memory, whatever this computer has.
class HostBytes : public testing::Test {
 protected:
  HostBytes() { setenv("DAMOCLES_HOST_MEMORY", "100MB", 1); }
  ~HostBytes() override { unsetenv("DAMOCLES_HOST_MEMORY"); }

  static std::string refusal(const std::string& strategy) {
    const Workload workload = Workload::parse("gemm2d:m=1,n=1899");
    const Platform platform = Scenario::parse("gpus:k=4000,memory=500MB").draw(1, 0);
    return error_text([&] {
      (void)simulate_limited(workload, platform, StrategyChoice::parse(strategy, workload), 1, 0);
    });
  }
};

TEST_F(HostBytes, OfAStrategyThatKeepsMoreOfEachDataItemAreRefused) {
  // Every run keeps 16 B of each of 1900 data items on each of 4000 processors, darts 4 B more.
  const std::string text = refusal("darts");
  EXPECT_TRUE(text.starts_with("the run takes at least 0.1")) << text;
  EXPECT_NE(text.find("this machine has 0.1 GB of memory to spare"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST_F(HostBytes, OfAStrategyThatKeepsLittleAreThere) { EXPECT_EQ(refusal("eager"), "no error"); }

TEST(HostBytesOfStrategies, AreDeclaredByThoseThatKeepListsForEachProcessor) {
  for (const StrategyEntry& entry : strategies()) {
    EXPECT_GE(entry.host_bytes.by_data, 0) << entry.name;
    EXPECT_LT(entry.host_bytes.by_data, 256) << entry.name;
  }
  for (const char* const name : {"darts", "dmda", "dmdas", "lws", "modular-heft", "hfp"}) {
    EXPECT_GT(Table<StrategyEntry>::named(name).host_bytes.by_data, 0) << name;
  }
}

}  // namespace
}  // namespace damocles::host_bytes_test
