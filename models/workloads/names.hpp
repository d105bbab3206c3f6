#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace damocles {

/// What a family of workloads calls its tasks and data: by their indices, worked out when somebody
/// asks, as a grid may have 2^40 tasks. Indices count from 0.
struct IndexNames {
  using Extents = std::array<std::uint64_t, 3>;
  struct Task {
    std::uint64_t number = 0;
    std::string_view kind{};            ///< "" where there is none
    std::vector<std::uint64_t> data{};  ///< that it accesses, in the order of TaskGraph::inputs()
  };

  Extents extents{};
  /// By its data where tasks may be submitted in any order, else also by its number. Or none: T0.
  std::string (*task)(const Extents&, const Task&) = nullptr;
  std::string (*data)(const Extents&, std::uint64_t) = nullptr;  ///< or none: D0

  [[nodiscard]] std::string task_name(const Task& of) const;
  [[nodiscard]] std::string data_name(std::uint64_t of) const;
};

/// "A(5,2)"
[[nodiscard]] std::string indexed_name(std::string_view name, std::uint64_t i, std::uint64_t j);

/// Outer product of vectors, a of `m` blocks: a(i), b(j), T(i,j).
[[nodiscard]] IndexNames outer_names(std::uint64_t m);
/// Product of `m` panels of rows and panels of columns: A(i), B(j), GEMM(i,j).
[[nodiscard]] IndexNames panel_names(std::uint64_t m);
/// Product of m x k and k x n tiles: A(i,k), B(k,j), C(i,j), GEMM(i,j,k).
[[nodiscard]] IndexNames product_names(std::uint64_t m, std::uint64_t n, std::uint64_t k);
/// Tiles A(i,j) of the lower triangle, row by row: POTRF(k), TRSM(i,k), SYRK(i,k), GEMM(i,j,k).
[[nodiscard]] IndexNames cholesky_names();
/// All n x n tiles A(i,j), row by row: GETRF(k), TRSM(k,j), TRSM(i,k), GEMM(i,j,k).
[[nodiscard]] IndexNames lu_names(std::uint64_t n);

}  // namespace damocles
