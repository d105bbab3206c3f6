#include "models/platforms/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/error.hpp"
#include "models/rng.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

constexpr std::string_view lognormal = "lognormal:";
/// One task in forty then takes more than seven times what is expected.
constexpr double most_sigma = 2;
/// So that no factor is lost to rounding: no mean of positive times is so small beside their
/// standard deviation unless a million of them were measured.
constexpr double most_variation = 1e3;

}  // namespace

Noise parse_noise(std::string_view text, const std::string& where) {
  if (text == "history") return {};
  const auto sigma =
      text.starts_with(lognormal) ? parse_number(text.substr(lognormal.size())) : std::nullopt;
  if (!sigma || !(*sigma > 0) || *sigma > most_sigma) {
    throw InvalidInput(fmt::format(
        "{}: noise must be off, history or lognormal:S, S above 0 and at most {:g} (standard "
        "deviation of the logarithm), as lognormal:0.05, not '{}'",
        where, most_sigma, text));
  }
  return {*sigma};
}

double sigma_of_variation(double variation) {
  const double bounded = std::min(variation, most_variation);
  return std::sqrt(std::log1p(bounded * bounded));
}

double lognormal_factor(double sigma, double z) { return std::exp(sigma * z - sigma * sigma / 2); }

double normal_of_task(std::uint64_t seed, std::uint64_t replicate, std::uint64_t task) {
  Rng rng(seed, Draw::duration, replicate, task);
  static_cast<void>(rng.uniform());  // its jitter
  // Box & Muller 1958; 1 - u is never 0.
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
  return radius * std::cos(2 * std::numbers::pi * rng.uniform());
}

}  // namespace damocles
