// GPUs from a machine file.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "models/platforms/gpus.hpp"
#include "models/platforms/scenario.hpp"
#include "tests/models/platforms/platform_file.hpp"

namespace damocles::gpus_file_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

MachineModel machine(const std::string& text) {
  const auto scenario = Scenario::parse(text);
  EXPECT_TRUE(scenario.machine().has_value());
  return scenario.machine().value();
}

class GpusFromFile : public PlatformFile {};

TEST_F(GpusFromFile, RefusesWhatIsNoValueOfAKeyOfTheBus) {
  const auto told = [&](const std::string& line) {
    return file_refusal("[bus]\n" + line + "\n[[gpus]]\n");
  };
  const std::string where = "platform file 'FILE', line 2: ";
  for (const std::string value : {"nan", "inf", "-1", "1.5", "true"}) {
    EXPECT_EQ(told("jitter = " + value),
              where + "jitter must be off or from 0 to 1, as 0.007, not '" + value + "'");
  }
  for (const std::string value : {"[1]", "{a = 1}", "2020-01-01"}) {
    EXPECT_EQ(told("request = " + value),
              where + "request must be a time, such as 10us, not 'a table or list'");
  }
  EXPECT_EQ(told("decision = \"1e18s\""), where + "decision must be at most 1e+06 s, not '1e18s'");
  EXPECT_EQ(told("streams = 3"), where + "streams must be a whole number from 1 to 2, not '3'");
  EXPECT_EQ(told("duplex = 1"), where + "duplex must be true or false, not '1'");
  EXPECT_EQ(
      told("writeback = \"Traffic\""),
      where + "writeback must be true, false, traffic, or a number as 3outputs, not 'Traffic'");
  EXPECT_EQ(told("jitter = \"off\"\nstreams = \"1\"\nduplex = true\nrequest = \"28us\""),
            "no error");
}

TEST_F(GpusFromFile, ListsGpusOfSeveralKinds) {
  const auto path = write(R"([bus]
bandwidth = "6GB/s"
latency = "20us"
sharing = "fifo"
depth = 5
writeback = true

[[gpus]]
memory = "1GiB"
gflops = 100
count = 2

[[gpus]]
memory = "7data"
link = "1GB/s"
gflops = 12.5

[[links]]
between = [2, 0]
bandwidth = "3GB/s"
)");

  const auto given = machine(path);

  EXPECT_EQ(given.bus_bytes_per_s, 6e9);
  EXPECT_DOUBLE_EQ(given.latency_s, 2e-5);
  EXPECT_EQ(given.sharing, BusSharing::fifo);
  EXPECT_EQ(given.depth, 5U);
  EXPECT_TRUE(given.write_back);
  ASSERT_EQ(given.processors.size(), 3U);
  for (const std::size_t p : {0U, 1U}) {
    EXPECT_EQ(given.processors[p].memory_bytes, 1U << 30U);
    EXPECT_EQ(given.processors[p].flops_per_s, 100e9);
    EXPECT_EQ(given.processors[p].link_bytes_per_s, infinite);
  }
  EXPECT_EQ(given.processors[2].memory_data, 7U);
  EXPECT_EQ(given.processors[2].memory_bytes, 0U);
  EXPECT_EQ(given.processors[2].flops_per_s, 12.5e9);
  EXPECT_EQ(given.processors[2].link_bytes_per_s, 1e9);
  EXPECT_EQ(given.peer_rate(0, 2), 3e9);
  EXPECT_EQ(given.peer_rate(2, 0), 3e9);
  EXPECT_EQ(given.peer_rate(0, 1), 0);
  EXPECT_EQ(Scenario::parse(path).draw(1, 0).speeds, (std::vector<double>{100e9, 100e9, 12.5e9}));
}

TEST_F(GpusFromFile, HasTheDefaultsOfIpdps22) {
  const auto given = machine(write("[[gpus]]\ncount = 2\n"));

  EXPECT_EQ(given.bus_bytes_per_s, 12e9);
  ASSERT_EQ(given.processors.size(), 2U);
  EXPECT_EQ(given.processors[0].memory_bytes, 500'000'000U);
  EXPECT_EQ(given.processors[0].flops_per_s, 13253e9);
}

