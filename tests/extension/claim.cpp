#include <fmt/format.h>

#include "experiments/figures/judging.hpp"

namespace damocles {
namespace {

std::vector<Experiment> two_strategies(std::uint64_t seed) {
  return {{.workload = Workload::outer(20, 20),
           .scenario = Scenario::homogeneous(4),
           .strategies = {"dynamic", "random"},
           .replicates = 3,
           .seed = seed}};
}

Answers fewer_loads(const std::vector<Record>& records, std::uint64_t) {
  const Volumes volumes(records);
  const double dynamic = sample(volumes.simulated("dynamic", "homogeneous:p=4")).mean;
  const double random = sample(volumes.simulated("random", "homogeneous:p=4")).mean;
  return {{holds_or_not(dynamic < random, "dynamic below random",
                        fmt::format("{:.2f} and {:.2f} times the bound", dynamic, random))}};
}

const Register example_claim{Claim{.name = "example.growth",
                                   .statement = "dynamic loads less than random",
                                   .setting = "outer product of 20 blocks, 4 processors",
                                   .sentences = {{"dynamic loads less than random", "1"}},
                                   .experiments = two_strategies,
                                   .judge = fewer_loads}};

}  // namespace
}  // namespace damocles
