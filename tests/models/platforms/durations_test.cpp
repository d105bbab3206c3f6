// What a task takes: by its flops, or by its kind.

#include "models/platforms/durations.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "models/bounds/workload_bound.hpp"
#include "models/platforms/measured_kernels.hpp"
#include "models/platforms/scenario.hpp"
#include "models/platforms/use_recorded_times.hpp"
#include "tests/error_text.hpp"

namespace damocles::durations_test {
namespace {

Platform platform(const std::string& text) { return Scenario::parse(text).draw(1, 0); }

TEST(Durations, AreFlopsOverRateAndTheOverhead) {
  const Workload workload = Workload::parse("cholesky:n=3,tile=10,deps=true");
  const Platform gpus = platform("gpus:k=2,gflops=2,overhead=1us");

  const Durations durations(workload, gpus);

  EXPECT_FALSE(durations.not_by_flops());
  EXPECT_DOUBLE_EQ(durations.s(1, 1), 1000 / 2e9 + 1e-6);  // TRSM: tile^3
  EXPECT_EQ(durations.least_flops()[1], 1000);
}

/// The times of the papers' V100 with tiles of 960 (IPDPS'22 figure 11) and of 1920 (COMPAS'23
/// figure 3), of POTRF, TRSM, SYRK and GEMM.
TEST(Durations, AsMeasuredOnAV100AreThoseOfBothPapers) {
  const std::map<int, std::array<double, 4>> measured{
      {960, {20.7e-3, 626.6e-6, 139.1e-6, 139.1e-6}},
      {1920, {46.8e-3, 1519.7e-6, 1015e-6, 1015e-6}}};
  for (const auto& [tile, times] : measured) {
    const Workload workload = Workload::parse(fmt::format("cholesky:n=3,tile={},deps=false", tile));
    const Durations durations(workload, platform("gpus:times=v100"));
    // The first of each kind: 1 POTRF, 2 TRSM, then SYRK, SYRK, GEMM.
    constexpr std::array<TaskGraph::Index, 4> first{0, 1, 3, 5};
    for (std::size_t kind = 0; kind < first.size(); ++kind) {
      EXPECT_NEAR(durations.s(0, first[kind]), times[kind], 1e-9 * times[kind]) << tile;
    }
  }
}

TEST(Durations, AsMeasuredYieldToATimeOfTheKindAndAreNothingToOtherKinds) {
  const Workload workload = Workload::parse("cholesky:n=3,deps=false");
  EXPECT_DOUBLE_EQ(Durations(workload, platform("gpus:times=v100+POTRF:3ms")).s(0, 0), 3e-3);
  const Durations core(workload, platform("gpus:k=1,cpus=1,cpu_times=core"));
  EXPECT_NEAR(core.s(1, 0), 3.77e-3, 1e-9);
  EXPECT_DOUBLE_EQ(core.s(0, 0), 960.0 * 960 * 960 / 3 / 13253e9);

  const Workload product = Workload::parse("gemm2d:n=3");
  EXPECT_FALSE(Durations(product, platform("gpus:times=v100")).not_by_flops());
}

TEST(Durations, OfAKindThatThePlatformKnowsAreThose) {
  const Workload workload = Workload::parse("cholesky:n=3,tile=10,deps=true");
  const Platform gpus = platform("gpus:k=2,gflops=2,overhead=1us,times=POTRF:3ms");

  const Durations durations(workload, gpus);

  EXPECT_TRUE(durations.not_by_flops());
  EXPECT_DOUBLE_EQ(durations.s(0, 0), 3e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(durations.s(0, 1), 1000 / 2e9 + 1e-6);
  EXPECT_DOUBLE_EQ(durations.least_flops()[0], 3e-3 * 2e9);
  // Three factorisations one after the other, and what lies between them.
  const auto bound = workload_makespan_bound(workload, gpus, {});
  EXPECT_EQ(bound.argument, "critical path");
  EXPECT_NEAR(bound.seconds, 9e-3, 1e-4);
}

TEST(Durations, OfAKindThatTheWorkloadDoesNotHaveAreRefused) {
  const Platform gpus = platform("gpus:k=2,times=GEM:3ms");
  const auto refusal = [&](const char* text) {
    const Workload workload = Workload::parse(text);
    return error_text([&] { static_cast<void>(Durations(workload, gpus)); });
  };
  EXPECT_EQ(refusal("cholesky:n=3,deps=true"),
            "the platform gives a time for tasks of kind GEM, but 'cholesky:n=3,deps=true' has the "
            "kinds POTRF, TRSM, SYRK, GEMM; remove the times of other kinds");
  EXPECT_EQ(refusal("gemm2d:n=3"),
            "the platform gives a time for tasks of kind GEM, but 'gemm2d:n=3' has no kinds; "
            "remove the times");
}

TEST(Durations, RefuseASynchronousKindThatTheWorkloadDoesNotHave) {
  const Workload workload = Workload::parse("cholesky:n=3,deps=true");
  EXPECT_EQ(
      error_text([&] {
        static_cast<void>(Durations(workload, platform("gpus:synchronous=POTRF+GETRF")));
      }),
      "the platform gives a synchronous kernel for tasks of kind GETRF, but "
      "'cholesky:n=3,deps=true' has the kinds POTRF, TRSM, SYRK, GEMM; remove the synchronous kernels of other kinds");
}

TEST(Durations, AreInfiniteWhereAProcessorCannotRunTheTask) {
  const Workload workload = Workload::parse("cholesky:n=3,tile=10,deps=true");
  Platform gpus = platform("gpus:k=2,gflops=2,overhead=1us,times=POTRF:3ms");
  EXPECT_TRUE(Durations(workload, gpus).all_run_all());
  gpus.machine->processors[0].kernel_times = {{"TRSM", never_s}, {"POTRF", 1e-3}};
  gpus.machine->processors[1].flops_per_s = 4e9;
  gpus.machine->processors[1].kernel_times = {{"POTRF", never_s}};

  const Durations durations(workload, gpus);

  EXPECT_FALSE(durations.all_run_all());
  EXPECT_TRUE(durations.runs(0, 0));
  EXPECT_FALSE(durations.runs(1, 0));
  EXPECT_FALSE(durations.runs(0, 1));
  EXPECT_TRUE(durations.runs(1, 1));
  EXPECT_EQ(durations.s(1, 0), never_s);
  EXPECT_DOUBLE_EQ(durations.s(0, 0), 1e-3 + 1e-6);
  // Of those that run it, however fast the other one is.
  EXPECT_DOUBLE_EQ(durations.least_flops()[0], 1e-3 * 2e9);
  EXPECT_DOUBLE_EQ(durations.least_flops()[1], 1000);
  const auto bound = workload_makespan_bound(workload, gpus, {});
  EXPECT_EQ(bound.argument, "critical path");
  // Three factorisations on the processor that runs them. Between two of them a TRSM and a SYRK of
  // 1000 flop each run, on the fast processor at best. Before all of them a tile of 400 B arrives.
  const double first_s = gpus.machine->latency_s + 400 / gpus.machine->bus_bytes_per_s;
  EXPECT_NEAR(bound.seconds, first_s + 3 * (1e-3 + 1e-6) + 4 * (1000 / 4e9 + 1e-6), 1e-9);
}

TEST(Durations, OfAKindThatNoProcessorRunsAreRefused) {
  const Workload workload = Workload::parse("cholesky:n=3,deps=true");
  EXPECT_EQ(
      error_text(
          [&] { static_cast<void>(Durations(workload, platform("gpus:k=2,times=SYRK:never"))); }),
      "no processor runs tasks of kind SYRK, which 'cholesky:n=3,deps=true' has; give a time in place of never, as times=SYRK:1ms for GPUs or cpu_times=SYRK:1ms for cores");
  // One tile has no such task.
  const Workload tile = Workload::parse("cholesky:n=1,deps=true");
  EXPECT_TRUE(Durations(tile, platform("gpus:k=2,times=SYRK:never")).all_run_all());
}

TEST(Durations, MayGrowWithAPowerOfTheBytesOrFlopsOfTheTask) {
  // Tiles of 10 x 10 floats: 400 B. GEMM accesses three, of 2 * 10^3 flop.
  const Workload workload = Workload::parse("cholesky:n=3,tile=10,deps=true");
  const Platform gpus = platform(
      "gpus:k=2,gflops=2,overhead=1us,times=GEMM:2ns*bytes^1.5+TRSM:0.25ns*flops+SYRK:1ms");
  const Durations durations(workload, gpus);
  std::vector<TaskGraph::Index> of(4);
  for (TaskGraph::Index t = 0; t < workload.graph().tasks(); ++t) {
    of[workload.graph().parts().task_kinds[t]] = t;
  }

  EXPECT_DOUBLE_EQ(durations.s(1, of[0]), 1000.0 / 3 / 2e9 + 1e-6);     // POTRF: by flops
  EXPECT_DOUBLE_EQ(durations.s(1, of[1]), 0.25e-9 * 1000 + 1e-6);       // TRSM
  EXPECT_DOUBLE_EQ(durations.s(1, of[2]), 1e-3 + 1e-6);                 // SYRK
  EXPECT_NEAR(durations.s(1, of[3]), 2e-9 * 41569.2194 + 1e-6, 1e-12);  // 1200^1.5
  EXPECT_NEAR(durations.least_flops()[of[3]], 2e-9 * 41569.2194 * 2e9, 1e-3);
}

TEST(Durations, OfPowersAreEachTasksOwn) {
  TaskGraph::Parts parts;
  parts.bytes = {3, 5};
  parts.add_task(std::vector<TaskGraph::Index>{0}, 1);
  parts.add_task(std::vector<TaskGraph::Index>{1}, 1);
  parts.add_task(std::vector<TaskGraph::Index>{0, 1}, 1);
  parts.kind_names = {"COPY"};
  parts.task_kinds = {0, 0, 0};
  const Workload workload = Workload::of_graph("copies", TaskGraph(parts));
  const Durations durations(workload, platform("gpus:k=1,times=COPY:1us*bytes^2"));
  EXPECT_DOUBLE_EQ(durations.s(0, 0), 1e-6 * 9);
  EXPECT_DOUBLE_EQ(durations.s(0, 1), 1e-6 * 25);
  EXPECT_DOUBLE_EQ(durations.s(0, 2), 1e-6 * 64);
}

TEST(Durations, OfAFileAreThoseOfTheTasksSize) {
  const std::string path = DAMOCLES_SOURCE "/docs/examples/gemm.perfmodel";
  const auto with = [&](const std::string& architecture) {
    return Scenario::parse("gpus:k=2,times=GEMM:" + architecture + "@" + path);
  };
  const Workload workload = Workload::parse("cholesky:n=3,tile=960,deps=true");
  const TaskGraph::Index gemm = 5;  // POTRF, two TRSM, SYRK, SYRK, GEMM
  ASSERT_EQ(workload.graph().kind_name(gemm), "GEMM");

  EXPECT_DOUBLE_EQ(Durations(workload, with("cuda").draw(1, 0)).s(1, gemm), 900e-6);
  EXPECT_DOUBLE_EQ(Durations(workload, with("cpu0").draw(1, 0)).s(0, gemm), 88e-3);
  const auto files = with("cuda0").times_files();
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].digest, digest_of_file(path));
  EXPECT_TRUE(Scenario::parse("gpus:k=2,times=GEMM:1ms").times_files().empty());

