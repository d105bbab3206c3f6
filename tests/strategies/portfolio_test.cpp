#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "strategies/parts/foresight.hpp"
#include "strategies/registry.hpp"
#include "tests/error_text.hpp"

namespace damocles::portfolio_test {
namespace {

Foreseen run(const std::string& strategy, const Workload& tasks, const Platform& platform) {
  const Trace trace =
      simulate_limited(tasks, platform, StrategyChoice::parse(strategy, tasks), 1, 0);
  Foreseen result{trace.makespan_s, 0};
  for (const std::uint64_t bytes : trace.bytes_loaded) result.moved += bytes;
  return result;
}

/// What it chooses from, as it names them to whoever asks for something else.
std::vector<std::string> candidates() {
  const std::string asked = "nothing";
  const std::string text = error_text([&] {
    (void)run("portfolio:use=" + asked, Workload::parse("gemm2d:n=3"),
              Scenario::parse("gpus:k=1,memory=4data").draw(1, 0));
  });
  std::vector<std::string> result;
  const std::string before = "use must be ";
  const std::string last = " or ";
  std::size_t from = text.find(before) + before.size();
  const std::size_t end = text.find(", not '" + asked + "'");
  while (from < end) {
    const std::size_t comma = std::min({end, text.find(", ", from), text.find(last, from)});
    result.push_back(text.substr(from, comma - from));
    from = comma + (text.compare(comma, last.size(), last) == 0 ? last.size() : 2);
  }
  return result;
}

TEST(Portfolio, HasEachFamilyOfStrategiesAmongItsCandidates) {
  const auto all = candidates();

  for (const char* name : {"dmdar", "hfp", "darts", "panel-streaming"}) {
    EXPECT_EQ(std::count(all.begin(), all.end(), name), 1) << name;
  }
}

class PortfolioRun : public testing::TestWithParam<std::string> {};

TEST_P(PortfolioRun, IsWithinOnePercentOfItsFastestCandidateOrMovesLeast) {
  const Workload tasks = Workload::parse(GetParam());
  for (const char* text : {"gpus:k=1,memory=120MB", "gpus:k=2,memory=120MB"}) {
    const Platform platform = Scenario::parse(text).draw(1, 0);
    double fastest_s = 1e300;
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto& candidate : candidates()) {
      const Foreseen one = run("portfolio:use=" + candidate, tasks, platform);
      fastest_s = std::min(fastest_s, one.makespan_s);
      least = std::min(least, one.moved);
    }

    const Foreseen by_makespan = run("portfolio", tasks, platform);
    const Foreseen by_bytes = run("portfolio:rank=bytes", tasks, platform);

    EXPECT_LE(by_makespan.makespan_s, 1.01 * fastest_s) << text;
    EXPECT_EQ(by_bytes.moved, least) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, PortfolioRun,
                         testing::Values("gemm2d:n=12", "gemm3d:n=6,c=yes",
                                         "cholesky:n=10,deps=false", "sparse2d:n=50,density=0.05"),
                         [](const auto& test) {
                           return test.param.substr(0, test.param.find(':')) +
                                  std::to_string(test.index);
                         });

TEST(Portfolio, RunsACandidateAsItRunsAlone) {
  // With the eviction policy that it is meant for, at the same depth.
  const Workload tasks = Workload::parse("gemm2d:n=12");
  const Platform platform = Scenario::parse("gpus:k=2,memory=8data,depth=4").draw(1, 0);
  for (const char* name : {"darts", "hfp", "dmdar", "mst", "panel-streaming"}) {
    const Foreseen inside = run(std::string("portfolio:use=") + name, tasks, platform);
    const Foreseen alone = run(name, tasks, platform);

    EXPECT_EQ(inside.makespan_s, alone.makespan_s) << name;
    EXPECT_EQ(inside.moved, alone.moved) << name;
  }
}

TEST(Portfolio, ChoosesTheSameForEveryReplicate) {
  // What it simulates draws as a replicate of its own, whatever the run.
  const Workload tasks = Workload::parse("cholesky:n=10,deps=false");
  const Platform platform = Scenario::parse("gpus:k=1,memory=120MB").draw(1, 0);
  const StrategyChoice choice = StrategyChoice::parse("portfolio", tasks);

  const Foreseen first = foresight()(tasks, platform, choice);
  const Foreseen second = foresight()(tasks, platform, choice);

  EXPECT_EQ(first.makespan_s, second.makespan_s);
  EXPECT_EQ(first.moved, second.moved);
}

TEST(Portfolio, SaysWhatItsOptionsMayBe) {
  const Workload tasks = Workload::parse("gemm2d:n=3");
  const Platform platform = Scenario::parse("gpus:k=1,memory=4data").draw(1, 0);

  EXPECT_NE(error_text([&] {
              (void)run("portfolio:use=portfolio", tasks, platform);
            }).find("use must be eager, mst"),
            std::string::npos);
  EXPECT_NE(error_text([&] {
              (void)run("portfolio:rank=loads", tasks, platform);
            }).find("rank must be makespan or bytes"),
            std::string::npos);
  EXPECT_NE(error_text([&] {
              (void)run("portfolio:rank=bytes,use=hfp", tasks, platform);
            }).find("give one of them"),
            std::string::npos);
}

}  // namespace
}  // namespace damocles::portfolio_test
