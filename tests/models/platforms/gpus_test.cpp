#include "models/platforms/gpus.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "models/platforms/gpu_presets.hpp"
#include "models/platforms/scenario.hpp"
#include "tests/models/platforms/platform_file.hpp"

namespace damocles::gpus_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

MachineModel limits(const std::string& text) {
  const auto scenario = Scenario::parse(text);
  EXPECT_TRUE(scenario.machine().has_value());
  return scenario.machine().value();
}

class GpusFile : public PlatformFile {};

TEST(Gpus, AreThoseOfIpdps22WhereNothingIsSaid) {
  const auto given = limits("gpus:k=4");

  ASSERT_EQ(given.processors.size(), 4U);
  for (const auto& gpu : given.processors) {
    EXPECT_EQ(gpu.flops_per_s, 13253e9);
    EXPECT_EQ(gpu.memory_bytes, 500'000'000U);
    EXPECT_EQ(gpu.memory_data, 0U);
    EXPECT_EQ(gpu.link_bytes_per_s, infinite);
  }
  EXPECT_EQ(given.bus_bytes_per_s, 12e9);
  EXPECT_DOUBLE_EQ(given.latency_s, 1e-5);
  EXPECT_EQ(given.sharing, BusSharing::fair);
  EXPECT_EQ(given.depth, 0U);
  EXPECT_FALSE(given.write_back);
  EXPECT_EQ(limits("gpus").processors.size(), 1U);
}

/// Whose seconds a simulation's are: a preset's where any rate is not given.
TEST(Gpus, KnowWhetherTheirRatesAreAPresets) {
  EXPECT_TRUE(limits("gpus:k=2").preset_rates);
  EXPECT_TRUE(limits("gpus:preset=v100-coloc21").preset_rates);
  EXPECT_TRUE(limits("gpus:gflops=10").preset_rates);
  EXPECT_TRUE(limits("gpus:bandwidth=1GB/s").preset_rates);
  EXPECT_FALSE(limits("gpus:gflops=10,bandwidth=1GB/s").preset_rates);
}

TEST_F(GpusFile, KnowsWhetherItsRatesAreAPresets) {
  const auto preset = [&](const std::string& text) { return limits(write(text)).preset_rates; };
  EXPECT_FALSE(preset("[bus]\nbandwidth = \"1GB/s\"\n[[gpus]]\ngflops = 10\n"));
  EXPECT_TRUE(preset("[bus]\nlatency = \"1us\"\n[[gpus]]\ngflops = 10\n"));
  EXPECT_TRUE(preset("[[gpus]]\ngflops = 10\n"));
  EXPECT_TRUE(preset("[bus]\nbandwidth = \"1GB/s\"\n[[gpus]]\ngflops = 10\n[[gpus]]\n"));
}

TEST_F(GpusFile, KnowsWhatAPresetsRatesAreOf) {
  EXPECT_EQ(limits(write("[[gpus]]\ngflops = 10\n[[gpus]]\n")).preset_precision, Precision::fp32);
  EXPECT_EQ(limits(write("[[gpus]]\ngflops = 10\n")).preset_precision, std::nullopt);
}

TEST(Gpus, TakeAPreset) {
  const auto coloc = limits("gpus:k=1,preset=v100-coloc21");

  EXPECT_EQ(coloc.processors[0].flops_per_s, 12557e9);
  EXPECT_EQ(coloc.bus_bytes_per_s, 6e9);
  // What is given goes before the preset, wherever it stands.
  EXPECT_EQ(limits("gpus:gflops=5,preset=v100-coloc21").processors[0].flops_per_s, 5e9);
  EXPECT_EQ(limits("gpus:gflops=5,preset=v100-coloc21").bus_bytes_per_s, 6e9);
}

