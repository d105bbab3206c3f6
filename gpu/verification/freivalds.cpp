// Tiles are checked side by side already.
#define EIGEN_DONT_PARALLELIZE

#include "gpu/verification/freivalds.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <tuple>
#include <vector>

#include "gpu/arithmetic/numbers.hpp"
#include "gpu/arithmetic/roundoff.hpp"
#include "gpu/verification/full_check.hpp"
#include "models/parallel.hpp"
#include "models/rng.hpp"

namespace damocles {
namespace {

using Eigen::Index;

constexpr double lambda = 9;  // of freivalds_tolerance()

template <typename Number>
using Tile = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// One column a vector.
using Vectors = Eigen::Matrix<double, Eigen::Dynamic, freivalds_rounds, Eigen::RowMajor>;

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

/// Adds columns [begin, end) of `Rows` rows of sign tile x to y.
template <Index Rows, Index Part, typename Number>
void add_rows(const Eigen::Map<const Tile<Number>>& tile, const Eigen::Ref<const Vectors>& x,
              double sign, Eigen::Ref<Vectors>& y, Index r, Index begin, Index end) {
  using Sums = Eigen::Array<double, 1, Part>;
  for (Index q = 0; q < y.cols(); q += Part) {
    std::array<Sums, Rows> sums;
    for (auto& sum : sums) sum.setZero();
    for (Index s = begin; s < end; ++s) {
      const Eigen::Map<const Sums> factor(x.data() + s * x.outerStride() + q);
      for (Index i = 0; i < Rows; ++i) {
        sums[static_cast<std::size_t>(i)] +=
            static_cast<double>(tile.data()[(r + i) * tile.cols() + s]) * factor;
      }
    }
    for (Index i = 0; i < Rows; ++i) {
      y.row(r + i).template segment<Part>(q).array() += sign * sums[static_cast<std::size_t>(i)];
    }
  }
}

/// A matrix of a workload's numbers, row by row.
struct StoredTile {
  Precision precision;
  const std::byte* at;
  std::size_t rows;
  std::size_t columns;

  /// Calls visit(the same as a matrix of its numbers).
  template <typename Visit>
  void read(Visit&& visit) const {
    with_number(precision, [&](auto number) {
      using Number = decltype(number);
      visit(Eigen::Map<const Tile<Number>>(reinterpret_cast<const Number*>(at),
                                           static_cast<Index>(rows), static_cast<Index>(columns)));
    });
  }
};

/// Adds sign tile x to y. Not by a library of kernels: what it would leave out of every product,
/// C and A B would miss alike.
void add_product(const StoredTile& stored, const Eigen::Ref<const Vectors>& x, double sign,
                 Eigen::Ref<Vectors> y) {
  constexpr Index step = 64;  // rows of x that stay in the first cache, 10 kB
  constexpr Index part = 4;   // rows of y times columns of x whose sums stay in registers
  static_assert(freivalds_rounds % part == 0);
  stored.read([&](const auto& tile) {
    const Index odd = tile.rows() % part;
    for (Index begin = 0; begin < tile.cols(); begin += step) {
      const Index end = std::min(begin + step, tile.cols());
      for (Index r = 0; r < odd; ++r) add_rows<1, part>(tile, x, sign, y, r, begin, end);
      for (Index r = odd; r < tile.rows(); r += part) {
        add_rows<part, part>(tile, x, sign, y, r, begin, end);
      }
    }
  });
}

/// Adds the sum of the squares of each row.
void add_squares(const StoredTile& stored, Eigen::VectorXd& squares) {
  stored.read(
      [&](const auto& tile) { squares += tile.template cast<double>().rowwise().squaredNorm(); });
}

/// Rows of vectors that belong to block `at`, of `rows` rows each.
auto rows_of(std::uint64_t at, std::size_t rows, const Vectors& vectors) {
  return vectors.middleRows(static_cast<Index>(at * rows), static_cast<Index>(rows));
}

std::string description(const StoredTile& stored, Index row, double error, double tolerance) {
  std::string wrong;
  stored.read([&](const auto& c) {
    for (Index column = 0; wrong.empty() && column < c.cols(); ++column) {
      const auto number = static_cast<double>(c(row, column));
      if (is_poison(c(row, column))) {
        wrong = fmt::format("its number ({}, {}) was never written", row, column);
      } else if (!std::isfinite(number)) {
        wrong = fmt::format("its number ({}, {}) is {}", row, column, number);
      }
    }
  });
  if (!wrong.empty()) return wrong;
  return fmt::format("its row {} times a random vector is off by {:.3g}, beyond {:.3g}", row, error,
                     tolerance);
}

/// Consecutive columns of tiles [first, last), probed together: what is done once for all rows.
class ProbedColumns {
 public:
  /// `signs` has a row for each column of C.
  ProbedColumns(const Arithmetic& arithmetic, const Store& store, const Vectors& signs,
                std::uint64_t first, std::uint64_t last, std::uint64_t threads)
      : kernel_(arithmetic.kernel()),
        blocks_(arithmetic.product()),
        store_(store),
        signs_(signs),
        first_(first),
        b_signs_(Vectors::Zero(static_cast<Index>(blocks_.inner * kernel_.k),
                               static_cast<Index>(freivalds_rounds))),
        factor_(freivalds_tolerance(
            kernel_.precision, static_cast<double>(blocks_.inner * kernel_.k),
            static_cast<double>((last - first) * kernel_.n), tasks_of_a_tile(blocks_))),
        of_result_(freivalds_result_tolerance(kernel_.precision,
                                              static_cast<double>((last - first) * kernel_.n),
                                              tasks_of_a_tile(blocks_))) {
    // Portions of rows of B: a product of whole panels has a single l.
    constexpr std::size_t portion = 256;
    const std::size_t portions = (kernel_.k + portion - 1) / portion;
    std::vector<double> squares(blocks_.inner * portions, 0);
    in_parallel(
        squares.size(),
        [&](std::uint64_t at) {
          const std::uint64_t l = at / portions;
          const std::size_t begin = at % portions * portion;
          const std::size_t count = std::min(portion, kernel_.k - begin);
          Eigen::VectorXd rows = Eigen::VectorXd::Zero(static_cast<Index>(count));
          for (std::uint64_t j = first; j < last; ++j) {
            const std::byte* const from =
                store.data(blocks_.b(l, j)) + begin * kernel_.n * element_bytes(kernel_.precision);
            const StoredTile b = stored(from, count, kernel_.n);
            add_product(b, rows_of(j, kernel_.n, signs), 1,
                        b_signs_.middleRows(static_cast<Index>(l * kernel_.k + begin),
                                            static_cast<Index>(count)));
            add_squares(b, rows);
          }
          squares[at] = rows.sum();
        },
        threads);
    b_norm_ = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
  }

