// Races of made-up strategies, whose true means are known.

#include "experiments/recommend/race.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "experiments/recommend/recommendation.hpp"
#include "models/error.hpp"
#include "models/platforms/noise.hpp"
#include "models/rng.hpp"
#include "strategies/registry.hpp"

namespace damocles::race_test {
namespace {

using Clock = std::chrono::steady_clock;

const Clock::time_point no_limit = Clock::now() + std::chrono::hours(24);

/// Means by strategy, and how far single runs are from them, relative.
struct Field {
  std::map<std::string, double> means;
  double spread = 0;
  std::uint64_t seed = 1;

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& [name, mean] : means) result.push_back(name);
    return result;
  }
  /// A run, whoever asks for it and when.
  [[nodiscard]] double run(const std::string& strategy, std::uint64_t replicate) const {
    std::uint64_t stream = seed;
    for (const char letter : strategy) stream = 31 * stream + static_cast<unsigned char>(letter);
    Rng rng(stream, Draw::test, replicate);
    return means.at(strategy) * (1 + spread * (2 * rng.uniform() - 1));
  }
};

Race run_of(const Field& field, double bound = 0) {
  return race(
      field.names(), bound,
      [&](const std::string& strategy, std::uint64_t replicate) {
        return field.run(strategy, replicate);
      },
      no_limit);
}

TEST(Race, IsWonByTheLeastMean) {
  const Race race = run_of({{{"a", 1.3}, {"b", 1}, {"c", 1.1}, {"d", 2}}});

  EXPECT_EQ(race.best().strategy, "b");
  EXPECT_EQ(race.best().mean, 1);
  EXPECT_EQ(race.confidence, 1);
  EXPECT_EQ(race.runners[1].strategy, "c");
}

TEST(Race, LetsThoseFarBehindRunOnce) {
  const Race race = run_of({{{"a", 1}, {"b", 1.01}, {"c", 2}}});

  EXPECT_EQ(race.runners.back().strategy, "c");
  EXPECT_EQ(race.runners.back().runs.size(), 1U);
  EXPECT_EQ(race.runners[1].runs.size(), 3U);
}

TEST(Race, ListsThoseBehindTheBestByTheirMeans) {
  // e drops out after the third round and d stays to the end, though its mean is greater.
  const std::map<std::string, double> means{{"a", 1}, {"d", 1.25}, {"e", 1.2}, {"f", 3}};
  const Race ended = race(
      {"a", "d", "e", "f"}, 0,
      [&](const std::string& strategy, std::uint64_t replicate) {
        // Runs of d differ much, so that it takes long to tell how good it is.
        const double own = strategy == "d" ? (replicate % 2 == 0 ? -0.3 : 0.3) : 0;
        return means.at(strategy) + own;
      },
      no_limit);

  ASSERT_EQ(ended.runners.size(), 4U);
  EXPECT_TRUE(std::is_sorted(ended.runners.begin(), ended.runners.end(),
                             [](const Runner& a, const Runner& b) { return a.mean < b.mean; }));
  EXPECT_LT(ended.runners[1].runs.size(), ended.runners[2].runs.size());
  EXPECT_EQ(ended.runners[1].strategy, "e");
  EXPECT_TRUE(ended.runners[1].out);
  EXPECT_FALSE(ended.runners[2].out);
}

TEST(Race, EndsSoonWhereRunsDoNotDiffer) {
  const Race race = run_of({{{"a", 1}, {"b", 1}, {"c", 1}}});

  EXPECT_EQ(race.best().runs.size(), 3U);
  EXPECT_EQ(race.confidence, 1);
}

TEST(Race, EndsAtTheBound) {
  // One run may be lucky: only their mean counts.
  EXPECT_EQ(run_of({{{"a", 1}, {"b", 1.001}}, 0.001}, 1).best().runs.size(), 3U);
}

TEST(Race, GoesOnWhileRunsDoNotTellWhoIsBetter) {
  const Race race = run_of({{{"a", 1}, {"b", 1.001}}, 0.3});

  EXPECT_GT(race.best().runs.size(), 3U);
  EXPECT_LT(race.confidence, 1);
}

TEST(Race, KeepsWhyAStrategyHasNoRun) {
  const Race ended = race(
      {"a", "b"}, 0,
      [](const std::string& strategy, std::uint64_t) -> double {
        if (strategy == "a") throw Infeasible("a needs a grid");
        return 1;
      },
      no_limit);

  EXPECT_EQ(ended.best().strategy, "b");
  ASSERT_EQ(ended.others.size(), 1U);
  EXPECT_EQ(ended.others[0].refused, "a needs a grid");
  EXPECT_FALSE(ended.out_of_time);
}

TEST(Race, RefusesAFieldInWhichNobodyRuns) {
  const auto nobody = [](const std::string&, std::uint64_t) -> double {
    throw Infeasible("needs a grid");
  };
  EXPECT_THROW((void)race({"a", "b"}, 0, nobody, no_limit), InvalidInput);
}

TEST(Race, TriesTheFirstOneAloneWhereTimeIsUp) {
  const Field field{{{"a", 1}, {"b", 0.5}}};
  const Race ended = race(
      {"a", "b"}, 0,
      [&](const std::string& strategy, std::uint64_t replicate) {
        return field.run(strategy, replicate);
      },
      Clock::now());

  EXPECT_EQ(ended.best().strategy, "a");
  EXPECT_TRUE(ended.out_of_time);
  ASSERT_EQ(ended.others.size(), 1U);
  EXPECT_TRUE(ended.others[0].refused.empty());
}

/// Ten strategies, most of them close to each other, whose runs differ by up to a fifth.
TEST(Race, IsRightAsOftenAsItSays) {
  Rng rng(7, Draw::test, 0);
  int good = 0;
  int called_sure = 0;
  int sure_and_good = 0;
  constexpr int races = 1000;
  for (int number = 0; number < races; ++number) {
    Field field{{}, 0.2 * rng.uniform(), 100 + static_cast<std::uint64_t>(number)};
    for (char name = 'a'; name < 'k'; ++name) {
      field.means[std::string(1, name)] = 1 + 0.2 * rng.uniform();
    }
    const auto least = std::min_element(
        field.means.begin(), field.means.end(),
        [](const auto& one, const auto& other) { return one.second < other.second; });
    const Race race = run_of(field);
    const bool right = field.means.at(race.best().strategy) <= 1.02 * least->second;
    good += right ? 1 : 0;
    if (race.confidence < 0.9) continue;
    ++called_sure;
    sure_and_good += right ? 1 : 0;
  }
  EXPECT_GE(good, 0.95 * races);
  EXPECT_GE(called_sure, races / 2);
  EXPECT_GE(sure_and_good, 0.88 * called_sure);
}

TEST(Advice, NamesStarPusPoliciesThatAreOurs) {
  EXPECT_EQ(name_in_starpu("dmdas"), "dmdas");
  EXPECT_EQ(name_in_starpu("random-by-speed"), "random");
  EXPECT_EQ(name_in_starpu("modular-heft"), "modular-heft");
  EXPECT_EQ(name_in_starpu("darts"), "");
  EXPECT_EQ(name_in_starpu("heft"), "");
  for (const char* const name : {"eager", "prio", "ws", "lws", "dm", "dmda", "dmdap", "dmdar",
                                 "dmdas", "dmdasd", "peager", "pheft", "heteroprio"}) {
    EXPECT_EQ(name_in_starpu(name), Table<StrategyEntry>::named(name).name);
  }
}

}  // namespace
}  // namespace damocles::race_test
