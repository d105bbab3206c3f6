#include <fmt/format.h>

#include "experiments/figures/speed_scenarios.hpp"

namespace damocles {
namespace {

/// Speeds U[100 - h, 100 + h], h = 0, 10, ..., 100.
std::vector<SpeedScenario> scenarios() {
  std::vector<SpeedScenario> result;
  for (int h = 0; h <= 100; h += 10) {
    result.push_back(
        {fmt::format("h={}", h), fmt::format("uniform:p=20,lo={},hi={}", 100 - h, 100 + h)});
  }
  return result;
}

/// With equal speeds the processors ask in one order for ever, so that sorted, if p divides n,
/// sends each of them the same n/p columns again and again.
const RegisterClaims entries{
    {scenario_claim({"hpdc14.fig7", "the heterogeneity of the speeds has very little impact",
                     scenarios(), "h=0", "there each processor gets whole columns from sorted"})}};

}  // namespace
}  // namespace damocles
