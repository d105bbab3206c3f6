#pragma once

#include <cstddef>
#include <vector>

namespace damocles {

/// Relative speeds of p equal processors.
inline std::vector<double> equal_shares(std::size_t p) {
  return std::vector<double>(p, 1 / static_cast<double>(p));
}

/// Relative speeds of p processors of speeds 1, 2, ... p.
inline std::vector<double> rising_shares(std::size_t p) {
  std::vector<double> shares;
  const std::size_t sum = p * (p + 1) / 2;
  const auto total = static_cast<double>(sum);
  for (std::size_t k = 1; k <= p; ++k) shares.push_back(static_cast<double>(k) / total);
  return shares;
}

}  // namespace damocles
