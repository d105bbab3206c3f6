// Tiles are checked side by side already.
#define EIGEN_DONT_PARALLELIZE

#include "gpu/freivalds.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gpu/in_parallel.hpp"
#include "models/rng.hpp"

namespace damocles {
namespace {

using Eigen::Index;

template <typename Number>
using Tile = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// One column a vector.
using Vectors = Eigen::Matrix<double, Eigen::Dynamic, freivalds_rounds, Eigen::RowMajor>;

template <typename Number>
Eigen::Map<const Tile<Number>> tile_at(const std::byte* at, std::size_t rows, std::size_t columns) {
  return {reinterpret_cast<const Number*>(at), static_cast<Index>(rows),
          static_cast<Index>(columns)};
}

/// The signs R: a stream of their own, so that no number that is checked depends on them.
Vectors random_signs(std::uint64_t seed, std::size_t n) {
  Rng rng(seed, Draw::verification, 0);
  Vectors signs(static_cast<Index>(n), static_cast<Index>(freivalds_rounds));
  for (Index r = 0; r < signs.rows(); ++r) {
    const std::uint64_t bits = rng.next();
    for (Index q = 0; q < signs.cols(); ++q) signs(r, q) = (bits >> q & 1U) == 0 ? 1 : -1;
  }
  return signs;
}

/// Adds columns [begin, end) of `rows` rows of sign tile x to y.
template <Index rows, Index part, typename Number>
void add_rows(const Eigen::Map<const Tile<Number>>& tile, const Eigen::Ref<const Vectors>& x,
              double sign, Eigen::Ref<Vectors>& y, Index r, Index begin, Index end) {
  using Sums = Eigen::Array<double, 1, part>;
  for (Index q = 0; q < y.cols(); q += part) {
    std::array<Sums, rows> sums;
    for (auto& sum : sums) sum.setZero();
    for (Index s = begin; s < end; ++s) {
      const Eigen::Map<const Sums> factor(x.data() + s * x.outerStride() + q);
      for (Index i = 0; i < rows; ++i) {
        sums[static_cast<std::size_t>(i)] +=
            static_cast<double>(tile.data()[(r + i) * tile.cols() + s]) * factor;
      }
    }
    for (Index i = 0; i < rows; ++i) {
      y.row(r + i).template segment<part>(q).array() += sign * sums[static_cast<std::size_t>(i)];
    }
  }
}

/// Adds sign tile x to y. Not by a library of kernels: what it would leave out of every product,
/// C and A B would miss alike.
template <typename Number>
void add_product(const Eigen::Map<const Tile<Number>>& tile, const Eigen::Ref<const Vectors>& x,
                 double sign, Eigen::Ref<Vectors> y) {
  constexpr Index step = 64;  // rows of x that stay in the first cache, 10 kB
  constexpr Index part = 4;   // rows of y times columns of x whose sums stay in registers
  static_assert(freivalds_rounds % part == 0);
  const Index odd = tile.rows() % part;
  for (Index begin = 0; begin < tile.cols(); begin += step) {
    const Index end = std::min(begin + step, tile.cols());
    for (Index r = 0; r < odd; ++r) add_rows<1, part>(tile, x, sign, y, r, begin, end);
    for (Index r = odd; r < tile.rows(); r += part) {
      add_rows<part, part>(tile, x, sign, y, r, begin, end);
    }
  }
}

/// Tiles of one column of C, checked one after the other.
template <typename Number>
class ProbedColumn {
 public:
  ProbedColumn(const Arithmetic& arithmetic, const Store& store, const Vectors& signs,
               std::uint64_t j)
      : kernel_(arithmetic.kernel()),
        blocks_(arithmetic.product()),
        store_(store),
        signs_(signs),
        b_signs_(Vectors::Zero(static_cast<Index>(blocks_.inner * kernel_.k),
                               static_cast<Index>(freivalds_rounds))),
        factor_(freivalds_tolerance(kernel_.precision,
                                    static_cast<double>(blocks_.inner * kernel_.k),
                                    static_cast<double>(kernel_.n))) {
    double square = 0;
    for (std::uint64_t l = 0; l < blocks_.inner; ++l) {
      const auto b = tile_at<Number>(store.data(blocks_.b(l, j)), kernel_.k, kernel_.n);
      add_product<Number>(b, signs, 1, rows_of(l, b_signs_));
      square += b.template cast<double>().squaredNorm();
    }
    b_norm_ = std::sqrt(square);
  }

