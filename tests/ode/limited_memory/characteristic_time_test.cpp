// What the model characteristic-time says of tasks in random order.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "models/rng.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "tests/ode/runs.hpp"

namespace damocles::characteristic_time_test {
namespace {

LimitedPrediction predicted(const Workload& workload, const std::string& machine,
                            const std::string& eviction = "lru") {
  const Platform platform = Scenario::parse(machine).draw(1, 0);
  return Table<LimitedPredictor>::named("random").predict(
      limited_run(workload, platform, eviction));
}

/// Where nothing is evicted, each of two GPUs loads what its half of the tasks reads.
TEST(CharacteristicTime, CountsWhatAShareOfTheTasksReads) {
  const auto square = Workload::parse("gemm2d:n=2");
  const auto cube = Workload::parse("gemm3d:n=2");

  // Two of four tasks avoid the two of a row with probability 1/C(4,2) = 1/6.
  EXPECT_NEAR(predicted(square, "gpus:k=2,memory=4data").loads, 2 * 4 * (1 - 1.0 / 6), 1e-9);
  // Four of eight avoid the two of a block with probability C(6,4)/C(8,4) = 15/70.
  EXPECT_NEAR(predicted(cube, "gpus:k=2,memory=8data").loads, 2 * 8 * (1 - 15.0 / 70), 1e-9);
}

/// With memory for the inputs of one task, an input is there if the task before read it. Of the
/// seven other tasks of a cube of 2 x 2 x 2 one does, and is the task before with probability 1/7.
TEST(CharacteristicTime, IsExactWithMemoryForOneTask) {
  const auto two_inputs = Workload::parse("gemm3d:n=2");
  const auto three_inputs = Workload::parse("gemm3d:n=2,c=yes");

  EXPECT_NEAR(predicted(two_inputs, "gpus:memory=2data,depth=2").loads, 2 + 7 * 2 * 6.0 / 7, 1e-6);
  EXPECT_NEAR(predicted(three_inputs, "gpus:memory=3data,depth=2").loads, 3 + 7 * 3 * 6.0 / 7,
              1e-6);
}

/// More memory never loads more; all data items are loaded, and no task loads more than its inputs.
TEST(CharacteristicTime, FallsWithMemoryFromAllInputsToAllData) {
  for (const char* const text :
       {"gemm2d:m=12,n=20", "gemm3d:n=6", "gemm3d:n=5,c=yes", "sparse2d:n=24,density=0.3,seed=3",
        "cholesky:n=10,deps=false", "lu:n=8,deps=false"}) {
    const auto workload = Workload::parse(text);
    for (const char* const eviction : {"lru", "fifo", "random"}) {
      auto before = static_cast<double>(workload.graph().edges());
      for (std::size_t memory = 3; memory <= workload.data(); ++memory) {
        const std::string machine = fmt::format("gpus:k=1,memory={}data,depth=2", memory);
        const double loads = predicted(workload, machine, eviction).loads;
        EXPECT_LE(loads, before + 1e-6) << text << " " << eviction << " " << memory;
        before = loads;
      }
      EXPECT_NEAR(before, static_cast<double>(workload.data()), 1e-6) << text << " " << eviction;
    }
  }
}

/// Tasks of three inputs each; the i-th of 120 data items is drawn with a weight of 1/i.
Workload of_unequal_popularity() {
  constexpr TaskGraph::Index items = 120;
  std::vector<double> weights_up_to;
  for (TaskGraph::Index item = 0; item < items; ++item) {
    weights_up_to.push_back((item == 0 ? 0 : weights_up_to.back()) + 1.0 / (item + 1));
  }
  TaskGraph::Parts parts;
  parts.bytes.assign(items, 15'000'000);
  Rng rng(1, Draw::test, 0);
  for (int task = 0; task < 2000; ++task) {
    std::set<TaskGraph::Index> inputs;
    while (inputs.size() < 3) {
      const double at = rng.uniform() * weights_up_to.back();
      const auto found = std::upper_bound(weights_up_to.begin(), weights_up_to.end(), at);
      inputs.insert(static_cast<TaskGraph::Index>(found - weights_up_to.begin()));
    }
    parts.add_task(std::vector<TaskGraph::Index>(inputs.begin(), inputs.end()), 7e9);
  }
  return Workload::of_graph("unequal", TaskGraph(std::move(parts)));
}

/// What many tasks read stays in memory under LRU. Other policies keep what the buffer reads too,
/// which the model knows only in part.
TEST(CharacteristicTime, MatchesRunsOfDataOfUnequalPopularity) {
  const Workload workload = of_unequal_popularity();
  for (const char* const eviction : {"lru", "fifo", "random"}) {
    const double tolerance = std::string_view(eviction) == "lru" ? 0.02 : 0.1;
    for (const int memory : {6, 20, 60, 100}) {
      const std::string machine = fmt::format("gpus:k=2,memory={}data", memory);
      const auto choice =
          StrategyChoice::parse(fmt::format("random:eviction={}", eviction), workload);

      const Mean simulated = mean_loads(workload, Scenario::parse(machine).draw(1, 0), choice, 20);

      // The mean of 20 runs is known to 0.2 %.
      EXPECT_NEAR(predicted(workload, machine, eviction).loads / simulated.value, 1, tolerance)
          << eviction << " " << memory;
    }
  }
}

}  // namespace
}  // namespace damocles::characteristic_time_test
