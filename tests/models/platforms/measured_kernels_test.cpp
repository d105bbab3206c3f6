// Whose kernels are whose, and where they hold by default.

#include "models/platforms/measured_kernels.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "models/platforms/durations.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles::measured_kernels_test {
namespace {

Platform platform(const std::string& text) { return Scenario::parse(text).draw(1, 0); }

MachineModel machine_for(std::string_view spec, const Workload& workload) {
  return *Scenario::parse(spec).for_tasks_of(workload).machine();
}

/// Of an H200, `times=h200`, in ms with tiles of 960 and of 1920; without LU's solves on a V100,
/// which take what TRSM does.
TEST(MeasuredKernels, OfAnH200AreThoseMeasured) {
  const std::map<int, std::array<double, 4>> of_cholesky{{960, {399.4, 392.9, 116.9, 81.2}},
                                                         {1920, {718.3, 908.5, 257, 388.4}}};
  const std::map<int, std::array<double, 4>> of_lu{{960, {1853.6, 269.5, 342, 81.2}},
                                                   {1920, {4392.4, 737.8, 899.1, 388.4}}};
  for (const auto* const measured : {&of_cholesky, &of_lu}) {
    for (const auto& [tile, times] : *measured) {
      const Workload workload = Workload::parse(
          fmt::format("{}:n=3,tile={}", measured == &of_lu ? "starpu-lu" : "cholesky", tile));
      const Platform gpus = platform("gpus:times=h200");
      const Durations durations(workload, gpus);
      const auto& kinds = workload.graph().parts().kind_names;
      for (TaskGraph::Index task = 0; task < workload.tasks(); ++task) {
        const auto kind = std::find(kinds.begin(), kinds.end(), workload.graph().kind_name(task));
        const double us = times[static_cast<std::size_t>(kind - kinds.begin())];
        EXPECT_NEAR(durations.s(0, task), 1e-6 * us, 1e-12)
            << tile << workload.graph().kind_name(task);
      }
    }
  }
  for (const auto* const solve : {"TRSM_LL", "TRSM_RU"}) {
    const Workload lu = Workload::parse("starpu-lu:n=2,tile=960");
    const Durations durations(lu, platform("gpus:times=v100"));
    for (TaskGraph::Index task = 0; task < lu.tasks(); ++task) {
      if (lu.graph().kind_name(task) != solve) continue;
      EXPECT_NEAR(durations.s(0, task), 626.6e-6, 1e-12);
    }
  }
}

TEST(MeasuredKernels, HoldWhereThePlatformSaysNeitherSpeedNorTimes) {
  const Workload cholesky = Workload::parse("cholesky:n=4,deps=true");
  // What the GPU takes, then the core.
  const std::map<std::string, std::string> used{
      {"gpus:k=1,cpus=1", "v100+core"},
      {"gpus:k=1,cpus=1,times=v100,cpu_times=core", "v100+core"},
      {"gpus:k=1,cpus=1,gflops=13253", "core"},
      {"gpus:k=1,cpus=1,cpu_gflops=40", "v100"},
      {"gpus:k=1,cpus=1,cpu_times=flops", "v100"},
      {"gpus:k=1,cpus=1,times=flops,cpu_times=flops", ""},
      {"gpus:k=1,times=POTRF:1ms", ""},
      {"gpus:k=1,gflops=5,times=v100", "v100"},
      {"gpus:k=1,preset=v100-coloc21", "v100"},
      {"gpus:k=1,preset=h200", "h200"},
      {"gpus:k=1,preset=h200,precision=double", ""},
      {"gpus:k=1,preset=a100", ""},
      {"gpus:k=0,cpus=2", "core"}};
  for (const auto& [spec, names] : used) {
    EXPECT_EQ(measured_kernels_in_use(machine_for(spec, cholesky), cholesky), names) << spec;
  }
  for (const auto* const other :
       {"cholesky:n=4,deps=false", "gemm2d:n=4", "stencil:n=4",
        "cholesky:n=4,deps=true,precision=double", "cholesky:n=4,deps=true,tile=479",
        "lu:n=4,deps=true,tile=3841"}) {
    const Workload workload = Workload::parse(other);
    const MachineModel machine = machine_for("gpus:k=1,cpus=1", workload);
    EXPECT_EQ(measured_kernels_in_use(machine, workload), "") << other;
    for (const auto& one : machine.processors) EXPECT_TRUE(one.kernel_times.empty()) << other;
  }
}

/// The fastest measured kernel, GEMM of 1920: 2 1920^3 flops in 1015 us.
TEST(MeasuredKernels, RunNoFasterOnOtherTilesThanTheFastestMeasured) {
  const double most = 2 * 1920.0 * 1920 * 1920 / 1015e-6 * (1 + 1e-9);
  for (const int tile : {240, 480, 1440, 3840, 7680}) {
    for (const auto* const family : {"cholesky", "lu", "starpu-lu"}) {
      const Workload workload = Workload::parse(fmt::format("{}:n=3,tile={}", family, tile));
      const Platform gpus = Scenario::parse("gpus:times=v100").for_tasks_of(workload).draw(1, 0);
      const Durations durations(workload, gpus);
      for (TaskGraph::Index task = 0; task < workload.tasks(); ++task) {
        EXPECT_LE(workload.graph().flops(task) / durations.s(0, task), most) << family << tile;
      }
    }
  }
}

TEST(MeasuredKernels, SayOnWhichTilesTheyAreExtrapolated) {
  const auto in_use = [](int tile) {
    const Workload workload = Workload::parse(fmt::format("cholesky:n=2,tile={}", tile));
    return measured_kernels_in_use(machine_for("gpus:k=1,cpus=1", workload), workload);
  };
  EXPECT_EQ(in_use(1920), "v100+core");
  EXPECT_EQ(in_use(480), "v100@480+core@480");
  EXPECT_EQ(measured_kernels_in_words(in_use(960)), "v100 (measured), core (measured)");
  EXPECT_EQ(measured_kernels_in_words("v100@480"),
            "v100 (measured at tiles of 960 and 1920, extrapolated to 480)");
  EXPECT_EQ(measured_kernels_in_words("core@1440"),
            "core (measured at tiles of 960 and 1920, interpolated to 1440)");
}

/// The default is what `times=` of that name gives, and no more.
TEST(MeasuredKernels, ByDefaultAreThoseThatTimesGives) {
  for (const auto* const text :
       {"cholesky:n=4,deps=true", "lu:n=4,deps=true", "starpu-lu:n=3", "starpu-cholesky:n=3",
        "cholesky:n=4,tile=480,deps=true", "lu:n=3,tile=3840,deps=true"}) {
    const Workload workload = Workload::parse(text);
    const Platform given = Scenario::parse("gpus:k=1,cpus=1,times=v100,cpu_times=core")
                               .for_tasks_of(workload)
                               .draw(1, 0);
    const Scenario usual = Scenario::parse("gpus:k=1,cpus=1").for_tasks_of(workload);
    const Platform by_default = usual.draw(1, 0);
    const Durations expected(workload, given);
    const Durations found(workload, by_default);
    for (TaskGraph::Index task = 0; task < workload.tasks(); ++task) {
      for (const std::size_t p : {0U, 1U}) {
        EXPECT_EQ(found.s(p, task), expected.s(p, task)) << text << ' ' << task;
      }
    }
    EXPECT_EQ(usual.text(), "gpus:k=1,cpus=1");
  }
}

}  // namespace
}  // namespace damocles::measured_kernels_test