  /// The tiles of row i in these columns, in order, as one. Where something is wrong, its
  /// description is of the first, so it says something only of one tile alone.
  [[nodiscard]] TileFinding check(std::uint64_t i, std::span<const std::uint64_t> tiles) const {
    const auto rows = static_cast<Index>(kernel_.m);
    Vectors residual = Vectors::Zero(rows, static_cast<Index>(freivalds_rounds));
    Eigen::VectorXd a_squares = Eigen::VectorXd::Zero(rows);
    Eigen::VectorXd c_squares = Eigen::VectorXd::Zero(rows);
    for (std::size_t at = 0; at < tiles.size(); ++at) {
      const StoredTile c = stored(store_.output(tiles[at]), kernel_.m, kernel_.n);
      add_product(c, rows_of(first_ + at, kernel_.n, signs_), 1, residual);
      if (of_result_ > 0) add_squares(c, c_squares);
    }
    for (std::uint64_t l = 0; l < blocks_.inner; ++l) {
      const StoredTile a = stored(store_.data(blocks_.a(i, l)), kernel_.m, kernel_.k);
      add_product(a, rows_of(l, kernel_.k, b_signs_), -1, residual);
      add_squares(a, a_squares);
    }
    TileFinding finding;
    for (Index r = 0; r < rows; ++r) {
      const double tolerance =
          factor_ * std::sqrt(a_squares[r]) * b_norm_ + of_result_ * std::sqrt(c_squares[r]);
      finding.detectable = std::max(finding.detectable, 2 * tolerance);
      for (Index q = 0; q < residual.cols(); ++q) {
        const double error = std::abs(residual(r, q));
        if (finding.take(error, tolerance) || !finding.wrong.empty()) continue;
        finding.wrong =
            description(stored(store_.output(tiles[0]), kernel_.m, kernel_.n), r, error, tolerance);
      }
    }
    return finding;
  }

 private:
  [[nodiscard]] StoredTile stored(const std::byte* at, std::size_t rows,
                                  std::size_t columns) const {
    return {kernel_.precision, at, rows, columns};
  }

  const Kernel& kernel_;
  const BlockProduct& blocks_;
  const Store& store_;
  const Vectors& signs_;
  std::uint64_t first_;
  Vectors b_signs_;  // the sum over j of B_lj R_j, one l below the other
  double b_norm_ = 0;
  double factor_;
  double of_result_;
};

/// A tile and where it stands; sorts by column.
struct PlacedTile {
  std::uint64_t j;
  std::uint64_t i;
  std::uint64_t tile;

