// Bandwidths and latencies as StarPU keeps them, and the platform that is made of them.

#include "models/platforms/bus_sampling.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "models/platforms/durations.hpp"
#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"
#include "tests/error_text.hpp"

namespace damocles::bus_sampling_test {
namespace {

/// Two cores, one NUMA node, three GPUs.
const std::string config =
    "# Current configuration\n2 # Number of CPUs\n1 # Number of NUMA nodes\n"
    "2 # Number of CUDA devices\n1 # Number of OpenCL devices\n0 # Number of MIC devices\n";
/// GPUs 0 and 1 are linked, from 1 to 0 faster; 2 is measured in one direction alone.
const std::string bandwidth =
    "# to 0\t\tto 1\t\tto 2\t\tto 3\t\tto 4\t\t\n"
    "0.000000e+00\t1.2e+04\t1.0e+04\t6.0e+03\tnan\n"
    "1.3e+04\t0.0\t4.0e+04\tnan\tnan\n"
    "1.1e+04\t4.4e+04\t0.0\t5.0e+03\tnan\n"
    "6.0e+03\tnan\tnan\t0.0\tnan\n"
    "nan\tnan\tnan\tnan\tnan\n";
const std::string latency =
    "# to 0\t\tto 1\t\t\n"
    "0\t9\t10\t20\n9\t0\t12\t12\n10\t12\t0\t12\n20\t12\t12\t0\n";

BusSampling read(const std::string& some, const std::string& rates, const std::string& times) {
  std::istringstream a(some);
  std::istringstream b(rates);
  std::istringstream c(times);
  return BusSampling::read(a, b, c, "x");
}
std::string refusal(const std::string& some, const std::string& rates, const std::string& times) {
  return error_text([&] { static_cast<void>(read(some, rates, times)); });
}

TEST(BusSampling, IsWhatWasMeasured) {
  const BusSampling sampling = read(config, bandwidth, latency);

  EXPECT_EQ(sampling.gpus, 3U);
  EXPECT_EQ(sampling.to_gpu, (std::vector<double>{12e9, 10e9, 6e9}));
  EXPECT_EQ(sampling.to_home, (std::vector<double>{13e9, 11e9, 6e9}));
  EXPECT_EQ(sampling.between,
            (std::vector<std::vector<double>>{{0, 40e9, 0}, {44e9, 0, 5e9}, {0, 0, 0}}));
  ASSERT_EQ(sampling.latency_s.size(), 3U);
  EXPECT_DOUBLE_EQ(sampling.latency_s[0], 9e-6);
  EXPECT_DOUBLE_EQ(sampling.latency_s[2], 20e-6);
}

/// Its config has no line of NUMA nodes, which are one then.
TEST(BusSampling, MayBeOfAnOlderStarpu) {
  const BusSampling sampling =
      read("2 # Number of CPUs\n1 # Number of CUDA devices\n", "0 5\n6 0\n", "nan nan\nnan nan\n");

  EXPECT_EQ(sampling.to_gpu, std::vector<double>{5e6});
  EXPECT_EQ(sampling.to_home, std::vector<double>{6e6});
  EXPECT_EQ(sampling.latency_s, std::vector<double>{0});
}

TEST(BusSampling, TakesTheNearestOfSeveralNumaNodes) {
  const BusSampling sampling =
      read("2 # NUMA nodes\n1 # CUDA devices\n", "0 1 7\n1 0 9\n5 6 0\n", "0 1 3\n1 0 4\n3 4 0\n");

  EXPECT_EQ(sampling.to_gpu, std::vector<double>{9e6});
  EXPECT_EQ(sampling.to_home, std::vector<double>{6e6});
  EXPECT_DOUBLE_EQ(sampling.latency_s[0], 4e-6);
}

TEST(BusSampling, IsRefusedWhereItIsMalformed) {
  EXPECT_EQ(
      refusal("x\n", bandwidth, latency),
      "file 'x.config', line 1: 'x' is no number of devices; write lines as '2 # Number of CUDA devices'");
  EXPECT_EQ(
      refusal("# nothing\n", bandwidth, latency),
      "file 'x.config': says of no memory that it is there; give what starpu_calibrate_bus wrote");
  EXPECT_EQ(
      refusal(config, "0 1\n1 x\n", latency),
      "file 'x.bandwidth', line 2: 'x' is no measurement; write a number from 0 to 1000000000000, or nan");
  EXPECT_EQ(refusal(config, "0 1\n1\n", latency),
            "file 'x.bandwidth', line 2: 1 numbers after rows of 2; write one for each memory");
  EXPECT_EQ(
      refusal(config, bandwidth, "0 1\n1 0\n"),
      "file 'x.latency': 2 rows of 2 numbers, but the config has 4 memories; give files of one machine");
  EXPECT_EQ(refusal("1 # CUDA\n", "0 nan\n1 0\n", "0 1\n1 0\n"),
            "file 'x.bandwidth': nothing between home and GPU 0, memory 1; calibrate again");
}

class StarpuBus : public testing::Test {
 public:
  StarpuBus(const StarpuBus&) = delete;
  StarpuBus& operator=(const StarpuBus&) = delete;

