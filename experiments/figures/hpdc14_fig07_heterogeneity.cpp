#include <fmt/format.h>

#include "experiments/figures/speed_scenarios.hpp"

namespace damocles {
namespace {

/// Speeds U[100 - h, 100 + h], h = 0, 10, ..., 100.
std::vector<std::string> platforms() {
  std::vector<std::string> result;
  for (int h = 0; h <= 100; h += 10)
    result.push_back(fmt::format("uniform:p=20,lo={},hi={}", 100 - h, 100 + h));
  return result;
}

const RegisterClaims entries{{scenario_claim(
    {"hpdc14.fig7", "the heterogeneity of the speeds has very little impact", platforms()})}};

}  // namespace
}  // namespace damocles
