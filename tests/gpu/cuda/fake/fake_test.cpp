// What one GPU, or a new driver, would not show.
#include "tests/gpu/cuda/fake/fake.hpp"

#include <gtest/gtest.h>

#include "gpu/cuda/device.hpp"
#include "models/error.hpp"
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
    EXPECT_STREQ(
        error.what(),
        "no CUDA device was found (cudaErrorNoDevice: as a fake says it); use --backend host");
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

  EXPECT_EQ(text.parts, (std::vector<std::string>{"66 SMs in a green context", "132 SMs",
                                                  "66 SMs in a green context"}));
}

TEST_F(SeveralGpus, ReachEachOthersMemory) {
  make({.processors = 2});

  for (const int gpu : {0, 1}) {
    ASSERT_EQ(cudaSetDevice(gpu), cudaSuccess);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1 - gpu, 0), cudaErrorPeerAccessAlreadyEnabled);
  }
  (void)cudaGetLastError();
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

std::vector<std::string> parts_of(const CudaOptions& options) {
  return make_cuda_device(options)->description().parts;
}

std::string no_green(const std::string& why) {
  return "stream of its own; green contexts are not to be had: " + why;
}

TEST(OldDriver, MeansStreamsAndSaysSo) {
  const fake::Being old({.has_green_contexts = false});

  for (const auto& part : parts_of({.processors = 2})) {
    EXPECT_EQ(part, no_green("the driver has no cuDeviceGetDevResource (CUDA 12.4)"));
  }
}

TEST(GreenContexts, AreMadeOfPairsHoweverFewGroupsOfEightThereAre) {
  const fake::Being small({.groups = 14});

  EXPECT_EQ(parts_of({.multiprocessors = {8, 16, 32, 76}}),
            (std::vector<std::string>{"8 SMs in a green context", "16 SMs in a green context",
                                      "32 SMs in a green context", "76 SMs in a green context"}));
  for (const auto& part : parts_of({.processors = 16})) EXPECT_EQ(part, "8 SMs in a green context");
}

TEST(GreenContexts, AreMadeOfGroupsOfEightWhereTheDriverHasNoPairs) {
  const fake::Being small({.groups = 14, .splits_in_pairs = false});

  EXPECT_EQ(parts_of({.processors = 3}).back(), "32 SMs in a green context");
}

TEST(GreenContexts, SayHowManyGroupsOfEightThereAreWhereTheDriverHasNoPairs) {
  const fake::Being small({.groups = 14, .splits_in_pairs = false});

  try {
    (void)make_cuda_device({.processors = 16});
    FAIL() << "16 of 14";
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(
        error.what(),
        "16 processors on one GPU are too many: GPU 0 (fake GPU) can be split into 14 groups of 8 multiprocessors");
  }
}

TEST(GreenContexts, AreNotUsedWhereTheyCannotBeTimed) {
  const fake::Being untimed({.times_green_streams = false});

  for (const auto& part : parts_of({.processors = 2})) {
    EXPECT_EQ(part.rfind(no_green("timing a green context failed on GPU 0: "), 0), 0U) << part;
  }
}

TEST(GreenContexts, AreNotUsedWhereCublasDoesNotTakeThem) {
  const fake::Being refusing({.multiplies_on_green = false});

  for (const auto& part : parts_of({.processors = 2})) {
    EXPECT_EQ(part.rfind(no_green("starting a matrix product failed on GPU 0: "), 0), 0U) << part;
  }
}

TEST(GreenContexts, AreNotUsedWhereTheyRunOut) {
  const fake::Being full({.contexts = 3});

  EXPECT_EQ(parts_of({.processors = 3})[2], "44 SMs in a green context");
  for (const auto& part : parts_of({.processors = 4})) {
    EXPECT_EQ(part, no_green("cuGreenCtxCreate says CUDA_ERROR_OF_FAKE"));
  }
  EXPECT_EQ(parts_of({.processors = 3})[2], "44 SMs in a green context");  // nothing leaked
}

TEST_F(SeveralGpus, CopyOnlyInTheDirectionThatTheySay) {
  Device& device = make({});
  std::byte* const there = memory(ProcessorId{0}, 8);
  std::byte* const here = host(8);

  EXPECT_THROW(device.start_load(ProcessorId{0}, here, there, 8, 0), DeviceError);
  EXPECT_THROW(device.start_write(ProcessorId{0}, there, here, 8, 0), DeviceError);
}

TEST_F(SeveralGpus, MultiplyWhatLiesOnAGpu) {
  Device& device = make({});
  device.prepare({Kernel::Kind::product, Precision::fp64, 1, 1, 1});
  TaskCall call;
  call.inputs = {{host(8), 8}, {memory(ProcessorId{0}, 8), 8}};
  call.output = memory(ProcessorId{0}, 8);

  EXPECT_THROW(device.start_task(ProcessorId{0}, call), DeviceError);
}

TEST(FakeStream, WorksOffInOrderBesideItsCaller) {
  std::vector<int> done;
  fake::Stream stream(0, 0, 1);
  for (int i = 0; i < 100; ++i) stream.queue([&done, i](auto&) { done.push_back(i); });
  stream.wait();
  ASSERT_EQ(done.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(FakeStream, OfATimedKindGoesByItsRatesAlone) {
  const fake::Being timed({.flops_per_s = 1});
  std::vector<fake::Stream::Time> ends;
  fake::Stream stream(0, 0, 1);
  for (int i = 0; i < 10; ++i) {
    stream.queue([&ends](fake::Stream::Time& at) {
      fake::take(at, 0.01);
      ends.push_back(at);
    });
  }
  stream.wait();
  ASSERT_EQ(ends.size(), 10U);
  for (std::size_t i = 1; i < 10; ++i) {
    EXPECT_EQ(ends[i] - ends[i - 1], std::chrono::milliseconds(10)) << i;
  }
  EXPECT_GE(std::chrono::steady_clock::now(), ends.back());
}

}  // namespace
}  // namespace damocles