 protected:
  StarpuBus() {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "host.config") << config;
    std::ofstream(folder_ + "host.bandwidth") << bandwidth;
    std::ofstream(folder_ + "host.latency") << latency;
  }
  ~StarpuBus() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] Scenario scenario(const std::string& rest, const std::string& ending = ".config") {
    return Scenario::parse("starpu:path=" + folder_ + "host" + ending + rest);
  }

  std::string folder_ = testing::TempDir() + "damocles_starpu_bus_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() + "/";
};

TEST_F(StarpuBus, IsAPlatform) {
  const MachineModel limits = *scenario(",memory=500MB,cpus=2,cpu_gflops=10").machine();

  ASSERT_EQ(limits.processors.size(), 5U);
  EXPECT_EQ(limits.processors[1].link_bytes_per_s, 10e9);
  EXPECT_EQ(limits.processors[1].memory_bytes, 500'000'000U);
  EXPECT_TRUE(limits.processors[4].in_host_memory);
  EXPECT_EQ(limits.bus_bytes_per_s, 13e9);    // the fastest, there or back
  EXPECT_DOUBLE_EQ(limits.latency_s, 13e-6);  // (9 + 10 + 20) / 3 us
  EXPECT_EQ(limits.peer_rate(0, 1), 42e9);    // of 40 and 44
  EXPECT_EQ(limits.peer_rate(1, 2), 0);       // one direction alone was measured
  EXPECT_EQ(limits.home_rate(2), 6e9);
}

TEST_F(StarpuBus, GivesWayToWhatIsGiven) {
  const MachineModel limits =
      *scenario(",k=2,bandwidth=5GB/s,link=4GB/s,latency=1us,peers=7GB/s", "").machine();

  ASSERT_EQ(limits.processors.size(), 2U);
  EXPECT_EQ(limits.bus_bytes_per_s, 5e9);
  EXPECT_EQ(limits.processors[0].link_bytes_per_s, 4e9);
  EXPECT_DOUBLE_EQ(limits.latency_s, 1e-6);
  EXPECT_EQ(limits.peer_rate(0, 1), 7e9);
}

/// So that rows tell apart what was in it, whichever of the three changes.
TEST_F(StarpuBus, IsKnownByWhatIsInItsFiles) {
  const std::string before = scenario("").source()->digest;
  std::ofstream(folder_ + "host.latency", std::ios::app) << "# measured again\n";

  EXPECT_NE(scenario("").source()->digest, before);
  EXPECT_EQ(scenario("").source()->path, folder_ + "host.config");
}

TEST_F(StarpuBus, IsRefusedWithoutGpusOrFiles) {
  EXPECT_EQ(error_text([&] { static_cast<void>(scenario(",k=4")); }),
            "platform 'starpu:path=" + folder_ +
                "host.config,k=4': k must be a whole number from 1 to 3");
  EXPECT_EQ(
      error_text([] { static_cast<void>(Scenario::parse("starpu:k=2")); }),
      "platform 'starpu:k=2': needs path, as in starpu:path=sampling,host=HOST or starpu:path=sampling/bus/HOST.config");
  std::ofstream(folder_ + "host.config") << "1 # Number of CPUs\n";
  EXPECT_NE(error_text([&] { static_cast<void>(scenario("")); }).find("a machine without GPUs"),
            std::string::npos);
}

