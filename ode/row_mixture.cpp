#include "ode/row_mixture.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace damocles {
namespace {

using Complex = std::complex<double>;

constexpr int nodes = 208;
constexpr double spacing = 0.1;
constexpr double pi = std::numbers::pi;

/// Gamma(1/2 + it) for complex arguments (Boost has the real one only): Lanczos, g = 7, 9 terms,
/// relative error below 1e-13.
Complex gamma_half(double t) {
  static constexpr std::array<double, 9> lanczos{
      0.99999999999980993,  676.5203681218851,     -1259.1392167224028,
      771.32342877765313,   -176.61502916214059,   12.507343278686905,
      -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  const Complex z(-0.5, t);
  Complex sum = lanczos[0];
  for (std::size_t i = 1; i < lanczos.size(); ++i) sum += lanczos[i] / (z + static_cast<double>(i));
  const Complex base = z + 7.5;
  return std::sqrt(2 * pi) * std::exp((z + 0.5) * std::log(base) - base) * sum;
}

/// The weights of the trapezoid rule on the line Re s = 1/2, times Gamma(s) and what each of three
/// integrands has beside the powers of c and u.
struct MellinWeights {
  std::array<Complex, nodes> missed;    ///< 1 - e^(-cu), whose line is Re s = -1/2
  std::array<Complex, nodes> once;      ///< c u e^(-cu)
  std::array<Complex, nodes> variance;  ///< (c u)^2 e^(-cu), whose line is Re s = 3/2
};

const MellinWeights& mellin_weights() {
  static const MellinWeights values = [] {
    MellinWeights result;
    for (std::size_t node = 0; node < nodes; ++node) {
      const double t = spacing * static_cast<double>(node);
      const Complex half(0.5, t);
      const Complex once = (node == 0 ? 1 : 2) * spacing / (2 * pi) * gamma_half(t);
      result.once[node] = once;
      result.missed[node] = -once / (half - 1.0);
      result.variance[node] = once * half;
    }
    return result;
  }();
  return values;
}

// std::complex looks for infinities in each product, and divides by a call.

Complex times(Complex one, Complex other) {
  return {one.real() * other.real() - one.imag() * other.imag(),
          one.real() * other.imag() + one.imag() * other.real()};
}
double real_of_product(Complex one, Complex other) {
  return one.real() * other.real() - one.imag() * other.imag();
}
Complex quotient(Complex one, Complex other) {
  return times(one, std::conj(other)) * (1 / std::norm(other));
}

/// base^exponent, by products where that is a small whole number.
Complex raised(Complex base, double exponent) {
  constexpr double few = 64;
  if (exponent > few || exponent != std::floor(exponent)) {
    const double log_size = std::log(std::norm(base)) / 2;
    return std::polar(std::exp(exponent * log_size), exponent * std::arg(base));
  }
  Complex result = 1;
  for (auto left = static_cast<unsigned>(exponent); left > 0; left /= 2) {
    if (left % 2 == 1) result = times(result, base);
    base = times(base, base);
  }
  return result;
}

/// x^(1/2 - it) at each node, ascending: each is the one before, turned by the same angle.
class PowersOnLine {
 public:
  explicit PowersOnLine(double log_x)
      : here_(std::exp(log_x / 2)), turn_(std::polar(1.0, -spacing * log_x)) {}

  Complex next() { return std::exchange(here_, times(here_, turn_)); }

 private:
  Complex here_;
  Complex turn_;
};

}  // namespace

RowMixture::RowMixture(const std::vector<SpeedGroup>& groups, const std::vector<double>& knows,
                       const std::vector<double>& covers)
    : factors_(nodes * groups.size()), totals_(nodes, {1.0, 0.0}) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    PowersOnLine uncovered(std::log1p(-covers[g]));
    const double odds = covers[g] / (1 - covers[g]);
    for (std::size_t node = 0; node < nodes; ++node) {
      const Complex left = knows[g] * uncovered.next();
      const Complex moment = 1 - knows[g] + left;
      factors_[g * nodes + node] = {moment, odds * quotient(left, moment)};
      totals_[node].moment = times(totals_[node].moment, raised(moment, groups[g].count));
      totals_[node].odds += groups[g].count * factors_[g * nodes + node].odds;
    }
  }
}

RowMixture::Missed RowMixture::missed(std::size_t self, double c, double rho) const {
  if (!(c > 0)) return {0, 0};
  // Three Mellin integrals on lines where u has the same power z = 1/2 - it.
  double missed = 0;
  double once = 0;
  double variance = 0;
  PowersOnLine of_c(std::log(c));
  for (std::size_t node = 0; node < nodes; ++node) {
    const Factor& own = factors_[self * nodes + node];
    const Complex both = times(of_c.next(), quotient(totals_[node].moment, own.moment));
    missed += real_of_product(both, mellin_weights().missed[node]);
    once += real_of_product(both, mellin_weights().once[node]);
    variance += real_of_product(times(both, mellin_weights().variance[node]),
                                1.0 + totals_[node].odds - own.odds);
  }
  return {missed + rho / (2 * c) * variance, once};
}

}  // namespace damocles
