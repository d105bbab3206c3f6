#include "ode/request_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace damocles {

std::vector<std::uint64_t> RequestOrder::tasks_of(std::span<const double> speeds,
                                                  std::uint64_t tasks) {
  // At time t processor k has asked 1 + floor(t s_k) times: more than t sum s - p in all, and at
  // most t sum s + p.
  const auto p = static_cast<double>(speeds.size());
  const double total = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  const double counted_s = std::max(0.0, (static_cast<double>(tasks) - 2 * p) / total);
  std::vector<std::uint64_t> asked;
  WinnerTree<double> finish_s(std::numeric_limits<double>::infinity());
  for (const double speed : speeds) {
    asked.push_back(1 + static_cast<std::uint64_t>(counted_s * speed));
    finish_s.push_back(static_cast<double>(asked.back()) / speed);
  }
  for (auto left = tasks - std::accumulate(asked.begin(), asked.end(), std::uint64_t{0}); left > 0;
       --left) {
    const std::size_t k = finish_s.best();
    finish_s.raise(k, static_cast<double>(++asked[k]) / speeds[k]);
  }
  return asked;
}

}  // namespace damocles