TEST(BusSampling, IsRefusedAsAGraphOrAPlatformWithWhatToWrite) {
  const std::string advice =
      "'bus.bandwidth' is of StarPU's bus sampling; with HOST.config, HOST.bandwidth and "
      "HOST.latency in one folder it is a platform: write starpu:path=bus.bandwidth";
  EXPECT_EQ(error_text([] { static_cast<void>(Scenario::parse("bus.bandwidth")); }), advice);
  EXPECT_EQ(error_text([] { static_cast<void>(Workload::parse("bus.bandwidth")); }), advice);
  EXPECT_EQ(error_text([] { static_cast<void>(Workload::parse("file:path=bus.bandwidth")); }),
            advice);
}

/// A folder as ~/.starpu/sampling: the bus of a host, and the model of one codelet.
class StarpuFolder : public StarpuBus {
 protected:
  StarpuFolder() {
    add_host("host");
    std::filesystem::create_directories(folder_ + "codelets/45");
    std::filesystem::copy_file(
        std::filesystem::path(DAMOCLES_SOURCE) / "docs/examples/gemm.perfmodel",
        folder_ + "codelets/45/GEMM.host");
    std::filesystem::copy_file(folder_ + "codelets/45/GEMM.host",
                               folder_ + "codelets/45/GEMM.other");
  }
  void add_host(const std::string& host) const {
    std::filesystem::create_directories(folder_ + "bus");
    for (const char* const ending : {".config", ".bandwidth", ".latency"}) {
      std::filesystem::copy_file(folder_ + "host" + ending, folder_ + "bus/" + host + ending);
    }
  }
  [[nodiscard]] Scenario machine(const std::string& rest) const {
    return Scenario::parse("starpu:path=" + folder_ + rest);
  }
};

TEST_F(StarpuFolder, HasTheBusAndTheTimesOfAHost) {
  const MachineModel limits = *machine(",host=host,cpus=1").machine();

  ASSERT_EQ(limits.processors.size(), 4U);
  EXPECT_EQ(limits.processors[0].link_bytes_per_s, 12e9);
  ASSERT_EQ(limits.processors[0].kernel_times.size(), 1U);
  EXPECT_EQ(limits.processors[0].kernel_times[0].kind, "GEMM");
  EXPECT_EQ(limits.processors[0].kernel_times[0].architecture, "cuda");
  EXPECT_EQ(limits.processors[3].kernel_times[0].architecture, "cpu");
  EXPECT_EQ(limits.times_files().size(), 1U);
}

TEST_F(StarpuFolder, TakesTheOnlyHost) {
  EXPECT_EQ(machine("").machine()->processors.size(), 3U);
  add_host("second");
  EXPECT_NE(error_text([&] {
              static_cast<void>(machine(""));
            }).find("has the hosts host, second; give one, as host=host"),
            std::string::npos);
  EXPECT_NE(error_text([&] {
              static_cast<void>(machine(",host=third"));
            }).find("has the hosts host, second, not 'third'; give one, as host=host"),
            std::string::npos);
}

/// A model counts where the workload has its kind: other workloads run by their flops.
TEST_F(StarpuFolder, UsesAModelForTasksOfItsKindAlone) {
  const Platform platform = machine("").draw(1, 0);
  const Workload product = Workload::parse("cholesky:n=3,tile=320,deps=true");
  const Durations durations(product, platform);
  for (TaskGraph::Index task = 0; task < product.graph().tasks(); ++task) {
    const double by_flops =
        product.graph().flops(task) / platform.machine->processors[0].flops_per_s;
    if (product.graph().kind_name(task) == "GEMM") {
      EXPECT_NE(durations.s(0, task), by_flops);
    } else {
      EXPECT_EQ(durations.s(0, task), by_flops);
    }
  }
  const Workload without = Workload::parse("gemm2d:n=3");
  EXPECT_FALSE(Durations(without, platform).not_by_flops());
}

TEST_F(StarpuFolder, GivesWayToTimesThatAreGiven) {
  const MachineModel limits = *machine(",times=GEMM:1ms").machine();

  ASSERT_EQ(limits.processors[0].kernel_times.size(), 1U);
  EXPECT_EQ(limits.processors[0].kernel_times[0].seconds, 1e-3);
  EXPECT_FALSE(limits.processors[0].kernel_times[0].if_named);
}

}  // namespace
}  // namespace damocles::bus_sampling_test
