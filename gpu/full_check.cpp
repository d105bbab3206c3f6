#include "gpu/full_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace damocles {
namespace {

double gamma(double terms, double roundoff) { return terms * roundoff / (1 - terms * roundoff); }

template <typename Number>
const Number* numbers(const std::byte* at) {
  return reinterpret_cast<const Number*>(at);
}

/// One row of a tile of C, and of |A| |B|, in double precision.
struct ReferenceRow {
  std::vector<double> product;
  std::vector<double> absolute;

  void clear() {
    std::fill(product.begin(), product.end(), 0);
    std::fill(absolute.begin(), absolute.end(), 0);
  }
  template <typename Number>
  void add(double a, const Number* b) {
    for (std::size_t c = 0; c < product.size(); ++c) {
      const double term = a * static_cast<double>(b[c]);
      product[c] += term;
      absolute[c] += std::abs(term);
    }
  }
};

template <typename Number>
TileFinding check(const Arithmetic& arithmetic, const Store& store, std::uint64_t tile) {
  const Kernel& kernel = arithmetic.kernel();
  const BlockProduct& blocks = arithmetic.product();
  const auto [i, j] = arithmetic.block(tile);
  const double factor =
      full_tolerance(kernel.precision, static_cast<double>(blocks.inner * kernel.k));
  const auto* const computed = numbers<Number>(store.output(tile));
  ReferenceRow row{std::vector<double>(kernel.n), std::vector<double>(kernel.n)};
  TileFinding finding;
  for (std::size_t r = 0; r < kernel.m; ++r) {
    row.clear();
    // From the last term to the first: kernels start at the first.
    for (std::uint64_t l = blocks.inner; l-- > 0;) {
      const auto* const a = numbers<Number>(store.data(blocks.a(i, l))) + r * kernel.k;
      const auto* const b = numbers<Number>(store.data(blocks.b(l, j)));
      for (std::size_t s = kernel.k; s-- > 0;) row.add(static_cast<double>(a[s]), b + s * kernel.n);
    }
    for (std::size_t c = 0; c < kernel.n; ++c) {
      const Number& number = computed[r * kernel.n + c];
      const double tolerance = factor * row.absolute[c];
      if (finding.take(std::abs(static_cast<double>(number) - row.product[c]), tolerance)) continue;
      if (!finding.wrong.empty()) continue;
      finding.wrong = is_poison(number)
                          ? fmt::format("its number ({}, {}) was never written", r, c)
                          : fmt::format("its number ({}, {}) is {:.9g}, not {:.9g} within {:.3g}",
                                        r, c, number, row.product[c], tolerance);
    }
  }
  return finding;
}

}  // namespace

double full_tolerance(Precision precision, double terms) {
  return gamma(terms + 2, unit_roundoff(precision)) +
         gamma(terms + 2, unit_roundoff(Precision::fp64));
}

TileFinding check_in_full(const Arithmetic& arithmetic, const Store& store, std::uint64_t tile) {
  return arithmetic.kernel().precision == Precision::fp32 ? check<float>(arithmetic, store, tile)
                                                          : check<double>(arithmetic, store, tile);
}

}  // namespace damocles
