#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include "gpu/cuda/engine.hpp"
#include "models/error.hpp"
#include "tests/gpu/cuda/with_gpu.hpp"

namespace damocles {
namespace {

constexpr ProcessorId p0{0};

class CudaDevice : public WithGpu {};

TEST(CudaDeviceWithoutGpu, SaysSoInOneLine) {
  if (why_no_gpu().empty()) GTEST_SKIP() << "there is a GPU";

  try {
    (void)make_cuda_device({});
    FAIL() << "made a device of nothing";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    const bool driver = why_no_gpu() != "cudaErrorInsufficientDriver";
    EXPECT_EQ(
        text.rfind(driver ? "no CUDA device was found (" : "no CUDA driver was found, or ", 0), 0U)
        << text;
    EXPECT_NE(text.find("(" + why_no_gpu()), std::string::npos) << text;
    EXPECT_NE(text.find("use --backend host"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST_F(CudaDevice, CarriesBytesToEveryProcessorAndBack) {
  Device& device = make({.processors = 3});
  ASSERT_EQ(device.processors(), 3U);

  for (std::uint32_t p = 0; p < 3; ++p) {
    std::vector<std::uint32_t> sent(1'000'003);  // no multiple of anything
    std::iota(sent.begin(), sent.end(), p * 7);

    std::byte* const there = loaded(ProcessorId{p}, sent);

    EXPECT_EQ(read<std::uint32_t>(ProcessorId{p}, there, sent.size()), sent) << p;
  }
}

TEST_F(CudaDevice, CarriesBytesFromOneProcessorToAnother) {
  Device& device = make({.processors = 3});
  std::vector<std::uint32_t> sent(1'000'003);
  std::iota(sent.begin(), sent.end(), 1U);
  const std::byte* from = loaded(ProcessorId{0}, sent);

  for (const std::uint32_t to : {1U, 2U}) {
    std::byte* const there = memory(ProcessorId{to}, sent.size() * sizeof(sent[0]));
    device.start_peer_load(ProcessorId{to - 1}, ProcessorId{to}, there, from,
                           sent.size() * sizeof(sent[0]), 0);
    const Interval when = device.finish_peer_load(ProcessorId{to});

    EXPECT_LE(when.begin_s, when.end_s);
    EXPECT_EQ(read<std::uint32_t>(ProcessorId{to}, there, sent.size()), sent);
    from = there;
  }
}

TEST_F(CudaDevice, ClearsMemory) {
  Device& device = make({});
  std::byte* const there = loaded(p0, std::vector<int>(1000, 7));

  device.clear(p0, there + 4, 3992);

  std::vector<int> expected(1000, 0);
  expected.front() = expected.back() = 7;
  EXPECT_EQ(read<int>(p0, there, 1000), expected);
}

TEST_F(CudaDevice, GivesAlignedMemory) {
  make({.processors = 2});
  for (const std::size_t bytes : {1U, 3U, 1000U}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory(ProcessorId{1}, bytes)) % 256, 0U);
  }
}

TEST_F(CudaDevice, DescribesItself) {
  const auto text = make({.processors = 2}).description();

  EXPECT_EQ(text.backend, "cuda");
  EXPECT_FALSE(text.name.empty());
  EXPECT_NE(text.driver.find("cuBLAS 13."), std::string::npos) << text.driver;
  EXPECT_EQ(text.parts.size(), 2U);
}

/// 20 MB on each GPU, whoever asks for them, within 1 to 16 loads.
TEST_F(CudaDevice, HasMoreLoadsQueuedTheSmallerTheyAre) {
  const Device& one = make({});
  EXPECT_EQ(one.loads_ahead(1e9), 1U);
  EXPECT_EQ(one.loads_ahead(20e6), 1U);
  EXPECT_EQ(one.loads_ahead(4e6), 5U);
  EXPECT_EQ(one.loads_ahead(3e6), 7U);
  EXPECT_EQ(one.loads_ahead(1), 16U);
  EXPECT_EQ(one.loads_ahead(0), 16U);
  EXPECT_EQ(make({.processors = 2}).loads_ahead(4e6), 3U);
}

TEST_F(CudaDevice, TellsWhenWorkRan) {
  constexpr std::size_t bytes = 16'000'000;
  Device& device = make({});
  std::byte* const from = host(bytes);
  std::byte* const to = memory(p0, bytes);
  device.start_clock();

  const double before = device.now_s();
  device.start_load(p0, to, from, bytes, 0);
  device.start_load(p0, to, from, bytes, 0);
  const Interval first = device.finish_load(p0);
  const Interval second = device.finish_load(p0);
  const double after = device.now_s();

  // The host's clock and the GPU's are set against each other to some us.
  constexpr double apart = 100e-6;
  EXPECT_GT(first.begin_s, before - apart);
  EXPECT_LT(second.end_s, after + apart);
  EXPECT_GE(second.begin_s, first.end_s);
  for (const Interval& ran : {first, second}) {
    EXPECT_GT(ran.end_s - ran.begin_s, bytes / 500e9);  // no link carries more
  }
}

TEST_F(CudaDevice, KeepsMoreInFlightThanItHasEventsFor) {
  Device& device = make({});
  constexpr std::size_t many = 300;
  std::byte* const from = host(4 * many);
  std::byte* const to = memory(p0, 4 * many);
  std::vector<std::uint32_t> numbers(many);
  std::iota(numbers.begin(), numbers.end(), 1U);
  std::memcpy(from, numbers.data(), 4 * many);

  for (std::size_t i = 0; i < many; ++i) device.start_load(p0, to + 4 * i, from + 4 * i, 4, 0);
  double last = 0;
  for (std::size_t i = 0; i < many; ++i) {
    const Interval ran = device.finish_load(p0);
    EXPECT_GE(ran.begin_s, last);
    EXPECT_GE(ran.end_s, ran.begin_s);
    last = ran.end_s - 1e-9;  // sums of doubles
  }

  EXPECT_EQ(read<std::uint32_t>(p0, to, many), numbers);
}

TEST_F(CudaDevice, RunsEmptyTasks) {
  Device& device = make({.processors = 2});
  device.prepare({Kernel::Kind::empty});
  device.start_clock();
  double shortest_s = 1;
  for (int i = 0; i < 100; ++i) {
    const Interval ran = run(ProcessorId{1}, {});
    EXPECT_GE(ran.end_s, ran.begin_s);
    shortest_s = std::min(shortest_s, ran.end_s - ran.begin_s);
  }
  EXPECT_LT(shortest_s, 1e-3);
}

TEST_F(CudaDevice, KeepsTimeWhenItsAnchorMoves) {
  const auto now_s = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  cuda::Engine engine(0, cuda::make_stream(), {}, 0);  // moves at every finish
  const cuda::Event base = cuda::make_event();
  // By the host's clock the engine's time 0 lies between these two.
  const double zero_after = now_s();
  cuda::check(cudaEventRecord(base.get(), engine.stream()), "test");
  cuda::check(cudaEventSynchronize(base.get()), "test");
  const double zero_before = now_s();
  engine.start_clock(base.get(), 0);

  for (int i = 0; i < 50; ++i) {
    const double before = now_s();
    engine.start([](cudaStream_t) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
    const Interval ran = engine.finish("test");
    const double after = now_s();

    constexpr double error = 100e-6;  // 100 moves of 1 us
    EXPECT_GT(zero_before + ran.begin_s, before - error) << i;
    EXPECT_LT(zero_after + ran.end_s, after + error) << i;
  }
}

// Whether it asks until the end, for a while and then sleeps, or sleeps at once.
TEST_F(CudaDevice, WaitsAsItIsTold) {
  constexpr std::size_t bytes = 64'000'000;
  make({});
  std::byte* const from = host(bytes);
  std::byte* const to = memory(p0, bytes);
  for (const int microseconds : {0, 1, 10'000'000}) {
    cuda::Engine engine(0, cuda::make_stream(), std::chrono::microseconds(microseconds));
    const cuda::Event base = cuda::make_event();
    cuda::check(cudaEventRecord(base.get(), engine.stream()), "test");
    cuda::check(cudaEventSynchronize(base.get()), "test");
    engine.start_clock(base.get(), 0);
    for (int i = 0; i < 3; ++i) {
      from[bytes - 1] = static_cast<std::byte>(i);
      engine.start([&](cudaStream_t stream) {
        cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "test");
      });
      const Interval ran = engine.finish("test");
      EXPECT_GT(ran.end_s, ran.begin_s);
      EXPECT_EQ(read<std::byte>(p0, to + bytes - 1, 1)[0], static_cast<std::byte>(i));
      EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    }
    engine.drain();
  }
}

TEST_F(CudaDevice, CopiesWhileItComputes) {
  constexpr std::size_t bytes = 256'000'000;
  constexpr std::size_t n = 4096;
  Device& device = make({});
  device.prepare({Kernel::Kind::product, Precision::fp32, n, n, n});
  std::byte* const from = host(bytes);
  std::byte* const to = memory(p0, bytes);
  std::byte* const x = memory(p0, n * n * 4);
  std::byte* const c = memory(p0, n * n * 4);
  device.clear(p0, x, n * n * 4);
  TaskCall call;
  call.inputs = {{x, n * n * 4}, {x, n * n * 4}};
  call.output = c;
  device.start_clock();

  device.start_load(p0, to, from, bytes, 0);
  device.start_task(p0, call);
  device.start_task(p0, call);
  const Interval load = device.finish_load(p0);
  const Interval first = device.finish_task(p0);
  const Interval second = device.finish_task(p0);

  const double together =
      std::min(load.end_s, second.end_s) - std::max(load.begin_s, first.begin_s);
  const double shorter = std::min(load.end_s - load.begin_s, second.end_s - first.begin_s);
  EXPECT_GT(together, 0.5 * shorter);
  EXPECT_LT(second.begin_s - first.end_s, 100e-6);  // no bubble: the second was queued
}

TEST_F(CudaDevice, WakesWhoWaitsForAStartWhenTheRunIsOver) {
  Device& device = make({});
  std::thread waiting([&] { (void)device.finish_task(p0); });
  device.cancel();
  waiting.join();
}

TEST_F(CudaDevice, SaysHowMuchMemoryWasAskedForAndIsFree) {
  Device& device = make({});
  try {
    (void)device.allocate(p0, std::size_t{1} << 50U);
    FAIL() << "got a pebibyte";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("out of memory, asked for 1125899906.8 MB"), std::string::npos) << text;
    EXPECT_NE(text.find("MB are free"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
  (void)memory(p0, 1000);  // the device goes on
}

TEST_F(CudaDevice, RefusesPace) {
  Device& device = make({});
  device.prepare({Kernel::Kind::empty});
  TaskCall call;
  call.paced_s = 1;
  EXPECT_THROW(device.start_task(p0, call), InvalidInput);
}

// The fault is known at the latest when the task is finished; the call after it may know it, too.
TEST_F(CudaDevice, TellsOfAKernelThatFailed) {
  Device& device = make({});
  device.prepare({Kernel::Kind::checksum});
  const auto* nowhere = reinterpret_cast<const std::byte*>(std::uintptr_t{4096});
  TaskCall call;
  call.inputs = {{nowhere, 1 << 20}};
  call.output = memory(p0, 8);
  try {
    (void)run(p0, call);
    FAIL() << "read what is not there";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(" failed on GPU 0: cudaErrorIllegalAddress ("), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST_F(CudaDevice, FailsToCopyIntoMemoryThatWasGivenBack) {
  // Where the GPU shares the host's page tables (HMM, ATS), an address that is no GPU memory any
  // more is one of the host, and writing there ends the process.
  int pageable = 0;
  cuda::check(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0), "test");
  if (pageable != 0) GTEST_SKIP() << "this GPU reaches all of the host's memory";
  constexpr std::size_t bytes = 256'000'000;
  Device& device = make({});
  std::byte* const from = host(bytes);
  std::byte* const gone = device.allocate(p0, bytes);
  device.release(p0, gone);

  const auto copy = [&] {
    device.start_load(p0, gone, from, bytes, 0);
    (void)device.finish_load(p0);
  };

  EXPECT_THROW(copy(), DeviceError);
}

}  // namespace
}  // namespace damocles