  TileFinding check(std::uint64_t i, std::uint64_t tile) {
    const auto c = tile_at<Number>(store_.output(tile), kernel_.m, kernel_.n);
    Vectors residual = Vectors::Zero(c.rows(), static_cast<Index>(freivalds_rounds));
    Eigen::VectorXd a_squares = Eigen::VectorXd::Zero(c.rows());
    add_product<Number>(c, signs_, 1, residual);
    for (std::uint64_t l = 0; l < blocks_.inner; ++l) {
      const auto a = tile_at<Number>(store_.data(blocks_.a(i, l)), kernel_.m, kernel_.k);
      add_product<Number>(a, rows_of(l, b_signs_), -1, residual);
      a_squares += a.template cast<double>().rowwise().squaredNorm();
    }
    TileFinding finding;
    for (Index r = 0; r < c.rows(); ++r) {
      const double tolerance = factor_ * std::sqrt(a_squares[r]) * b_norm_;
      finding.detectable = std::max(finding.detectable, 2 * tolerance);
      for (Index q = 0; q < residual.cols(); ++q) {
        const double error = std::abs(residual(r, q));
        if (finding.take(error, tolerance) || !finding.wrong.empty()) continue;
        finding.wrong = description(c, r, error, tolerance);
      }
    }
    return finding;
  }

 private:
  [[nodiscard]] auto rows_of(std::uint64_t l, Vectors& vectors) const {
    return vectors.middleRows(static_cast<Index>(l * kernel_.k), static_cast<Index>(kernel_.k));
  }

  static std::string description(const Eigen::Map<const Tile<Number>>& c, Index row, double error,
                                 double tolerance) {
    for (Index column = 0; column < c.cols(); ++column) {
      if (is_poison(c(row, column))) {
        return fmt::format("its number ({}, {}) was never written", row, column);
      }
      if (!std::isfinite(c(row, column))) {
        return fmt::format("its number ({}, {}) is {}", row, column, c(row, column));
      }
    }
    return fmt::format("its row {} times a random vector is off by {:.3g}, beyond {:.3g}", row,
                       error, tolerance);
  }

  const Kernel& kernel_;
  const BlockProduct& blocks_;
  const Store& store_;
  const Vectors& signs_;
  Vectors b_signs_;  // B_lj R, one l below the other
  double b_norm_ = 0;
  double factor_;
};

/// Up to 16 tiles of a column of C: what one thread takes, having made B R once for all.
struct Portion {
  std::uint64_t column;
  std::vector<std::array<std::uint64_t, 2>> tiles;  // i, and the tile
};

std::vector<Portion> portions(const Arithmetic& arithmetic, std::span<const std::uint64_t> tiles) {
  constexpr std::size_t most = 16;
  std::vector<std::array<std::uint64_t, 3>> by_column;
  by_column.reserve(tiles.size());
  for (const std::uint64_t tile : tiles) {
    const auto [i, j] = arithmetic.block(tile);
    by_column.push_back({j, i, tile});
  }
  std::sort(by_column.begin(), by_column.end());
  std::vector<Portion> result;
  for (const auto& [j, i, tile] : by_column) {
    if (result.empty() || result.back().column != j || result.back().tiles.size() == most) {
      result.push_back({j, {}});
    }
    result.back().tiles.push_back({i, tile});
  }
  return result;
}

template <typename Number>
void check_tiles(const Arithmetic& arithmetic, const Store& store,
                 std::span<const std::uint64_t> tiles,
                 const std::function<void(std::uint64_t, TileFinding&&)>& found) {
  const Vectors signs = random_signs(arithmetic.seed(), arithmetic.kernel().n);
  const auto work = portions(arithmetic, tiles);
  in_parallel(work.size(), [&](std::uint64_t at) {
    ProbedColumn<Number> column(arithmetic, store, signs, work[at].column);
    for (const auto& [i, tile] : work[at].tiles) found(tile, column.check(i, tile));
  });
}

}  // namespace

double freivalds_tolerance(Precision precision, double terms, double columns) {
  constexpr double lambda = 9;
  const double u = unit_roundoff(precision);
  constexpr double v = unit_roundoff(Precision::fp64);
  const double product = u * std::min(lambda * std::sqrt(terms), terms * std::sqrt(columns));
  const double checking = v * (terms + 2 * columns + 4) * std::sqrt(columns);
  return 1.01 * (product + checking);
}

void check_by_freivalds(const Arithmetic& arithmetic, const Store& store,
                        std::span<const std::uint64_t> tiles,
                        const std::function<void(std::uint64_t, TileFinding&&)>& found) {
  arithmetic.kernel().precision == Precision::fp32
      ? check_tiles<float>(arithmetic, store, tiles, found)
      : check_tiles<double>(arithmetic, store, tiles, found);
}

}  // namespace damocles
