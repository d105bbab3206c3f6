#pragma once

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <span>
#include <vector>

namespace damocles {

/// Pearson's statistic of counts that should all be equal.
inline double chi_square(std::span<const double> counts) {
  double total = 0;
  for (const double count : counts) total += count;
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

/// What the statistic of `categories` equally likely ones exceeds with probability 1e-6. Seeds are
/// fixed, so a test does not fail now and then; were they drawn, one in a million would.
inline double chi_square_bound(std::size_t categories) {
  const boost::math::chi_squared law(static_cast<double>(categories - 1));
  return boost::math::quantile(boost::math::complement(law, 1e-6));
}

/// Mean of a sample and the variance of that mean.
struct Mean {
  double value;
  double variance;
};

inline Mean mean_of(const std::vector<double>& sample) {
  const auto size = static_cast<double>(sample.size());
  double sum = 0;
  for (const double value : sample) sum += value;
  const double mean = sum / size;
  double squares = 0;
  for (const double value : sample) squares += (value - mean) * (value - mean);
  return {mean, squares / (size - 1) / size};
}

}  // namespace damocles
