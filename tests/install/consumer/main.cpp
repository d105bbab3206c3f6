// A stranger's program: the least data four equal processors must load for an outer product.
#include <iostream>

#include "models/bounds/grid_bound.hpp"
#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"

int main() {
  const auto workload = damocles::Workload::parse("outer:n=100");
  const auto scenario = damocles::Scenario::parse("homogeneous:p=4");
  const damocles::Platform platform = scenario.draw(/*seed=*/1, /*replicate=*/0);

  const double bound = damocles::balanced_bound(workload, platform.relative_speeds());
  std::cout << "balanced_bound=" << bound << '\n';
  std::cout << "strategies=" << damocles::strategies().size() << '\n';
}
