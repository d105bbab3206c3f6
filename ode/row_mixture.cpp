#include "ode/row_mixture.hpp"

#include <array>
#include <cmath>
#include <numbers>

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

const std::array<Complex, nodes>& gamma_nodes() {
  static const auto values = [] {
    std::array<Complex, nodes> result;
    for (int node = 0; node < nodes; ++node) {
      result[static_cast<std::size_t>(node)] = gamma_half(node * spacing);
    }
    return result;
  }();
  return values;
}

}  // namespace

RowMixture::RowMixture(const std::vector<SpeedGroup>& groups, const std::vector<double>& knows,
                       const std::vector<double>& covers)
    : groups_(groups.size()), factors_(nodes * groups.size()), totals_(nodes) {
  for (std::size_t node = 0; node < nodes; ++node) {
    const Complex z(0.5, -spacing * static_cast<double>(node));
    for (std::size_t g = 0; g < groups_; ++g) {
      const Complex left = knows[g] * std::exp(z * std::log1p(-covers[g]));
      const Complex moment = 1 - knows[g] + left;
      Factor& factor = factors_[node * groups_ + g];
      factor = {std::log(moment), left / moment * (covers[g] / (1 - covers[g]))};
      totals_[node].log_moment += groups[g].count * factor.log_moment;
      totals_[node].odds += groups[g].count * factor.odds;
    }
  }
}

RowMixture::Missed RowMixture::missed(std::size_t self, double c, double rho) const {
  if (!(c > 0)) return {0, 0};
  // Three Mellin integrals on lines where u has the same power z = 1/2 - it:
  // 1 - e^(-cu) on Re s = -1/2, c u e^(-cu) on 1/2, (c u)^2 e^(-cu) on 3/2.
  double missed = 0;
  double once = 0;
  double variance = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    const double t = spacing * static_cast<double>(node);
    const double weight = (node == 0 ? 1 : 2) * spacing / (2 * pi);
    const Factor& own = factors_[node * groups_ + self];
    const Complex power =
        std::exp(totals_[node].log_moment - own.log_moment + Complex(0.5, -t) * std::log(c)) *
        gamma_nodes()[node];
    const Complex half(0.5, t);
    missed -= weight * (power / (half - 1.0)).real();
    once += weight * power.real();
    variance += weight * (power * half * (1.0 + totals_[node].odds - own.odds)).real();
  }
  return {missed + rho / (2 * c) * variance, once};
}

}  // namespace damocles
