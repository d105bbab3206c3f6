#include "gpu/verification/full_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "gpu/arithmetic/numbers.hpp"
#include "gpu/arithmetic/roundoff.hpp"

namespace damocles {
namespace {

double gamma(double terms, double roundoff) { return terms * roundoff / (1 - terms * roundoff); }

template <typename Number>
const Number* numbers_at(const std::byte* at) {
  return reinterpret_cast<const Number*>(at);
}

/// A few rows of a tile of C, and of |A| |B|, in double precision: few enough for the cache, and
/// enough to read B seldom.
struct ReferenceRows {
  static constexpr std::size_t most = 8;

  explicit ReferenceRows(std::size_t n) : columns(n), product(most * n), absolute(most * n) {}

  void clear() {
    std::fill(product.begin(), product.end(), 0);
    std::fill(absolute.begin(), absolute.end(), 0);
  }
  template <typename Number>
  void add(std::size_t row, double a, const Number* b) {
    double* const products = product.data() + row * columns;
    double* const absolutes = absolute.data() + row * columns;
    for (std::size_t c = 0; c < columns; ++c) {
      const double term = a * static_cast<double>(b[c]);
      products[c] += term;
      absolutes[c] += std::abs(term);
    }
  }

  std::size_t columns;
  std::vector<double> product;
  std::vector<double> absolute;
};

template <typename Number>
class TileCheck {
 public:
  TileCheck(const Arithmetic& arithmetic, const Store& store, std::uint64_t tile)
      : kernel_(arithmetic.kernel()),
        blocks_(arithmetic.product()),
        store_(store),
        block_(arithmetic.block(tile)),
        computed_(numbers_at<Number>(store.output(tile))),
        factor_(full_tolerance(kernel_.precision, static_cast<double>(blocks_.inner * kernel_.k),
                               tasks_of_a_tile(blocks_))),
        of_result_(result_tolerance(kernel_.precision, tasks_of_a_tile(blocks_))),
        reference_(kernel_.n) {}

  TileFinding check() {
    for (std::size_t begin = 0; begin < kernel_.m; begin += ReferenceRows::most) {
      const std::size_t end = std::min(begin + ReferenceRows::most, kernel_.m);
      multiply(begin, end);
      for (std::size_t r = begin; r < end; ++r) compare(r, r - begin);
    }
    return std::move(finding_);
  }

 private:
  void multiply(std::size_t begin, std::size_t end) {
    reference_.clear();
    // From the last term to the first: kernels start at the first.
    for (std::uint64_t l = blocks_.inner; l-- > 0;) {
      const auto* const a = numbers_at<Number>(store_.data(blocks_.a(block_[0], l)));
      const auto* const b = numbers_at<Number>(store_.data(blocks_.b(l, block_[1])));
      for (std::size_t s = kernel_.k; s-- > 0;) {
        for (std::size_t r = begin; r < end; ++r) {
          reference_.add(r - begin, static_cast<double>(a[r * kernel_.k + s]), b + s * kernel_.n);
        }
      }
    }
  }

  void compare(std::size_t row, std::size_t at) {
    for (std::size_t c = 0; c < kernel_.n; ++c) {
      const Number& number = computed_[row * kernel_.n + c];
      const double right = reference_.product[at * kernel_.n + c];
      const auto value = static_cast<double>(number);
      const double tolerance =
          factor_ * reference_.absolute[at * kernel_.n + c] + of_result_ * std::abs(value);
      if (finding_.take(std::abs(value - right), tolerance)) continue;
      if (!finding_.wrong.empty()) continue;
      finding_.wrong = is_poison(number)
                           ? fmt::format("its number ({}, {}) was never written", row, c)
                           : fmt::format("its number ({}, {}) is {:.9g}, not {:.9g} within {:.3g}",
                                         row, c, value, right, tolerance);
    }
  }

  const Kernel& kernel_;
  const BlockProduct& blocks_;
  const Store& store_;
  std::array<std::uint64_t, 2> block_;  // i and j
  const Number* computed_;
  double factor_;
  double of_result_;
  ReferenceRows reference_;
  TileFinding finding_;
};

}  // namespace

double tasks_of_a_tile(const BlockProduct& product) {
  return product.adds ? static_cast<double>(product.inner) : 1;
}

double full_tolerance(Precision precision, double terms, double tasks) {
  const Roundoff of = roundoff(precision);
  const auto both = [](double x, double y) { return x + y + x * y; };
  const double term = both(of.factor, of.factor);
  const double kept = tasks > 1 ? gamma(2 * tasks, of.kept) : 0;
  return both(both(term, gamma(terms + 2, of.sum)), kept) +
         gamma(terms + 2, roundoff(Precision::fp64).sum);
}

double result_tolerance(Precision precision, double tasks) {
  const double kept = roundoff(precision).kept;
  return tasks > 1 ? 0 : kept / (1 - kept);  // of the rounded number, not of what was rounded
}

TileFinding check_in_full(const Arithmetic& arithmetic, const Store& store, std::uint64_t tile) {
  return with_number(arithmetic.kernel().precision, [&](auto number) {
    return TileCheck<decltype(number)>(arithmetic, store, tile).check();
  });
}

}  // namespace damocles
