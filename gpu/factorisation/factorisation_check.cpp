#include "gpu/factorisation/factorisation_check.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "models/rng.hpp"

namespace damocles {
namespace {

constexpr Eigen::Index rounds_of_factors = 20;

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A tile's numbers as doubles.
Dense doubles(const Factorisation& of, const std::byte* at) {
  const auto side = static_cast<Eigen::Index>(of.tile_side());
  if (of.precision() == Precision::fp64) {
    return Eigen::Map<const Dense>(reinterpret_cast<const double*>(at), side, side);
  }
  using Single = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Single>(reinterpret_cast<const float*>(at), side, side).cast<double>();
}

/// Which half of a tile on the diagonal a factor has there.
enum class Half { lower, upper };

/// The matrix as its tiles have it, and its factors.
class Factors {
 public:
  Factors(const Factorisation& of, const std::function<const std::byte*(DataId)>& at)
      : of_(of), at_(at), side_(static_cast<Eigen::Index>(of.tile_side())) {}

  /// L x, or |L| x.
  [[nodiscard]] Dense lower(const Dense& x, bool absolute) const {
    return product(x, Half::lower, absolute);
  }
  /// R x, or |R| x: L^T, or U.
  [[nodiscard]] Dense right(const Dense& x, bool absolute) const {
    return product(x, Half::upper, absolute);
  }

 private:
  [[nodiscard]] Dense product(const Dense& x, Half half, bool absolute) const {
    const bool mirrored = half == Half::upper && of_.kind() == Factorisation::Kind::cholesky;
    Dense y = Dense::Zero(x.rows(), x.cols());
    for (std::uint64_t i = 0; i < of_.tiles(); ++i) {
      for (std::uint64_t j = 0; j < of_.tiles(); ++j) {
        if (half == Half::lower ? j > i : j < i) continue;
        const auto data = mirrored ? of_.data(j, i) : of_.data(i, j);
        Dense tile = doubles(of_, at_(*data));
        if (mirrored) tile.transposeInPlace();
        if (i == j) cut(tile, half);
        if (absolute) tile = tile.cwiseAbs();
        y.middleRows(static_cast<Eigen::Index>(i) * side_, side_) +=
            tile * x.middleRows(static_cast<Eigen::Index>(j) * side_, side_);
      }
    }
    return y;
  }

  void cut(Dense& tile, Half half) const {
    if (half == Half::upper) {
      tile = tile.triangularView<Eigen::Upper>().toDenseMatrix();
    } else if (of_.kind() == Factorisation::Kind::lu) {
      tile = tile.triangularView<Eigen::UnitLower>().toDenseMatrix();
    } else {
      tile = tile.triangularView<Eigen::Lower>().toDenseMatrix();
    }
  }

  const Factorisation& of_;
  const std::function<const std::byte*(DataId)>& at_;
  Eigen::Index side_;
};

/// A x, or |A| x, of the matrix before.
Dense product_with_matrix(const Factorisation& of, std::uint64_t seed, const Dense& x,
                          bool absolute) {
  const auto side = static_cast<Eigen::Index>(of.tile_side());
  std::vector<std::byte> content(of.tile_side() * of.tile_side() * element_bytes(of.precision()));
  Dense y = Dense::Zero(x.rows(), x.cols());
  const auto rows = [&](Dense& all, std::uint64_t block) {
    return all.middleRows(static_cast<Eigen::Index>(block) * side, side);
  };
  for (std::uint64_t i = 0; i < of.tiles(); ++i) {
    for (std::uint64_t j = 0; j < of.tiles(); ++j) {
      const auto data = of.data(i, j);
      if (!data) continue;
      of.fill(*data, seed, content);
      Dense tile = doubles(of, content.data());
      if (absolute) tile = tile.cwiseAbs();
      rows(y, i) += tile * x.middleRows(static_cast<Eigen::Index>(j) * side, side);
      if (i == j || of.kind() == Factorisation::Kind::lu) continue;
      rows(y, j) += tile.transpose() * x.middleRows(static_cast<Eigen::Index>(i) * side, side);
    }
  }
  return y;
}

/// What so many roundings make of a sum: Higham's gamma.
double steps_err(double steps, double unit) { return steps * unit / (1 - steps * unit); }

}  // namespace

Verification check_factorisation(const Factorisation& factorisation, std::uint64_t seed,
                                 const std::function<const std::byte*(DataId)>& at) {
  const auto extent = static_cast<Eigen::Index>(factorisation.tiles() * factorisation.tile_side());
  Dense x(extent, rounds_of_factors);
  Rng rng(seed, Draw::verification, 0);
  for (Eigen::Index r = 0; r < extent; ++r) {
    for (Eigen::Index c = 0; c < rounds_of_factors; ++c) x(r, c) = rng.below(2) == 0 ? -1 : 1;
  }
  const Factors factors(factorisation, at);
  const Dense error = (product_with_matrix(factorisation, seed, x, false) -
                       factors.lower(factors.right(x, false), false))
                          .cwiseAbs();
  const Dense ones = Dense::Ones(extent, 1);
  const auto steps = static_cast<double>(extent);
  const double unit = factorisation.precision() == Precision::fp64 ? 0x1p-53 : 0x1p-24;
  const Dense tolerance =
      (steps_err(steps + 1, unit) + steps_err(2 * steps, 0x1p-53)) *
          factors.lower(factors.right(ones, true), true) +
      steps_err(steps, 0x1p-53) * product_with_matrix(factorisation, seed, ones, true);
  Verification result;
  result.check = Check::freivalds;
  Eigen::Index wrong = 0;
  Eigen::Index first = extent;
  for (Eigen::Index r = 0; r < extent; ++r) {
    const double largest = error.row(r).maxCoeff<Eigen::PropagateNaN>() / tolerance(r, 0);
    result.worst = std::isfinite(largest) ? std::max(result.worst, largest)
                                          : std::numeric_limits<double>::infinity();
    if (largest <= 1) continue;
    ++wrong;
    first = std::min(first, r);
  }
  result.right = wrong == 0;
  const char* const what = factorisation.kind() == Factorisation::Kind::lu ? "L U" : "L L^T";
  result.text =
      result.right
          ? fmt::format(
                "right: {} of {} rows against A, {} random vectors, within {:.2g} of Higham's bound",
                what, extent, rounds_of_factors, result.worst)
          : fmt::format("wrong: {} is not A: {} of {} rows, the first of them {}", what, wrong,
                        extent, first);
  return result;
}

}  // namespace damocles
