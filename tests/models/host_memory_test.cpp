#include "models/host_memory.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/error_text.hpp"

namespace damocles::host_memory_test {
namespace {

namespace fs = std::filesystem;

/// A made-up system: 8 GiB available, and control groups as the test writes them.
class MadeUpSystem : public testing::Test {
 protected:
  MadeUpSystem() {
    write("proc/meminfo", "MemTotal: 16777216 kB\nMemFree: 100 kB\nMemAvailable: 8388608 kB\n");
  }
  ~MadeUpSystem() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  /// What this process may take [MiB].
  [[nodiscard]] std::uint64_t mebibytes() const {
    const auto bytes = available_host_memory({root_ / "proc", root_ / "sys"});
    return bytes ? *bytes >> 20U : 0;
  }
  static std::string mib(std::uint64_t number) { return std::to_string(number << 20U) + "\n"; }

 private:
  fs::path root_ = fs::path(testing::TempDir()) /
                   (std::string("damocles_memory_") +
                    testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(MadeUpSystem, WithoutGroupsHasWhatIsAvailable) { EXPECT_EQ(mebibytes(), 8192U); }

TEST_F(MadeUpSystem, ThatSaysNothingIsNotGuessed) {
  write("proc/meminfo", "MemTotal: 16777216 kB\n");
  EXPECT_FALSE(available_host_memory({"/nowhere", "/nowhere"}).has_value());
  EXPECT_EQ(mebibytes(), 0U);
}

/// The variable that overrides the system, for as long as this lives.
class SaidByHand {
 public:
  explicit SaidByHand(const char* text) { setenv("DAMOCLES_HOST_MEMORY", text, 1); }
  ~SaidByHand() { unsetenv("DAMOCLES_HOST_MEMORY"); }
  SaidByHand(const SaidByHand&) = delete;
  SaidByHand& operator=(const SaidByHand&) = delete;
};

TEST_F(MadeUpSystem, HasWhatTheUserSays) {
  EXPECT_EQ((SaidByHand("3MiB"), mebibytes()), 3U);
  EXPECT_EQ((SaidByHand("100GiB"), mebibytes()), 102400U);
  EXPECT_EQ((SaidByHand(""), mebibytes()), 8192U);
  const SaidByHand no_limit("unlimited");
  EXPECT_FALSE(available_host_memory().has_value());
}

TEST_F(MadeUpSystem, AndRefusesWhatIsNoSize) {
  for (const char* const text : {"much", "-1", "1GB/s", "1e30", "nan", "inf"}) {
    const SaidByHand said(text);
    EXPECT_EQ(
        error_text([] { (void)available_host_memory(); }),
        fmt::format(
            "environment variable DAMOCLES_HOST_MEMORY='{}': give a size, such as 500MB (10^6 bytes) "
            "or 500MiB (2^20 bytes), or unlimited",
            text));
  }
}

TEST_F(MadeUpSystem, HasWhatAGroupOfVersion2Leaves) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/a/b/memory.max", mib(1000));
  write("sys/a/b/memory.high", "max\n");
  write("sys/a/b/memory.current", mib(300));
  EXPECT_EQ(mebibytes(), 700U);

  // 100 MiB of what is used are cached pages, which give way.
  write("sys/a/b/memory.stat", "anon 1\ninactive_file " + mib(100) + "active_file 5\n");
  EXPECT_EQ(mebibytes(), 800U);

  write("sys/a/b/memory.high", mib(900));
  EXPECT_EQ(mebibytes(), 700U);

  // The group above it holds both of its own.
  write("sys/a/memory.max", mib(1200));
  write("sys/a/memory.current", mib(1100));
  EXPECT_EQ(mebibytes(), 100U);

  write("sys/a/memory.current", mib(1300));  // over the limit
  EXPECT_EQ(mebibytes(), 0U);
}

TEST_F(MadeUpSystem, HasNoMoreThanIsAvailableWhateverAGroupLeaves) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/memory.max", mib(100'000));
  write("sys/memory.current", mib(1));
  EXPECT_EQ(mebibytes(), 8192U);
  write("sys/memory.max", "max\n");
  EXPECT_EQ(mebibytes(), 8192U);
}

TEST_F(MadeUpSystem, HasWhatAGroupOfVersion1Leaves) {
  write("proc/self/cgroup", "9:name=systemd:/x\n5:cpu,memory:/a/b\n0::/\n");
  write("sys/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  write("sys/memory/a/b/memory.limit_in_bytes", mib(1000));
  write("sys/memory/a/b/memory.usage_in_bytes", mib(600));
  write("sys/memory/a/b/memory.stat", "inactive_file 1\ntotal_inactive_file " + mib(50));
  EXPECT_EQ(mebibytes(), 450U);
}

TEST_F(MadeUpSystem, HasWhatAContainerLeavesThatSeesTheNamesOfTheHost) {
  write("proc/self/cgroup", "4:memory:/docker/0123\n0::/docker/0123\n");
  write("sys/memory/memory.limit_in_bytes", mib(500));
  write("sys/memory/memory.usage_in_bytes", mib(100));
  EXPECT_EQ(mebibytes(), 400U);
  write("sys/memory.max", mib(300));
  EXPECT_EQ(mebibytes(), 300U);
  write("proc/self/cgroup", "0::/../outside\n");
  EXPECT_EQ(mebibytes(), 300U);
}

constexpr double gibibyte = 0x1p30;

TEST(MemoryPromise, IsRefusedWhereThereIsNotEnough) {
  const auto promised = [](double bytes) {
    return error_text([&] { const MemoryPromise promise(bytes, MemoryPromise::Others::count); });
  };
  const auto available = static_cast<double>(*available_host_memory());

  EXPECT_EQ(promised(0), "no error");
  EXPECT_EQ(promised(available / 4), "no error");
  const auto text = promised(1e6 * gibibyte);
  EXPECT_TRUE(text.starts_with("the run takes at least 1.074e+06 GB and this machine has "))
      << text;
}

TEST(MemoryPromise, CountsTheOthersWhileTheyLive) {
  const auto available = static_cast<double>(*available_host_memory());
  const auto promise_half = [&] {
    return error_text(
        [&] { const MemoryPromise p(0.6 * available, MemoryPromise::Others::count); });
  };
  {
    const MemoryPromise other(0.6 * available, MemoryPromise::Others::count);
    EXPECT_TRUE(promise_half().starts_with("the run takes at least ")) << promise_half();
  }
  EXPECT_EQ(promise_half(), "no error");
}

TEST(MemoryPromise, WaitsForTheOthersWhereThatIsAsked) {
  const auto available = static_cast<double>(*available_host_memory());
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  {
    std::vector<std::jthread> runs;
    for (int i = 0; i < 4; ++i) {
      runs.emplace_back([&] {
        const MemoryPromise promise(0.6 * available, MemoryPromise::Others::wait_for);
        most = std::max(most.load(), ++at_once);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        --at_once;
      });
    }
  }
  EXPECT_EQ(most, 1);
}

TEST(MemoryPromise, IsRefusedWhereItWouldWaitForItsOwnThread) {
  const auto available = static_cast<double>(*available_host_memory());
  const MemoryPromise outer(0.6 * available, MemoryPromise::Others::count);
  const auto text = error_text(
      [&] { const MemoryPromise inner(0.6 * available, MemoryPromise::Others::wait_for); });
  EXPECT_TRUE(text.starts_with("the run takes at least ")) << text;
}

}  // namespace
}  // namespace damocles::host_memory_test