  const Workload small = Workload::parse("cholesky:n=3,tile=10,deps=true");
  EXPECT_EQ(
      error_text([&] { static_cast<void>(Durations(small, with("cuda").draw(1, 0))); }),
      "task GEMM(2,1,0) of 'cholesky:n=3,tile=10,deps=true' is a GEMM of 1200 bytes, of which file '" +
          path + "' has no time of cuda; it has 1228800, 11059200 bytes");
  EXPECT_EQ(error_text([&] { static_cast<void>(with("cuda7")); }),
            "platform 'gpus:k=2,times=GEMM:cuda7@" + path + "': times: file '" + path +
                "' has none of 'cuda7'; it has those of cpu0, cuda0");
  EXPECT_EQ(error_text([&] {
              static_cast<void>(Scenario::parse("gpus:times=GEMM:cuda@gone"));
            }).substr(0, 56),
            "platform 'gpus:times=GEMM:cuda@gone': times: cannot open");
}

TEST(Durations, OfPowersThatNobodyWaitsForAreRefused) {
  const Workload workload = Workload::parse("cholesky:n=3,tile=10,deps=true");
  EXPECT_EQ(
      error_text(
          [&] { static_cast<void>(Durations(workload, platform("gpus:times=SYRK:1s*bytes^10"))); }),
      "task SYRK(1,0) of 'cholesky:n=3,tile=10,deps=true' would take 1.07374e+29 s by the time of its kind, SYRK; at most 1e+06 s are possible");
}

/// A folder for the files of one test, removed with it.
class RecordedDurations : public testing::Test {
 protected:
  RecordedDurations() { std::filesystem::create_directories(folder_); }
  ~RecordedDurations() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] Workload workload(const std::string& text) const {
    const std::string path = (folder_ / "tasks.rec").string();
    std::ofstream(path) << text;
    return Workload::parse("file:path=" + path);
  }
  /// A task of two handles of 8 bytes each that took so long in that memory node.
  static std::string task(int id, const std::string& kind, const std::string& footprint,
                          double took_ms, int node) {
    return fmt::format(
        "Model: {}\nJobId: {}\nSubmitOrder: {}\nFootprint: {}\nStartTime: 10\nEndTime: {}\n"
        "WorkerId: {}\nMemoryNode: {}\nHandles: 1 2\nModes: R R\nSizes: 8 8\n\n",
        kind, id, id, footprint, 10 + took_ms, node, node);
  }