TEST(ParseGpus, GivesGpusWithLinksOfTheirOwnABusThatHoldsNoneBack) {
  const auto four = limits("gpus:k=4,preset=a100");
  EXPECT_EQ(four.processors.size(), 4U);
  for (const ProcessorModel& gpu : four.processors) {
    EXPECT_EQ(gpu.flops_per_s, 19.5e12);
    EXPECT_EQ(gpu.memory_bytes, 40'000'000'000U);
    EXPECT_EQ(gpu.link_bytes_per_s, 32e9);
  }
  EXPECT_EQ(four.bus_bytes_per_s, 4 * 32e9);
  EXPECT_EQ(limits("gpus:k=4,preset=a100,link=10GB/s").bus_bytes_per_s, 4 * 10e9);
  EXPECT_EQ(limits("gpus:k=4,preset=a100,bandwidth=50GB/s").bus_bytes_per_s, 50e9);
  EXPECT_EQ(limits("gpus:k=4").bus_bytes_per_s, 12e9);  // the papers' bus is one for all
}

TEST(GpuPresets, AreAllPlatformsAndSayWhence) {
  for (const GpuPreset& preset : gpu_presets()) {
    const auto made = limits("gpus:k=2,preset=" + preset.name);
    EXPECT_EQ(made.processors[1].flops_per_s, preset.gflops_in(Precision::fp32) * 1e9)
        << preset.name;
    EXPECT_TRUE(made.preset_rates) << preset.name;
    EXPECT_GT(made.processors[0].memory_bytes, 0U) << preset.name;
    EXPECT_FALSE(preset.source.empty()) << preset.name;
  }
}

TEST(GpuPresets, HaveTheRateOfThePrecisionAskedFor) {
  EXPECT_EQ(limits("gpus:preset=h200,precision=tf32").processors[0].flops_per_s, 494.5e12);
  EXPECT_EQ(limits("gpus:preset=a100,precision=bf16").processors[0].flops_per_s, 312e12);
  EXPECT_EQ(limits("gpus:preset=rtx4090,precision=double").processors[0].flops_per_s, 1.29e12);
  EXPECT_EQ(limits("gpus:preset=rtx4090,precision=fp16").processors[0].flops_per_s, 165.2e12);
  EXPECT_EQ(limits("gpus:precision=tf32,gflops=5").processors[0].flops_per_s, 5e9);
  EXPECT_EQ(
      refusal("gpus:k=2,precision=double"),
      "platform 'gpus:k=2,precision=double': preset v100 has no GFlop/s in double; give gflops=");
  EXPECT_EQ(
      refusal("gpus:precision=half"),
      "platform 'gpus:precision=half': precision must be one of single, double, tf32, bf16, fp16, not 'half'");
}

TEST(GpuPresets, SayWhatTheirRatesAreOf) {
  EXPECT_EQ(limits("gpus:k=2").preset_precision, Precision::fp32);
  EXPECT_EQ(limits("gpus:preset=h200,precision=tf32").preset_precision, Precision::tf32);
  EXPECT_EQ(limits("gpus:gflops=5").preset_precision, std::nullopt);
}

/// No card is faster in more bits; what misses a zero or a column would be.
TEST(GpuPresets, AreNoSlowerInFewerBits) {
  for (const GpuPreset& preset : gpu_presets()) {
    const double single = preset.gflops_in(Precision::fp32);
    EXPECT_GT(single, 0) << preset.name;
    EXPECT_LE(preset.gflops_in(Precision::fp64), single) << preset.name;
    EXPECT_EQ(preset.gflops_in(Precision::bf16), preset.gflops_in(Precision::fp16)) << preset.name;
    for (const Precision mixed : {Precision::tf32, Precision::bf16}) {
      if (const double rate = preset.gflops_in(mixed); rate > 0) {
        EXPECT_GE(rate, single) << preset.name;
      }
    }
  }
}

TEST(Gpus, TakeEveryKey) {
  const auto given = limits(
      "gpus:k=2,memory=1.5GiB,gflops=7.5,bandwidth=3GB/s,link=500MB/s,latency=0s,bus=fifo,depth=3,writeback=true");

  ASSERT_EQ(given.processors.size(), 2U);
  EXPECT_EQ(given.processors[1].memory_bytes, 1'610'612'736U);
  EXPECT_EQ(given.processors[1].flops_per_s, 7.5e9);
  EXPECT_EQ(given.processors[1].link_bytes_per_s, 5e8);
  EXPECT_EQ(given.bus_bytes_per_s, 3e9);
  EXPECT_EQ(given.latency_s, 0);
  EXPECT_EQ(given.sharing, BusSharing::fifo);
  EXPECT_EQ(given.depth, 3U);
  EXPECT_TRUE(given.write_back);
}

TEST(Gpus, TakePlacesForOutputsBesideTheMemory) {
  const auto given = limits("gpus:writeback=3outputs");

  EXPECT_EQ(given.output_places, 3U);
  EXPECT_FALSE(given.write_back);
  for (const char* const none : {"0outputs", "-1outputs", "outputs", "1.5outputs"}) {
    EXPECT_THROW(limits(std::string("gpus:writeback=") + none), InvalidInput) << none;
  }
  EXPECT_EQ(limits("gpus:writeback=1000outputs").output_places, 1000U);
  EXPECT_THROW(limits("gpus:writeback=1001outputs"), InvalidInput);
}

TEST(Gpus, TakeAMemoryAsANumberOfData) {
  const auto given = limits("gpus:memory=35data").processors[0];

  EXPECT_EQ(given.memory_data, 35U);
  EXPECT_EQ(given.memory_bytes, 0U);
}

TEST(Gpus, AreAPlatformOfTheirSpeeds) {
  const auto platform = Scenario::parse("gpus:k=3,gflops=2").draw(1, 0);

  EXPECT_EQ(platform.speeds, (std::vector<double>{2e9, 2e9, 2e9}));
  ASSERT_TRUE(platform.machine.has_value());
  EXPECT_EQ(platform.machine->processors.size(), 3U);
  EXPECT_FALSE(Scenario::parse("gpus:k=3").random());
  EXPECT_EQ(Scenario::parse("gpus:k=3").processors(), 3U);
  EXPECT_EQ(Scenario::parse("gpus:k=3,memory=20data").text(), "gpus:k=3,memory=20data");
  EXPECT_FALSE(Scenario::parse("homogeneous:p=2").machine().has_value());
}

TEST(Gpus, RefuseMoreThanAnyMachineHas) {
  EXPECT_EQ(refusal("gpus:memory=1e19B"),
            "platform 'gpus:memory=1e19B': memory must be at most 1e+18, not '1e19B'");
  EXPECT_EQ(refusal("gpus:gflops=1e19"),
            "platform 'gpus:gflops=1e19': gflops must be at most 1e+18, not '1e19'");
}

TEST(Gpus, RefuseWhatIsNoQuantityOfTheKind) {
  EXPECT_EQ(
      refusal("gpus:memory=500Mb"),
      "platform 'gpus:memory=500Mb': memory 500Mb has the unknown unit 'Mb'; did you mean 500MB?");
  for (const std::string memory : {"0", "0B", "0.5B", "-1MB", "12GB/s", "nan", "infB"}) {
    EXPECT_EQ(
        refusal("gpus:memory=" + memory),
        "platform 'gpus:memory=" + memory +
            "': memory must be a size, such as 500MB (10^6 bytes) or 500MiB (2^20 bytes), not '" +
            memory + "'");
  }
  for (const std::string count : {"0", "-1", "1.5", "x", ""}) {
    EXPECT_EQ(refusal("gpus:memory=" + count + "data"),
              "platform 'gpus:memory=" + count +
                  "data': memory must be a whole number from 1 to 1000000000, not '" + count + "'");
  }
  for (const std::string key : {"bandwidth", "link"}) {
    EXPECT_EQ(refusal("gpus:" + key + "=12GB"),
              "platform 'gpus:" + key + "=12GB': " + key +
                  " must be a rate in bytes per second, such as 12GB/s, not '12GB'");
    EXPECT_NE(refusal("gpus:" + key + "=0GB/s"), "no error");
  }
  EXPECT_EQ(refusal("gpus:latency=10"),
            "platform 'gpus:latency=10': latency 10 has no unit; did you mean 10us?");
  EXPECT_EQ(refusal("gpus:latency=0"), "no error");
  EXPECT_EQ(refusal("gpus:memory=500"),
            "platform 'gpus:memory=500': memory 500 has no unit; did you mean 500MB?");
  EXPECT_EQ(refusal("gpus:memory=4data"), "no error");
  EXPECT_EQ(refusal("gpus:bandwidth=12GB/s+6"),
            "platform 'gpus:bandwidth=12GB/s+6': bandwidth 6 has no unit; did you mean 6GB/s?");
  EXPECT_EQ(
      refusal("gpus:times=GEMM:1015"),
      "platform 'gpus:times=GEMM:1015': times of GEMM 1015 has no unit; did you mean 1015us?");
  EXPECT_EQ(refusal("gpus:times=GEMM:2e-13*bytes^1.5"), "no error");
  EXPECT_EQ(
      refusal("gpus:power=300W,powers=GEMM:280"),
      "platform 'gpus:power=300W,powers=GEMM:280': powers of GEMM 280 has no unit; did you mean 280W?");
  EXPECT_EQ(refusal("gpus:latency=1min"),
            "platform 'gpus:latency=1min': latency must be a time, such as 10us, not '1min'");
  for (const std::string gflops : {"0", "-1", "nan", "1GF/s"}) {
    EXPECT_EQ(refusal("gpus:gflops=" + gflops),
              "platform 'gpus:gflops=" + gflops +
                  "': gflops must be a number of GFlop/s above 0, such as 13253, not '" + gflops +
                  "'");
  }
}

TEST(Gpus, RefuseRatesAndTimesBesideWhichNothingElseCounts) {
  for (const std::string key : {"bandwidth", "link"}) {
    EXPECT_EQ(refusal("gpus:" + key + "=1e-300B/s"),
              "platform 'gpus:" + key + "=1e-300B/s': " + key +
                  " must be at least 1 B/s, not '1e-300B/s'");
    EXPECT_EQ(refusal("gpus:" + key + "=1B/s"), "no error");
  }
  EXPECT_EQ(refusal("gpus:gflops=1e-320"),
            "platform 'gpus:gflops=1e-320': gflops must be at least 1e-09, not '1e-320'");
  EXPECT_EQ(refusal("gpus:gflops=1e-9"), "no error");
  for (const std::string key : {"latency", "request", "decision"}) {
    EXPECT_EQ(refusal("gpus:" + key + "=1e18s"), "platform 'gpus:" + key + "=1e18s': " + key +
                                                     " must be at most 1e+06 s, not '1e18s'");
    EXPECT_EQ(refusal("gpus:" + key + "=1000000s"), "no error");
    EXPECT_EQ(refusal("gpus:" + key + "=-1us"), "platform 'gpus:" + key + "=-1us': " + key +
                                                    " must be a time, such as 10us, not '-1us'");
  }
}

/// The texts of a key, separated by |.
std::vector<std::string> alternatives(const std::string& values) {
  std::vector<std::string> result;
  std::istringstream text(values);
  for (std::string one; std::getline(text, one, '|');) result.push_back(one);
  return result;
}

/// A machine on which the key may have the value: with powers for those of kinds, with links for
/// routes over them, with recorded times for noise as measured.
std::string with_key(const std::string& key, const std::string& value) {
  std::vector<std::pair<std::string, std::string>> base{
      {"k", "4"},        {"cpus", "2"},        {"preset", "a100"},
      {"power", "300W"}, {"cpu_power", "10W"}, {"times", "recorded"}};
  if (key == "routes") base.emplace_back("peers", "0-1:24GB/s+1-2:24GB/s");
  std::string text = "gpus:" + key + "=" + value;
  for (const auto& [name, usual] : base) {
    if (name != key) text += "," + name + "=" + usual;
  }
  return text;
}

TEST(Gpus, AcceptEveryValueThatTheirListShows) {
  const auto keys = Table<PlatformForm>::named("gpus").keys();
  std::size_t tried = 0;
  for (const KeyText& key : keys) {
    EXPECT_FALSE(key.meaning.empty()) << key.name;
    for (const std::string& value : alternatives(key.values)) {
      if (value.find("FILE") != std::string::npos) continue;  // no file of that name is here
      EXPECT_EQ(refusal(with_key(key.name, value)), "no error") << key.name << "=" << value;
      ++tried;
    }
  }
  EXPECT_GE(tried, keys.size());
}

/// What keys with a default set, as text.
std::string settings(const MachineModel& machine) {
  std::string text = std::to_string(machine.processors.size());
  for (const ProcessorModel& gpu : machine.processors) {
    text +=
        fmt::format(" {}:{}:{}:{}", gpu.flops_per_s, gpu.memory_bytes, gpu.bus, gpu.power.idle_w);
  }
  return text + fmt::format(" {:.9g} {} {} {} {} {} {} {} {} {} {} {} {} {}", machine.latency_s,
                            machine.request_s, machine.decision_s, machine.handover_s,
                            machine.overhead_s, machine.interference, machine.loads_ahead,
                            machine.sharing == BusSharing::fair, machine.write_back,
                            machine.copy_streams, machine.duplex, machine.bus_bytes_per_s,
                            machine.buses(), machine.noise.has_value());
}

TEST(Gpus, HaveTheDefaultsThatTheirListShows) {
  std::size_t tried = 0;
  for (const KeyText& key : Table<PlatformForm>::named("gpus").keys()) {
    if (key.otherwise.empty() || key.otherwise.starts_with('(')) continue;
    const std::string cores = key.name.starts_with("cpu_") ? "gpus:cpus=2," : "gpus:";
    EXPECT_EQ(settings(limits(cores + key.name + "=" + key.otherwise)),
              settings(limits(cores + "memory=500MB")))
        << key.name;
    ++tried;
  }
  EXPECT_EQ(tried, 19U);
}

TEST(Gpus, RefuseUnknownWordsAndNumbersOutOfRange) {
  EXPECT_EQ(
      refusal("gpus:k=0"),
      "platform 'gpus:k=0': k=0 is possible only with CPU cores; give k=1 or more, or add cpus=8");
  EXPECT_EQ(refusal("gpus:k=4097"),
            "platform 'gpus:k=4097': k must be a whole number from 1 to 4096");
  EXPECT_EQ(refusal("gpus:depth=0"),
            "platform 'gpus:depth=0': depth must be a whole number from 1 to 1000000, not '0'");
  EXPECT_EQ(
      refusal("gpus:loads_ahead=-1"),
      "platform 'gpus:loads_ahead=-1': loads_ahead must be a whole number from 0 to 1000, not '-1'");
  EXPECT_EQ(refusal("gpus:bus=fare"),
            "platform 'gpus:bus=fare': bus must be fair or fifo, not 'fare'");
  EXPECT_EQ(
      refusal("gpus:writeback=1"),
      "platform 'gpus:writeback=1': writeback must be true, false, traffic, or a number as 3outputs, not '1'");
  EXPECT_EQ(
      refusal("gpus:preset=v10"),
      "unknown preset 'v10'; did you mean 'v100'? valid: v100, v100-coloc21, a100, h100-pcie, "
      "h100-sxm, h200, gh200, rtx4090, mi250x");
  EXPECT_EQ(refusal("gpus:p=2"),
            "platform 'gpus' has no option 'p'; `damocles list gpus` shows all 36");
  EXPECT_EQ(refusal("gpus:streams=3"),
            "platform 'gpus:streams=3': streams must be a whole number from 1 to 2, not '3'");
  EXPECT_EQ(refusal("gpus:duplex=no"),
            "platform 'gpus:duplex=no': duplex must be true or false, not 'no'");
  for (const char* jitter : {"-0.1", "1.5", "nan", "on"}) {
    EXPECT_EQ(refusal(std::string("gpus:jitter=") + jitter),
              std::string("platform 'gpus:jitter=") + jitter +
                  "': jitter must be off or from 0 to 1, as 0.007, not '" + jitter + "'");
  }
  for (const char* part : {"-0.1", "101", "nan", "off"}) {
    EXPECT_EQ(refusal(std::string("gpus:interference=") + part),
              std::string("platform 'gpus:interference=") + part +
                  "': interference must be from 0 to 100, as 0.5, not '" + part + "'");
  }
  EXPECT_EQ(refusal("gpus:overhead=fast"),
            "platform 'gpus:overhead=fast': overhead must be a time, such as 10us, not 'fast'");
  EXPECT_NE(refusal("gpus:2"), "no error");
}

TEST(Gpus, GiveTimesOfKindsOfTasks) {
  const MachineModel given = limits("gpus:k=2,times=GEMM:1015us+POTRF:46.8ms");
  ASSERT_EQ(given.processors[1].kernel_times.size(), 2U);
  EXPECT_EQ(given.processors[1].kernel_times[0].kind, "GEMM");
  EXPECT_DOUBLE_EQ(given.processors[1].kernel_times[0].seconds, 1015e-6);
  EXPECT_DOUBLE_EQ(given.processors[1].kernel_times[1].seconds, 46.8e-3);
  const KernelTime power = limits("gpus:times=GEMM:2e-12*bytes^1.5").processors[0].kernel_times[0];
  EXPECT_DOUBLE_EQ(power.time_of({.bytes = 10'000, .flops = 3})->mean_s, 2e-12 * 1e6);
  EXPECT_EQ(limits("gpus:times=POTRF:never").processors[0].kernel_times[0].seconds, never_s);
  for (const auto* times : {"GEMM",
                            "GEMM:",
                            ":1s",
                            "GEMM:0s",
                            "GEMM:-1s",
                            "GEMM:1s+GEMM:2s",
                            "GEMM:1s+",
                            "GEMM:1e9s",
                            "GEMM:1GB",
                            "GEMM:inf",
                            "never",
                            "GEMM:Never",
                            "recorded+recorded",
                            "GEMM:recorded",
                            "GEMM:1us*",
                            "GEMM:1us*size",
                            "GEMM:1us*bytes^",
                            "GEMM:1us*bytes^0",
                            "GEMM:1us*bytes^-1",
                            "GEMM:1us*bytes^11",
                            "GEMM:1us*bytes^nan",
                            "GEMM:0*bytes",
                            "GEMM:never*bytes",
                            "GEMM:1us*bytes^2^2"}) {
    EXPECT_EQ(
        refusal(std::string("gpus:times=") + times),
        std::string("platform 'gpus:times=") + times +
            "': times must be v100, h200, core, flops, recorded, or KIND:VALUE+KIND:VALUE, where VALUE is a time above 0, never, a power of bytes or flops, "
            "or cuda@FILE, as GEMM:1015us+POTRF:never+TRSM:2.1e-13*bytes^1.5+SYRK:cuda@FILE, not '" +
            times + "'");
  }
}

TEST(Gpus, TasksHaveAnOverheadAndCopiesATimeAlone) {
  const MachineModel given = limits(
      "gpus:gflops=2,overhead=20us,interference=0.25,latency=10us,bandwidth=10GB/s,link=5GB/s");
  EXPECT_EQ(given.interference, 0.25);
  EXPECT_DOUBLE_EQ(given.overhead_s, 20e-6);
  EXPECT_DOUBLE_EQ(given.copy_s(0, 5e6), 1e-3 + 10e-6);
  EXPECT_EQ(limits("gpus:k=1").overhead_s, 0);
  EXPECT_EQ(limits("gpus:k=1").interference, 0);
}

TEST(Gpus, NameKindsOfTasksThatTheirDriverWaitsFor) {
  const MachineModel given = limits("gpus:synchronous=POTRF+GETRF");
  EXPECT_TRUE(given.is_synchronous("POTRF"));
  EXPECT_TRUE(given.is_synchronous("GETRF"));
  EXPECT_FALSE(given.is_synchronous("GEMM"));
  EXPECT_FALSE(limits("gpus:k=1").is_synchronous(""));
  for (const char* const part : {"POTRF+", "+", "A++B"}) {
    EXPECT_EQ(refusal(std::string("gpus:synchronous=") + part),
              std::string("platform 'gpus:synchronous=") + part +
                  "': synchronous must be names of kinds of tasks, as POTRF+GETRF, not '" + part +
                  "'");
  }
}

}  // namespace
}  // namespace damocles::gpus_test
