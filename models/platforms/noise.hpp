#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace damocles {

/// By how much tasks take longer or shorter than expected, at random: factors of lognormal
/// distributions of mean 1, one draw a task, so that every strategy meets the same.
///
/// Strategies plan with what is expected, and so does whoever paces a real machine.
struct Noise {
  /// Of the logarithm of the factors, of all tasks; 0: as far as measured times were apart
  /// (MeasuredTime::deviation_s), tasks whose time does not come from a file none.
  double sigma = 0;

  [[nodiscard]] bool from_history() const { return sigma == 0; }
};

/// `lognormal:0.05` or `history`; `where` names the platform in errors.
/// @throws InvalidInput on anything else, or a sigma that is not above 0 and at most 2
[[nodiscard]] Noise parse_noise(std::string_view text, const std::string& where);

/// The sigma of a lognormal distribution with this standard deviation over its mean, >= 0.
[[nodiscard]] double sigma_of_variation(double variation);

/// The factor exp(sigma z - sigma^2 / 2), of mean 1 where z is standard normal.
[[nodiscard]] double lognormal_factor(double sigma, double z);

/// The standard normal draw of a task, a function of its arguments alone; independent of its
/// jitter.
[[nodiscard]] double normal_of_task(std::uint64_t seed, std::uint64_t replicate,
                                    std::uint64_t task);

}  // namespace damocles