 private:
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                  (std::string("damocles_recorded_") +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(RecordedDurations, AreMeansByKindAndFootprintAndKindOfWorker) {
  const Workload recorded = workload(task(1, "potrf", "a", 2, 1) + task(2, "potrf", "a", 4, 2) +
                                     task(3, "potrf", "b", 7, 1) + task(4, "gemm", "a", 1, 1) +
                                     task(5, "potrf", "a", 30, 0) + task(6, "potrf", "b", 50, 0) +
                                     task(7, "gemm", "a", 60, 0));
  const Platform machine = platform(
      "gpus:k=1,memory=1MB,overhead=1us,times=recorded,cpus=1,cpu_gflops=1,cpu_times=gemm:never+recorded");

  const Durations durations(recorded, machine);

  EXPECT_DOUBLE_EQ(durations.s(0, 0), 3e-3 + 1e-6);  // (2 + 4) / 2 ms
  EXPECT_DOUBLE_EQ(durations.s(0, 1), 3e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(durations.s(0, 4), 3e-3 + 1e-6);  // that one ran on a core
  EXPECT_DOUBLE_EQ(durations.s(0, 2), 7e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(durations.s(0, 3), 1e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(durations.s(1, 0), 30e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(durations.s(1, 2), 50e-3 + 1e-6);
  EXPECT_FALSE(durations.runs(1, 3));
}

TEST_F(RecordedDurations, AreRefusedWhereNoneWasRecorded) {
  const auto refusal = [](const Workload& of, const char* on) {
    return error_text([&] { static_cast<void>(Durations(of, platform(on))); });
  };
  const Workload recorded = workload(task(1, "potrf", "a", 2, 1) + task(2, "gemm", "c", 2, 0));
  EXPECT_EQ(
      refusal(recorded, "gpus:k=1,memory=1MB,times=recorded"),
      "times=recorded: task 'gemm 2' of '" + recorded.text() +
          "', footprint 0000000c, was never recorded on a GPU; give its time there, as times=recorded+gemm:1ms, or times=recorded+gemm:never");
  EXPECT_EQ(refusal(recorded, "gpus:k=1,memory=1MB,times=gemm:1ms+recorded"), "no error");
  EXPECT_TRUE(
      refusal(Workload::parse("cholesky:n=3,deps=false"), "gpus:k=1,times=recorded")
          .starts_with(
              "times=recorded, but 'cholesky:n=3,deps=false' has no recorded times; give "));
}

/// Where the platform says nothing of speed or times, recorded times hold, of those that have one.
TEST_F(RecordedDurations, HoldWhereThePlatformSaysNeitherSpeedNorTimes) {
  const Workload recorded =
      workload(task(1, "potrf", "a", 2, 1) + task(2, "gemm", "c", 9, 1) +
               task(3, "gemm", "c", 50, 0) + "JobId: 4\nSubmitOrder: 4\nDependsOn: 3\n\n");
  // What times are in use; what potrf and gemm take on the first processor.
  const double by_flops = recorded.graph().flops(0);
  const std::map<std::string, std::tuple<std::string, double, double>> cases{
      {"gpus:k=1", {"recorded", 2e-3, 9e-3}},
      {"gpus:k=1,preset=h200", {"recorded", 2e-3, 9e-3}},
      {"gpus:k=2,cpus=1", {"recorded+never", 2e-3, 9e-3}},
      {"gpus:k=0,cpus=1", {"recorded+flops", by_flops / 40e9, 50e-3}},
      {"gpus:k=1,gflops=1000", {"flops", by_flops / 1e12, by_flops / 1e12}},
      {"gpus:k=1,times=flops", {"flops", by_flops / 13253e9, by_flops / 13253e9}},
      {"gpus:k=1,gflops=1000,times=recorded", {"recorded", 2e-3, 9e-3}},
      {"gpus:k=1,times=gemm:1ms+recorded", {"recorded+given", 2e-3, 1e-3}},
      {"gpus:k=1,times=gemm:1ms+potrf:3ms", {"given", 3e-3, 1e-3}},
      {"gpus:k=1,cpus=1,gflops=1000", {"flops+recorded+never", by_flops / 1e12, by_flops / 1e12}}};
  for (const auto& [spec, expected] : cases) {
    SCOPED_TRACE(spec);
    const auto& [names, potrf, gemm] = expected;
    const Platform machine = Scenario::parse(spec).for_tasks_of(recorded).draw(1, 0);
    EXPECT_EQ(measured_kernels_in_use(*machine.machine, recorded), names);
    const Durations durations(recorded, machine);
    EXPECT_DOUBLE_EQ(durations.s(0, 0), potrf);
    EXPECT_DOUBLE_EQ(durations.s(0, 1), gemm);
    EXPECT_EQ(durations.s(0, 3), 0);
  }
  const Platform both = Scenario::parse("gpus:k=1,cpus=1").for_tasks_of(recorded).draw(1, 0);
  EXPECT_FALSE(Durations(recorded, both).runs(1, 0));  // potrf, on a core
  EXPECT_TRUE(Durations(recorded, both).runs(1, 3));
  const auto lack = [&](const char* spec) {
    return lacking_recorded_times(*Scenario::parse(spec).for_tasks_of(recorded).machine(),
                                  recorded);
  };
  EXPECT_TRUE(lack("gpus:k=1").empty());
  EXPECT_TRUE(lack("gpus:k=1,cpus=1,cpu_gflops=3").empty());
  EXPECT_EQ(lack("gpus:k=1,cpus=1").at(0),
            "some tasks of potrf were never recorded on a core; they do not run there "
            "(cpu_times=recorded+potrf:1ms gives a time)");
}

/// Who does not say where tasks ran has one time for all; synchronisations take none.
TEST_F(RecordedDurations, AreOfEveryKindOfWorkerWhereTheFileDoesNotSay) {
  const Workload recorded = workload(
      "Model: f\nJobId: 1\nStartTime: 1\nEndTime: 3\nWorkerId: 0\nHandles: 1\nModes: R\nSizes: 8\n"
      "\nModel: f\nJobId: 2\nHandles: 2\nModes: R\nSizes: 8\n\nJobId: 3\nDependsOn: 1\n\n");
  const Durations durations(recorded, platform("gpus:k=1,memory=1MB,times=recorded,cpus=1,"
                                               "cpu_gflops=1,cpu_times=recorded"));
  for (const std::size_t processor : {0U, 1U}) {
    EXPECT_DOUBLE_EQ(durations.s(processor, 0), 2e-3);
    EXPECT_DOUBLE_EQ(durations.s(processor, 1), 2e-3);  // as many bytes, without a footprint
    EXPECT_DOUBLE_EQ(durations.s(processor, 2), 0);
  }
}

}  // namespace
}  // namespace damocles::durations_test