TEST_F(GpusFromFile, IsRefusedWithTheLineOfAWrongValue) {
  EXPECT_EQ(
      file_refusal("[[gpus]]\nmemory = \"500 apples\"\n"),
      "platform file 'FILE', line 2: memory must be a size, such as 500MB (10^6 bytes) or 500MiB (2^20 bytes), not '500 apples'");
  EXPECT_EQ(
      file_refusal("[bus]\nbandwidth = 0\n[[gpus]]\ncount = 1\n"),
      "platform file 'FILE', line 2: bandwidth must be a rate in bytes per second, such as 12GB/s, not '0'");
  EXPECT_EQ(file_refusal("[bus]\nsharing = \"unfair\"\n[[gpus]]\ncount = 1\n"),
            "platform file 'FILE', line 2: sharing must be fair or fifo, not 'unfair'");
  EXPECT_EQ(file_refusal("[[gpus]]\ngflops = 1\n\n[[gpus]]\ncount = 0\n"),
            "platform file 'FILE', line 5: count must be a whole number from 1 to 4096, not '0'");
  EXPECT_EQ(
      file_refusal("[[gpus]]\ngflops = [1]\n"),
      "platform file 'FILE', line 2: gflops must be a number of GFlop/s above 0, such as 13253, not 'a table or list'");
  EXPECT_EQ(file_refusal("[[gpus]]\ncount = 4000\n[[gpus]]\ncount = 97\n"),
            "platform file 'FILE', line 3: more than 4096 processors");
}

TEST_F(GpusFromFile, IsRefusedWithTheLineOfAnUnknownKey) {
  EXPECT_EQ(file_refusal("[[gpus]]\ncount = 1\nmemroy = \"1GB\"\n"),
            "unknown key in platform file 'FILE', line 3: 'memroy'; did you mean 'memory'? valid: "
            "gflops, memory, link, times, power, idle, powers, count, kind, bus");
  EXPECT_EQ(
      file_refusal("[bus]\nbandwith = \"1GB/s\"\n[[gpus]]\ncount = 1\n"),
      "unknown key in platform file 'FILE', line 2: 'bandwith'; did you mean 'bandwidth'? "
      "valid: bandwidth, latency, sharing, depth, loads_ahead, writeback, streams, duplex, jitter, noise, "
      "request, decision, handover, overhead, interference, synchronous, peers, routes");
  EXPECT_EQ(file_refusal("[[gpus]]\ncount = 1\n[buss]\ndepth = 1\n"),
            "unknown key in platform file 'FILE', line 3: 'buss'; did you mean 'bus'? valid: bus, "
            "buses, gpus, cpus, links, routes");
}

TEST_F(GpusFromFile, IsRefusedWithoutTablesOfGpus) {
  for (const auto* text : {"gpus = []\n", "gpus = 2\n", "[gpus]\nmemory = \"1GB\"\n"}) {
    EXPECT_EQ(file_refusal(text), "platform file 'FILE', line 1: gpus must be tables: [[gpus]]")
        << text;
  }
  EXPECT_EQ(file_refusal("[bus]\ndepth = 2\n"),
            "platform file 'FILE' has no [[gpus]] table; write one with memory = \"500MB\"");
  EXPECT_EQ(file_refusal("bus = 3\n[[gpus]]\ncount = 1\n"),
            "platform file 'FILE', line 1: bus must be a table: [bus]");
}

TEST_F(GpusFromFile, TakeOptionsBehindTheName) {
  const std::string path = write(
      "[bus]\nbandwidth = \"6GB/s\"\n[[gpus]]\nmemory = \"1GB\"\n[[gpus]]\nmemory = \"2GB\"\n"
      "[[cpus]]\n");
  const MachineModel changed = machine(path + ",memory=40data,bandwidth=24GB/s,cpu_gflops=7");
  ASSERT_EQ(changed.processors.size(), 3U);
  EXPECT_EQ(changed.processors[0].memory_data, 40U);
  EXPECT_EQ(changed.processors[1].memory_data, 40U);
  EXPECT_EQ(changed.processors[2].flops_per_s, 7e9);
  EXPECT_EQ(changed.bus_rate(0), 24e9);
  EXPECT_EQ(Scenario::parse(path + ",memory=40data").text(), path + ",memory=40data");
  EXPECT_EQ(machine(path).processors[1].memory_bytes, 2'000'000'000U);

  const auto refused = [&](const std::string& options) { return refusal(path + options); };
  EXPECT_NE(refused(",memroy=1GB").find("has no option 'memroy'; did you mean 'memory'?"),
            std::string::npos);
  EXPECT_NE(refused(",1GB").find("'1GB' is not key=value; write memory=1GB"), std::string::npos);
  EXPECT_NE(refused(",memory=much").find(",memory=much': memory must be"), std::string::npos);
  (void)write("[[processors]]\nspeed = 1\n");
  EXPECT_NE(refused(",memory=1GB").find("has speeds alone, and no option 'memory'"),
            std::string::npos);
}

}  // namespace
}  // namespace damocles::gpus_file_test