  friend bool operator<(const PlacedTile& x, const PlacedTile& y) {
    return std::tie(x.j, x.i, x.tile) < std::tie(y.j, y.i, y.tile);
  }
};

using Found = std::function<void(std::uint64_t, TileFinding&&)>;

/// Freivalds' check of one product: whole rows of tiles first, then tile by tile what is left.
class FreivaldsCheck {
 public:
  FreivaldsCheck(const Arithmetic& arithmetic, const Store& store, const Found& found)
      : arithmetic_(arithmetic),
        store_(store),
        found_(found),
        signs_(random_signs(arithmetic.seed(),
                            arithmetic.product().columns * arithmetic.kernel().n)) {}

  void operator()(std::span<const std::uint64_t> tiles) {
    std::vector<std::vector<PlacedTile>> rows(arithmetic_.product().rows);
    for (const std::uint64_t tile : tiles) {
      const auto [i, j] = arithmetic_.block(tile);
      rows[i].push_back({j, i, tile});
    }
    for (auto& row : rows) std::sort(row.begin(), row.end());
    check_one_by_one(left_by_whole_rows(rows));
  }

 private:
  /// Takes each row that has all its tiles as one; returns the tiles of the others, and of those
  /// that are wrong.
  std::vector<PlacedTile> left_by_whole_rows(const std::vector<std::vector<PlacedTile>>& rows) {
    const std::uint64_t columns = arithmetic_.product().columns;
    const auto whole = [&](const auto& row) { return columns > 1 && row.size() == columns; };
    std::vector<PlacedTile> left;
    if (std::any_of(rows.begin(), rows.end(), whole)) {
      const ProbedColumns all(arithmetic_, store_, signs_, 0, columns, 0);
      std::mutex mutex;
      in_parallel(rows.size(), [&](std::uint64_t i) {
        if (whole(rows[i]) && row_is_right(all, rows[i])) return;
        const std::lock_guard lock(mutex);
        left.insert(left.end(), rows[i].begin(), rows[i].end());
      });
    } else {
      for (const auto& row : rows) left.insert(left.end(), row.begin(), row.end());
    }
    std::sort(left.begin(), left.end());
    return left;
  }

  bool row_is_right(const ProbedColumns& all, const std::vector<PlacedTile>& row) {
    std::vector<std::uint64_t> tiles;
    tiles.reserve(row.size());
    for (const PlacedTile& one : row) tiles.push_back(one.tile);
    const TileFinding finding = all.check(row.front().i, tiles);
    if (!finding.wrong.empty()) return false;
    for (const std::uint64_t tile : tiles) found_(tile, TileFinding(finding));
    return true;
  }

  /// Up to 16 tiles of a column for each thread that takes some: it makes B R once for them.
  void check_one_by_one(const std::vector<PlacedTile>& tiles) {
    constexpr std::size_t most = 16;
    std::vector<std::span<const PlacedTile>> portions;
    for (auto at = tiles.begin(); at != tiles.end();) {
      const auto end = std::find_if(at, tiles.end(), [&](const PlacedTile& one) {
        return one.j != at->j || static_cast<std::size_t>(&one - &*at) == most;
      });
      portions.emplace_back(at, end);
      at = end;
    }
    in_parallel(portions.size(), [&](std::uint64_t portion) {
      const std::uint64_t j = portions[portion].front().j;
      const ProbedColumns column(arithmetic_, store_, signs_, j, j + 1, 1);
      for (const PlacedTile& one : portions[portion]) {
        found_(one.tile, column.check(one.i, std::array{one.tile}));
      }
    });
  }

  const Arithmetic& arithmetic_;
  const Store& store_;
  const Found& found_;
  const Vectors signs_;  // a row for each column of C
};

}  // namespace

double freivalds_tolerance(Precision precision, double terms, double columns, double tasks) {
  const double u = roundoff(precision).sum;
  constexpr double v = roundoff(Precision::fp64).sum;
  const double product =
      is_mixed(precision)
          ? full_tolerance(precision, terms, tasks) * std::min(lambda, std::sqrt(columns))
          : u * std::min(lambda * std::sqrt(terms), terms * std::sqrt(columns));
  const double checking = v * (terms + 2 * columns + 4) * std::sqrt(columns);
  return 1.01 * (product + checking);
}

double freivalds_result_tolerance(Precision precision, double columns, double tasks) {
  return 1.01 * result_tolerance(precision, tasks) * std::min(lambda, std::sqrt(columns));
}

void check_by_freivalds(const Arithmetic& arithmetic, const Store& store,
                        std::span<const std::uint64_t> tiles,
                        const std::function<void(std::uint64_t, TileFinding&&)>& found) {
  FreivaldsCheck(arithmetic, store, found)(tiles);
}

}  // namespace damocles
