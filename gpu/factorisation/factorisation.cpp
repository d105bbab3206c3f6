// One task is one thread's work: processors are threads already.
#define EIGEN_DONT_PARALLELIZE

#include "gpu/factorisation/factorisation.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

#include "gpu/arithmetic/values.hpp"
#include "models/workloads/tiled_workloads.hpp"

namespace damocles {
namespace {

template <typename Number>
using Square = Eigen::Map<Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

template <typename Number>
Square<Number> square(std::byte* at, std::size_t side) {
  const auto extent = static_cast<Eigen::Index>(side);
  return {reinterpret_cast<Number*>(at), extent, extent};
}

/// The whole root of a number, or nothing.
std::optional<std::uint64_t> whole_root(std::uint64_t number) {
  const auto root =
      static_cast<std::uint64_t>(std::llround(std::sqrt(static_cast<double>(number))));
  return root * root == number ? std::optional(root) : std::nullopt;
}

/// The n of n (n + 1) / 2 tiles, or nothing.
std::optional<std::uint64_t> side_of_triangle(std::uint64_t tiles) {
  const auto root = whole_root(8 * tiles + 1);
  return root ? std::optional((*root - 1) / 2) : std::nullopt;
}

bool same_tasks(const TaskGraph& graph, const TaskGraph::Parts& other) {
  const TaskGraph::Parts& parts = graph.parts();
  return parts.inputs == other.inputs && parts.accesses == other.accesses &&
         parts.kind_names == other.kind_names && parts.task_kinds == other.task_kinds;
}

/// Of a task of Cholesky's; its last tile is the one that it writes.
template <typename Number>
void cholesky_task(const std::string& kind, std::size_t side, std::span<std::byte* const> at) {
  auto written = square<Number>(at.back(), side);
  const auto first = square<Number>(at.front(), side);
  if (kind == "POTRF") {
    const Eigen::LLT<Eigen::Ref<Eigen::Matrix<Number, -1, -1, Eigen::RowMajor>>> in_place(written);
  } else if (kind == "TRSM") {
    first.transpose()
        .template triangularView<Eigen::Upper>()
        .template solveInPlace<Eigen::OnTheRight>(written);
  } else if (kind == "SYRK") {
    written.template selfadjointView<Eigen::Lower>().rankUpdate(first, Number{-1});
  } else {
    written.noalias() -= first * square<Number>(at[1], side).transpose();
  }
}

template <typename Number>
void lu_of(Square<Number> a) {
  const Eigen::Index side = a.rows();
  for (Eigen::Index k = 0; k < side; ++k) {
    const Eigen::Index rest = side - k - 1;
    for (Eigen::Index i = k + 1; i < side; ++i) {
      a(i, k) /= a(k, k);
      a.row(i).tail(rest) -= a(i, k) * a.row(k).tail(rest);
    }
  }
}

/// Of a task of LU's. @param of_u  a TRSM's tile lies right of the diagonal
template <typename Number>
void lu_task(const std::string& kind, bool of_u, std::size_t side, std::span<std::byte* const> at) {
  auto written = square<Number>(at.back(), side);
  const auto first = square<Number>(at.front(), side);
  if (kind == "GETRF") {
    lu_of<Number>(written);
  } else if (kind == "GEMM") {
    written.noalias() -= first * square<Number>(at[1], side);
  } else if (of_u) {
    first.template triangularView<Eigen::UnitLower>().solveInPlace(written);
  } else {
    first.template triangularView<Eigen::Upper>().template solveInPlace<Eigen::OnTheRight>(written);
  }
}

template <typename Number>
void make_dominant(Square<Number> tile, bool mirrored, double more) {
  for (Eigen::Index r = 0; r < tile.rows(); ++r) {
    for (Eigen::Index c = r + 1; mirrored && c < tile.cols(); ++c) tile(r, c) = tile(c, r);
    tile(r, r) += static_cast<Number>(more);
  }
}

}  // namespace

std::optional<Factorisation> Factorisation::of(const Workload& workload, Precision precision) {
  if (workload.is_grid() || !workload.writes()) return std::nullopt;
  const TaskGraph& graph = workload.graph();
  const auto bytes = graph.uniform_bytes();
  if (!bytes || *bytes % element_bytes(precision) != 0) return std::nullopt;
  const auto side = whole_root(*bytes / element_bytes(precision));
  if (!side) return std::nullopt;
  const auto triangle = side_of_triangle(graph.data());
  const auto whole = whole_root(graph.data());
  for (const Access update : {Access::read_write, Access::commute}) {
    if (triangle && same_tasks(graph, cholesky_in_place(*triangle, {}, update))) {
      return Factorisation(Kind::cholesky, *triangle, *side, precision);
    }
    if (whole && same_tasks(graph, lu_in_place(*whole, {}, update))) {
      return Factorisation(Kind::lu, *whole, *side, precision);
    }
  }
  return std::nullopt;
}

std::optional<DataId> Factorisation::data(std::uint64_t i, std::uint64_t j) const {
  if (kind_ == Kind::lu) return DataId{i * n_ + j};
  return j <= i ? std::optional(DataId{i * (i + 1) / 2 + j}) : std::nullopt;
}

std::pair<std::uint64_t, std::uint64_t> Factorisation::block(DataId data) const {
  if (kind_ == Kind::lu) return {raw(data) / n_, raw(data) % n_};
  std::uint64_t i = 0;
  while ((i + 1) * (i + 2) / 2 <= raw(data)) ++i;
  return {i, raw(data) - i * (i + 1) / 2};
}

double Factorisation::flops() const {
  const double extent = static_cast<double>(n_) * static_cast<double>(side_);
  return (kind_ == Kind::lu ? 2.0 : 1.0) / 3 * extent * extent * extent;
}

void Factorisation::fill(DataId data, std::uint64_t seed, std::span<std::byte> content) const {
  fill_uniform(seed, raw(data), precision_, content);
  const auto [i, j] = block(data);
  if (i != j) return;
  const double more = static_cast<double>(n_) * static_cast<double>(side_);
  const bool mirrored = kind_ == Kind::cholesky;
  if (precision_ == Precision::fp64) {
    make_dominant(square<double>(content.data(), side_), mirrored, more);
  } else {
    make_dominant(square<float>(content.data(), side_), mirrored, more);
  }
}

void Factorisation::run(const TaskGraph& graph, TaskGraph::Index task,
                        std::span<std::byte* const> at) const {
  const std::string& kind = graph.kind_name(task);
  const auto [i, j] = block(DataId{graph.inputs(task).back()});
  const bool twice = precision_ == Precision::fp64;
  if (kind_ == Kind::lu) {
    twice ? lu_task<double>(kind, j > i, side_, at) : lu_task<float>(kind, j > i, side_, at);
  } else {
    twice ? cholesky_task<double>(kind, side_, at) : cholesky_task<float>(kind, side_, at);
  }
}

}  // namespace damocles
