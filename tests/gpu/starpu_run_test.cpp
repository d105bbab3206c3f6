#include "gpu/starpu_run.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/error_text.hpp"

namespace damocles::starpu_run_test {
namespace {

TEST(StarpuRun, ComesBackFromItsWords) {
  StarpuRun run{{.workload = "gemm2d:n=3,tile=8",
                 .platform = "gpus:k=1,memory=4data",
                 .strategy = "darts:eviction=lru",
                 .seed = 7,
                 .replicate = 3}};
  run.compute = "checksum";
  run.shared = true;
  run.standstill_s = 0.25;
  run.home = "/a folder";

  const auto words = words_of(run);
  const StarpuRun again = starpu_run_of(words);

  EXPECT_EQ(words_of(again), words);
  EXPECT_EQ(again.workload, run.workload);
  EXPECT_EQ(again.replicate, 3U);
  EXPECT_TRUE(again.shared);
  EXPECT_EQ(again.standstill_s, 0.25);
  EXPECT_EQ(again.home, "/a folder");
}

TEST(StarpuRun, RefusesWordsThatAreNone) {
  const auto refusal = [](const std::string& word) {
    return error_text([&] { static_cast<void>(starpu_run_of(std::vector{word})); });
  };

  EXPECT_TRUE(refusal("worklod=x").starts_with("unknown key of a run 'worklod'; did you mean "));
  EXPECT_EQ(refusal("seed=-1"), "seed=-1: this is no value of it");
  EXPECT_EQ(refusal("shared=yes"), "shared=yes: this is no value of it");
  EXPECT_EQ(refusal("standstill=0"), "standstill=0: this is no value of it");
}

TEST(StarpuAnswer, ComesBackFromItsText) {
  RuntimeAnswer answer;
  answer.execution.trace.loads = {60, 0};
  answer.execution.trace.tasks = {30, 6};
  answer.execution.trace.bytes_loaded = {std::uint64_t{1} << 60U, 0};
  answer.execution.trace.busy_s = {0.1, 1e-9};
  answer.execution.trace.makespan_s = 1.0 / 3;
  answer.execution.bytes_summed = 5;
  answer.verification = {Check::full, true, "right: all of it", 0.25};
  answer.device.name = "a CPU";
  answer.flops = 1e9;

  const RuntimeAnswer again = starpu_answer_of(answer_text(answer));

  EXPECT_EQ(again.execution.trace, answer.execution.trace);
  EXPECT_EQ(again.execution.bytes_summed, 5U);
  EXPECT_EQ(again.verification.text, "right: all of it");
  EXPECT_EQ(again.verification.check, Check::full);
  EXPECT_EQ(again.verification.worst, 0.25);
  EXPECT_EQ(again.device.name, "a CPU");
  EXPECT_EQ(again.device.backend, "starpu");
  EXPECT_EQ(again.flops, 1e9);
}

TEST(StarpuAnswer, IsNoneWhereItsEndOrALineIsMissing) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(starpu_answer_of(text));
    } catch (const DeviceError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string text = answer_text({});

  EXPECT_EQ(refusal(text.substr(0, text.size() - 4)),
            "damocles-starpu ended before its answer did");
  EXPECT_EQ(refusal("loads 1 x\nend\n"),
            "damocles-starpu answered 'loads 1 x', which is no line of an answer");
  EXPECT_EQ(refusal("lods 1\nend\n"),
            "damocles-starpu answered 'lods 1', which is no line of an answer");
}

}  // namespace
}  // namespace damocles::starpu_run_test
