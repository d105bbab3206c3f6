#include "gpu/cuda/green.hpp"

#include <algorithm>
#include <set>

#include "gpu/cuda/device.hpp"
#include "gpu/cuda/kernels.hpp"
#include "models/error.hpp"
#include "tests/gpu/cuda/with_gpu.hpp"

namespace damocles {
namespace {

class CudaGreenContexts : public WithGpu {
 protected:
  void SetUp() override {
    WithGpu::SetUp();
    if (IsSkipped()) return;
    std::string reason;
    if (!cuda::GreenContexts::split(0, "GPU 0", {0, 0}, reason)) {
      GTEST_SKIP() << "no green contexts: " << reason;
    }
    cudaDeviceProp properties{};
    cuda::check(cudaGetDeviceProperties(&properties, 0), "test");
    whole_ = static_cast<unsigned>(properties.multiProcessorCount);
    if (whole_ < 128) GTEST_SKIP() << "a GPU of only " << whole_ << " multiprocessors";
    int gpus = 0;
    cuda::check(cudaGetDeviceCount(&gpus), "test");
    if (gpus > 1) GTEST_SKIP() << "several GPUs: processors would spread over them";
  }

  unsigned whole_ = 0;
};

TEST_F(CudaGreenContexts, HaveTheMultiprocessorsAskedFor) {
  const auto text = make({.multiprocessors = {8, 16, 32, 64}}).description();

  EXPECT_EQ(text.parts,
            (std::vector<std::string>{"8 SMs in a green context", "16 SMs in a green context",
                                      "32 SMs in a green context", "64 SMs in a green context"}));
}

TEST_F(CudaGreenContexts, KeepToTheirOwnMultiprocessors) {
  cuda::CudaDevice device({.multiprocessors = {8, 16, 32, 64}});
  std::set<unsigned> all;

  for (std::uint32_t p = 0; p < 4; ++p) {
    const auto& processor = device.processor(ProcessorId{p});
    const auto seen = cuda::multiprocessors_seen(whole_, processor.tasks.stream());
    EXPECT_EQ(seen.size(), std::size_t{8} << p);
    for (const unsigned id : seen) EXPECT_TRUE(all.insert(id).second) << id << " of " << p;
  }
}

TEST_F(CudaGreenContexts, AreFasterTheMoreMultiprocessorsTheyHave) {
  constexpr std::size_t n = 2048;
  Device& device = make({.multiprocessors = {8, 16, 32, 64}});
  device.prepare({Kernel::Kind::product, Precision::fp32, n, n, n});
  std::vector<double> takes_s;

  for (std::uint32_t p = 0; p < 4; ++p) {
    const ProcessorId processor{p};
    std::byte* const x = memory(processor, n * n * 4);
    std::byte* const c = memory(processor, n * n * 4);
    device.clear(processor, x, n * n * 4);
    TaskCall call;
    call.inputs = {{x, n * n * 4}, {x, n * n * 4}};
    call.output = c;
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) {
      const Interval ran = run(processor, call);
      times.push_back(ran.end_s - ran.begin_s);
    }
    std::sort(times.begin(), times.end());
    takes_s.push_back(times[2]);
  }

  // Twice the multiprocessors halve the time; half of that gain is asked for.
  for (std::size_t p = 1; p < 4; ++p) EXPECT_LT(takes_s[p], 0.75 * takes_s[p - 1]) << p;
}

TEST_F(CudaGreenContexts, OfEqualSharesTakeAlmostTheWholeGpu) {
  cuda::CudaDevice device({.processors = 4});
  unsigned total = 0;
  for (std::uint32_t p = 0; p < 4; ++p) {
    total += device.processor(ProcessorId{p}).multiprocessors;
    EXPECT_EQ(device.processor(ProcessorId{p}).multiprocessors,
              device.processor(ProcessorId{0}).multiprocessors);
  }
  EXPECT_LE(total, whole_);
  EXPECT_GE(total, whole_ * 9 / 10);
}

TEST_F(CudaGreenContexts, ThatCannotBeHadAreRefused) {
  EXPECT_THROW(make({.multiprocessors = {7}}), InvalidInput);
  EXPECT_THROW(make({.multiprocessors = {64, 64, 64, 64}}), InvalidInput);
  EXPECT_THROW(make({.processors = 1000}), InvalidInput);
}

TEST_F(CudaGreenContexts, CanBeMadeAgainAndAgain) {
  for (int i = 0; i < 10; ++i) {
    const auto device = make_cuda_device({.multiprocessors = {64, 64}});
    EXPECT_EQ(device->description().parts[0], "64 SMs in a green context");
  }
}

}  // namespace
}  // namespace damocles
