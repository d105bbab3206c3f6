// Machines of several kinds of processors: cores beside GPUs, which compute in the memory that
// holds all data; and GPUs on several buses.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/bounds/workload_bound.hpp"
#include "models/platforms/gpu_presets.hpp"
#include "models/platforms/memory_limits.hpp"
#include "tests/models/platforms/platform_file.hpp"

namespace damocles::machine_test {
namespace {

MachineModel limits_of(const std::string& text) { return Scenario::parse(text).machine().value(); }

TEST(Cpus, ComeAfterTheGpusAndHaveNoMemoryOfTheirOwn) {
  const MachineModel limits =
      limits_of("gpus:k=2,memory=1GB,peers=20GB/s,cpus=3,cpu_gflops=40,cpu_times=POTRF:1ms");

  ASSERT_EQ(limits.processors.size(), 5U);
  EXPECT_EQ(limits.on_buses(), 2U);
  EXPECT_TRUE(limits.any_in_host_memory());
  EXPECT_EQ(limits.processors[1].kind, "gpu");
  EXPECT_FALSE(limits.processors[1].in_host_memory);
  EXPECT_TRUE(limits.processors[1].kernel_times.empty());
  EXPECT_EQ(limits.processors[2].kind, "cpu");
  EXPECT_TRUE(limits.processors[4].in_host_memory);
  EXPECT_EQ(limits.processors[4].flops_per_s, 40e9);
  EXPECT_EQ(limits.processors[4].kernel_times.at(0).kind, "POTRF");
  EXPECT_EQ(limits.copy_s(4, 1e9), 0);
  EXPECT_GT(limits.copy_s(1, 1e9), 0);
  EXPECT_EQ(limits.peer_rate(0, 1), 20e9);
  EXPECT_EQ(limits.peer_rate(1, 2), 0);
  EXPECT_EQ(limits.peer_rate(3, 4), 0);
  EXPECT_EQ(memory_bytes(limits, Workload::parse("gemm2d:n=2"))[4], home_bytes);
}

TEST(Cpus, MayBeAlone) {
  const MachineModel limits = limits_of("gpus:k=0,cpus=2,cpu_gflops=40");

  EXPECT_EQ(limits.processors.size(), 2U);
  EXPECT_EQ(limits.on_buses(), 0U);
  EXPECT_FALSE(limits_of("gpus:k=2").any_in_host_memory());
}

TEST(Cpus, HaveAUsualRateThatIsAPreset) {
  const MachineModel limits =
      limits_of("gpus:k=1,gflops=10,bandwidth=1GB/s,cpus=2,cpu_times=POTRF:1ms");

  EXPECT_EQ(limits.processors[1].flops_per_s, usual_core_flops_per_s);
  EXPECT_EQ(limits.processors[1].kernel_times.at(0).kind, "POTRF");
  EXPECT_TRUE(limits.preset_rates);
  EXPECT_FALSE(limits_of("gpus:gflops=10,bandwidth=1GB/s,cpus=2,cpu_gflops=40").preset_rates);
}

TEST(Cpus, AreRefusedInOneLine) {
  EXPECT_EQ(
      refusal("gpus:cpu_gflops=2"),
      "platform 'gpus:cpu_gflops=2': cpu_gflops= without cores; give their number, as cpus=8");
  EXPECT_EQ(
      refusal("gpus:k=0"),
      "platform 'gpus:k=0': k=0 is possible only with CPU cores; give k=1 or more, or add cpus=8");
  EXPECT_EQ(
      refusal("gpus:k=4000,cpus=97,cpu_gflops=1"),
      "platform 'gpus:k=4000,cpus=97,cpu_gflops=1': cpus must be a whole number from 1 to 96");
  EXPECT_EQ(
      refusal("gpus:k=2,cpus=2,cpu_gflops=1,peers=1-2:20GB/s"),
      "platform 'gpus:k=2,cpus=2,cpu_gflops=1,peers=1-2:20GB/s': peers names GPU 2, but there are 2, numbered from 0");
}

class CpusFile : public PlatformFile {};

TEST_F(CpusFile, HasKindsOfProcessors) {
  const MachineModel limits = Scenario::parse(write("[[cpus]]\n"
                                                    "count = 2\n"
                                                    "gflops = 40\n"
                                                    "kind = \"EPYC\"\n"
                                                    "[[gpus]]\n"
                                                    "kind = \"V100\"\n"
                                                    "[[gpus]]\n"))
                                  .machine()
                                  .value();

  ASSERT_EQ(limits.processors.size(), 4U);
  EXPECT_EQ(limits.processors[0].kind, "V100");
  EXPECT_EQ(limits.processors[1].kind, "gpu");
  EXPECT_EQ(limits.processors[2].kind, "EPYC");
  EXPECT_TRUE(limits.processors[3].in_host_memory);
}

TEST_F(CpusFile, IsRefusedWithItsLine) {
  EXPECT_EQ(
      file_refusal("[[cpus]]\ngflops = 2\nmemory = \"1GB\"\n"),
      "unknown key in platform file 'FILE', line 3: 'memory'; valid: gflops, times, power, idle, "
      "powers, speedup, count, kind");
  EXPECT_EQ(file_refusal("[[gpus]]\nkind = 3\n"),
            "platform file 'FILE', line 2: kind must be a name, as \"V100\", not '3'");
}

/// Cores may compute it all, so nothing need be loaded; the time is still bounded by all rates.
TEST(Cpus, LeaveNoBoundOnLoads) {
  const Workload workload = Workload::parse("gemm2d:n=4");
  const Scenario scenario = Scenario::parse("gpus:k=1,gflops=30,cpus=2,cpu_gflops=10");
  const LoadBound loads = workload_load_bound(workload, *scenario.machine());
  EXPECT_EQ(loads.loads, 0U);
  EXPECT_EQ(loads.argument, "home");

  const MakespanBound bound = workload_makespan_bound(workload, scenario.draw(1, 0), loads);
  EXPECT_DOUBLE_EQ(bound.seconds, workload.graph().total_flops() / 50e9);
}

TEST(Buses, TakeEqualPartsOfTheGpus) {
  const MachineModel limits = limits_of("gpus:k=5,bandwidth=10GB/s,buses=2,cpus=1,cpu_gflops=1");

  std::vector<std::size_t> on;
  for (const ProcessorModel& gpu : limits.processors) on.push_back(gpu.bus);
  EXPECT_EQ(on, (std::vector<std::size_t>{0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(limits.buses(), 2U);
  EXPECT_EQ(limits.on_bus(0), 3U);  // the core is on none
  EXPECT_EQ(limits.on_bus(1), 2U);
  EXPECT_EQ(limits.all_buses_bytes_per_s(), 20e9);
  EXPECT_EQ(limits_of("gpus:k=3").buses(), 1U);
}

TEST(Buses, AreRefusedWithoutGpus) {
  EXPECT_EQ(refusal("gpus:k=2,buses=3"),
            "platform 'gpus:k=2,buses=3': buses must be a whole number from 1 to 2");
}

TEST(Buses, MayHaveBandwidthsOfTheirOwn) {
  const MachineModel limits = limits_of("gpus:k=3,bandwidth=12GB/s+6GB/s,link=10GB/s,latency=0s");
  EXPECT_EQ(limits.buses(), 2U);  // as many as bandwidths
  EXPECT_EQ(limits.on_bus(0), 2U);
  EXPECT_EQ(limits.bus_rate(0), 12e9);
  EXPECT_EQ(limits.bus_rate(1), 6e9);
  EXPECT_EQ(limits.all_buses_bytes_per_s(), 18e9);
  EXPECT_EQ(limits.home_rate(0), 10e9);
  EXPECT_EQ(limits.home_rate(2), 6e9);
  EXPECT_EQ(limits.copy_s(2, 6e9), 1);

  const MachineModel alike = limits_of("gpus:k=3,bandwidth=12GB/s,buses=2");
  EXPECT_EQ(alike.bus_rate(1), 12e9);
  EXPECT_TRUE(limits_of("gpus:k=0,cpus=1,cpu_gflops=1,bandwidth=1GB/s+2GB/s").any_in_host_memory());
}

TEST(MachineModel, AreSlowedDownInAllTheirRates) {
  const MachineModel fast =
      limits_of("gpus:k=3,bandwidth=8GB/s+4GB/s,link=2GB/s,peers=6GB/s+0-1:10GB/s");
  const MachineModel half = fast.with_rates_times(0.5);
  EXPECT_EQ(half.bus_rate(0), 4e9);
  EXPECT_EQ(half.bus_rate(1), 2e9);
  EXPECT_EQ(half.home_rate(2), 1e9);
  EXPECT_EQ(half.peer_rate(0, 1), 5e9);
  EXPECT_EQ(half.peer_rate(0, 2), 3e9);
  EXPECT_EQ(half.latency_s, fast.latency_s);
}

TEST(Buses, AreRefusedWithOtherThanOneBandwidthEach) {
  EXPECT_EQ(
      refusal("gpus:k=2,bandwidth=1GB/s+2GB/s+3GB/s"),
      "platform 'gpus:k=2,bandwidth=1GB/s+2GB/s+3GB/s': bandwidth= gives 3 buses, but there are 2 GPUs; give one, or one a bus");
  EXPECT_EQ(
      refusal("gpus:k=3,buses=3,bandwidth=1GB/s+2GB/s"),
      "platform 'gpus:k=3,buses=3,bandwidth=1GB/s+2GB/s': 2 bandwidths for 3 buses; give one, or one a bus, as 12GB/s+6GB/s of two");
  EXPECT_EQ(
      refusal("gpus:k=3,bandwidth=1GB/s+"),
      "platform 'gpus:k=3,bandwidth=1GB/s+': bandwidth must be a rate in bytes per second, such as 12GB/s, not ''");
}

TEST(PrefetchDepth, IsOfTheBusThatNeedsMost) {
  const Workload workload = Workload::parse("gemm2d:n=8");
  const auto depth = [&](const std::string& platform) {
    return prefetch_depth(limits_of(platform), workload);
  };
  EXPECT_EQ(depth("gpus:k=2,bandwidth=24GB/s+12GB/s"), depth("gpus:k=1,bandwidth=12GB/s"));
  EXPECT_EQ(depth("gpus:k=2,bandwidth=4GB/s+12GB/s"), depth("gpus:k=1,bandwidth=4GB/s"));
  EXPECT_NE(depth("gpus:k=1,bandwidth=4GB/s"), depth("gpus:k=1,bandwidth=12GB/s"));
}

/// Two GPUs that each compute half of an 8 x 8 grid load 12 of its 16 data items each, at 10 GB/s.
TEST(Buses, CountTogetherInTheBound) {
  const Workload workload = Workload::parse("gemm2d:n=8");
  const auto seconds = [&](const std::string& platform) {
    const Scenario scenario = Scenario::parse(platform);
    return workload_makespan_bound(workload, scenario.draw(1, 0), {16, "compulsory"}).seconds;
  };
  const std::string machine = "gpus:k=2,gflops=1e6,latency=0s,bandwidth=10GB/s";
  const double load_s = static_cast<double>(workload.graph().bytes(0)) / 10e9;
  const double one_bus_s = seconds(machine);
  const double two_buses_s = seconds(machine + ",buses=2");
  EXPECT_GE(one_bus_s, 16 * load_s);
  EXPECT_GE(two_buses_s, 8 * load_s);
  EXPECT_LT(two_buses_s, 12.01 * load_s);
}

TEST(PrefetchDepth, IsOfTheProcessorsOfOneBus) {
  const Workload workload = Workload::parse("gemm2d:n=8");
  const auto depth = [&](const std::string& platform) {
    return prefetch_depth(limits_of(platform), workload);
  };
  EXPECT_EQ(depth("gpus:k=4,buses=2"), depth("gpus:k=2"));
  EXPECT_NE(depth("gpus:k=4"), depth("gpus:k=2"));
  EXPECT_EQ(depth("gpus:k=2,cpus=4,cpu_gflops=20000"), depth("gpus:k=2"));
  EXPECT_EQ(depth("gpus:k=0,cpus=4,cpu_gflops=20000"), 2U);
}

class BusesFile : public PlatformFile {};

TEST_F(BusesFile, SaysWhichGpuIsOnWhich) {
  const MachineModel limits =
      Scenario::parse(write("[[gpus]]\ncount = 2\nbus = 1\n[[gpus]]\n")).machine().value();
  EXPECT_EQ(limits.on_bus(1), 2U);
  EXPECT_EQ(limits.on_bus(0), 1U);

  const MachineModel two =
      Scenario::parse(write("[bus]\nbandwidth = \"5GB/s\"\n[[buses]]\n[[buses]]\n"
                            "bandwidth = \"6GB/s\"\n[[gpus]]\n[[gpus]]\nbus = 1\n"))
          .machine()
          .value();
  EXPECT_EQ(two.bus_rate(0), 5e9);
  EXPECT_EQ(two.bus_rate(1), 6e9);
  EXPECT_EQ(
      file_refusal("[[buses]]\n[[buses]]\nbandwith = 3\n[[gpus]]\n"),
      "unknown key in platform file 'FILE', line 3: 'bandwith'; did you mean 'bandwidth'? valid: bandwidth");
  EXPECT_EQ(
      file_refusal("[[buses]]\n[[buses]]\n[[gpus]]\n"),
      "platform file 'FILE': 2 bandwidths for one bus; give one, or one a bus, as 12GB/s+6GB/s of two");
  EXPECT_EQ(
      file_refusal("[bus]\nbandwidth = \"1GB/s+2GB/s\"\n[[buses]]\n[[gpus]]\n"),
      "platform file 'FILE', line 3: bandwidths of buses are given in [bus] too; give those of one place");
  EXPECT_EQ(file_refusal("[[gpus]]\nbus = 1\n"),
            "platform file 'FILE': no GPU is on bus 0 of 2 (from 0)");
  EXPECT_EQ(file_refusal("[[gpus]]\nbus = 64\n"),
            "platform file 'FILE', line 2: bus must be a whole number from 0 to 63, not '64'");
}

}  // namespace
}  // namespace damocles::machine_test
