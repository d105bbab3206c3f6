// Cores beside CUDA GPUs, as the cuda backend makes them: what both compute is right, whoever
// writes what the other reads.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "gpu/backend.hpp"
#include "models/error.hpp"
#include "tests/error_text.hpp"
#include "tests/gpu/core_laws.hpp"
#include "tests/gpu/cuda/with_gpu.hpp"
#include "tests/gpu/writing_laws.hpp"

namespace damocles {
namespace {

std::unique_ptr<Device> by_cuda(const Platform& platform) {
  return Table<BackendEntry>::named("cuda").make(
      {.processors = platform.processors(), .in_host_memory = in_host_memory(platform)});
}

class CudaBesideCores : public WithGpu {};

TEST_F(CudaBesideCores, IsDescribedProcessorByProcessor) {
  Platform platform = limited(2, 1000, 2);
  add_cores(platform, 1);
  std::rotate(platform.machine->processors.begin(), platform.machine->processors.begin() + 1,
              platform.machine->processors.end());  // GPU, core, GPU
  const auto device = by_cuda(platform);
  const auto text = device->description();

  EXPECT_EQ(text.backend, "cuda");
  ASSERT_EQ(text.parts.size(), 3U);
  EXPECT_NE(text.parts[0].find(" SMs"), std::string::npos) << text.parts[0];
  EXPECT_EQ(text.parts[1], "a thread");
  EXPECT_NE(text.parts[2].find(" SMs"), std::string::npos) << text.parts[2];
  EXPECT_FALSE(device->computes_in_host_memory(ProcessorId{0}));
  EXPECT_TRUE(device->computes_in_host_memory(ProcessorId{1}));
}

TEST_F(CudaBesideCores, ComputesEveryArithmeticAndMovesNothingToCores) {
  for (const char* const text : every_arithmetic) {
    SCOPED_TRACE(text);
    for (const std::size_t gpus : {1U, 2U}) {
      expect_right_in_host_memory(Workload::parse(text), gpus, by_cuda);
    }
  }
}

TEST_F(CudaBesideCores, LosesNothingThatIsWritten) {
  // A GPU's clock is set against the host's to half of the shortest of 16 round trips, and a round
  // trip that no thread disturbs takes some us.
  const LawfulDevice on{.make = by_cuda, .sizes = Sizes::one, .clocks_apart_s = 200e-6};
  SeenToMove seen = expect_nothing_lost({&wild(), Spec::parse("wild", "strategy")}, 40, on);
  EXPECT_GT(seen.from_peers, 0U);
  EXPECT_GT(seen.bytes_returned, 0U);
  EXPECT_GT(seen.tasks_in_host_memory, 0U);
  const auto ordered = Workload::parse("cholesky:n=4,deps=true");
  for (const char* const strategy : {"dmdas", "heteroprio", "lws", "heft"}) {
    SCOPED_TRACE(strategy);
    seen = expect_nothing_lost(StrategyChoice::parse(strategy, ordered), 10, on);
    EXPECT_GT(seen.tasks_in_host_memory, 0U);
  }
}

TEST_F(CudaBesideCores, WantsAGpu) {
  Platform platform = limited(0, 1000, 2);
  add_cores(platform, 2);
  EXPECT_EQ(error_text([&] { (void)by_cuda(platform); }),
            "the platform has cores alone and no GPU; use --backend host");
}

}  // namespace
}  // namespace damocles
