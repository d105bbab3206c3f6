// What one GPU, or a new driver, would not show.
#include "tests/gpu/cuda/fake/fake.hpp"

#include <gtest/gtest.h>

#include "gpu/cuda/device.hpp"
#include "tests/gpu/cuda/with_gpu.hpp"

namespace damocles {
namespace {

class SeveralGpus : public WithGpu {
 protected:
  void SetUp() override { fake::set_gpus(2); }
  void TearDown() override {
    WithGpu::TearDown();
    device_.reset();
    fake::set_gpus(1);
  }
};

TEST(NoGpu, IsSaidInOneLine) {
  fake::set_gpus(0);
  try {
    (void)make_cuda_device({});
    FAIL() << "made a device of nothing";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(),
                 "no CUDA device was found (cudaErrorNoDevice: as a fake says it); use --backend "
                 "host");
  }
  fake::set_gpus(1);
}

TEST(NoDriver, IsToldFromNoGpu) {
  fake::set_driver(false);
  try {
    (void)make_cuda_device({});
    FAIL() << "made a device of nothing";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("no CUDA driver was found, or one that is older than CUDA ", 0), 0U)
        << text;
    EXPECT_NE(text.find("needs (cudaErrorInsufficientDriver); see nvidia-smi"), std::string::npos);
  }
  fake::set_driver(true);
}

TEST_F(SeveralGpus, AreAProcessorEach) {
  const auto text = make({}).description();

  EXPECT_EQ(text.name, "fake GPU, fake GPU");
  EXPECT_EQ(text.parts, (std::vector<std::string>{"132 SMs", "132 SMs"}));
}

TEST_F(SeveralGpus, AreSplitWhereTheyAreShared) {
  const auto text = make({.processors = 3}).description();

  EXPECT_EQ(text.parts, (std::vector<std::string>{"64 SMs in a green context", "132 SMs",
                                                  "64 SMs in a green context"}));
}

// The fake refuses a handle, and an event, on another GPU than its own.
TEST_F(SeveralGpus, MultiplyAndTellTheTimeEach) {
  Device& device = make({.processors = 4});
  device.prepare({Kernel::Kind::product, Precision::fp64, 1, 1, 1});
  device.start_clock();
  for (std::uint32_t p = 0; p < 4; ++p) {
    const ProcessorId processor{p};
    TaskCall call;
    call.inputs = {{loaded(processor, std::vector<double>{p + 2.0}), 8},
                   {loaded(processor, std::vector<double>{10.0}), 8}};
    call.output = memory(processor, 8);
    const double before = device.now_s();

    const Interval ran = run(processor, call);

    EXPECT_GT(ran.begin_s, before - 1e-3);
    EXPECT_LT(ran.end_s, device.now_s() + 1e-3);
    EXPECT_EQ(read<double>(processor, call.output, 1)[0], 10 * (p + 2.0));
  }
}

TEST(OldDriver, MeansStreamsAndSaysSo) {
  fake::set_green_contexts(false);

  const auto text = make_cuda_device({.processors = 2})->description();

  for (const auto& part : text.parts) {
    EXPECT_EQ(part,
              "stream of its own; green contexts are not to be had: the driver has no "
              "cuDeviceGetDevResource (CUDA 12.4)");
  }
  fake::set_green_contexts(true);
}

TEST(FakeStream, WorksOffInOrderBesideItsCaller) {
  std::vector<int> done;
  fake::Stream stream(0, 0, 1);
  for (int i = 0; i < 100; ++i) stream.queue([&done, i] { done.push_back(i); });
  stream.wait();
  ASSERT_EQ(done.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace damocles
