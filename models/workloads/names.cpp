#include "models/workloads/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace damocles {
namespace {

using NameExtents = IndexNames::Extents;
using NamedTask = IndexNames::Task;

struct TilePlace {
  std::uint64_t row;
  std::uint64_t column;
};

TilePlace place_in_triangle(const NameExtents& /*extents*/, std::uint64_t tile) {
  auto row = static_cast<std::uint64_t>((std::sqrt(8 * static_cast<double>(tile) + 1) - 1) / 2);
  while (row * (row + 1) / 2 > tile) --row;  // rounded up
  while ((row + 1) * (row + 2) / 2 <= tile) ++row;
  return {row, tile - row * (row + 1) / 2};
}

TilePlace place_in_square(const NameExtents& extents, std::uint64_t tile) {
  return {tile / extents[0], tile % extents[0]};
}

/// A kernel of a factorisation has the place of the tile that it updates. In step k a kernel on the
/// diagonal has no other index; GEMM and SYRK have k besides.
template <TilePlace (*Place)(const NameExtents&, std::uint64_t)>
std::string kernel_name(const NameExtents& extents, const NamedTask& task) {
  const TilePlace first = Place(extents, task.data.front());
  const TilePlace last = Place(extents, task.data.back());
  const std::uint64_t k = std::min(first.row, first.column);
  if (task.data.size() == 1) return fmt::format("{}({})", task.kind, k);
  if (task.data.size() == 3) {
    return fmt::format("{}({},{},{})", task.kind, last.row, last.column, k);
  }
  const bool updates_diagonal = last.row == last.column;
  return indexed_name(task.kind, last.row, updates_diagonal ? k : last.column);
}

template <TilePlace (*Place)(const NameExtents&, std::uint64_t)>
std::string tile_name(const NameExtents& extents, std::uint64_t data) {
  const auto [row, column] = Place(extents, data);
  return indexed_name("A", row, column);
}

std::string product_task(const NameExtents& extents, const NamedTask& task) {
  const auto [m, n, k] = extents;
  return fmt::format("GEMM({},{},{})", task.data[0] / k, (task.data[1] - m * k) % n,
                     task.data[0] % k);
}

std::string product_data(const NameExtents& extents, std::uint64_t data) {
  const auto [m, n, k] = extents;
  if (data < m * k) return indexed_name("A", data / k, data % k);
  data -= m * k;
  if (data < k * n) return indexed_name("B", data / n, data % n);
  data -= k * n;
  return indexed_name("C", data / n, data % n);
}

}  // namespace

std::string IndexNames::task_name(const Task& of) const {
  return task == nullptr ? fmt::format("T{}", of.number) : task(extents, of);
}

std::string IndexNames::data_name(std::uint64_t of) const {
  return data == nullptr ? fmt::format("D{}", of) : data(extents, of);
}

std::string indexed_name(std::string_view name, std::uint64_t i, std::uint64_t j) {
  return fmt::format("{}({},{})", name, i, j);
}

IndexNames outer_names(std::uint64_t m) {
  return {.extents = {m},
          .task =
              [](const NameExtents& extents, const NamedTask& task) {
                return indexed_name("T", task.data[0], task.data[1] - extents[0]);
              },
          .data =
              [](const NameExtents& extents, std::uint64_t data) {
                const bool is_a = data < extents[0];
                return fmt::format("{}({})", is_a ? 'a' : 'b', is_a ? data : data - extents[0]);
              }};
}

IndexNames panel_names(std::uint64_t m) {
  return {.extents = {m},
          .task =
              [](const NameExtents& extents, const NamedTask& task) {
                return indexed_name("GEMM", task.data[0], task.data[1] - extents[0]);
              },
          .data =
              [](const NameExtents& extents, std::uint64_t data) {
                const bool is_a = data < extents[0];
                return fmt::format("{}({})", is_a ? 'A' : 'B', is_a ? data : data - extents[0]);
              }};
}

IndexNames product_names(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  return {.extents = {m, n, k}, .task = product_task, .data = product_data};
}

IndexNames cholesky_names() {
  return {.task = kernel_name<place_in_triangle>, .data = tile_name<place_in_triangle>};
}

IndexNames lu_names(std::uint64_t n) {
  return {.extents = {n}, .task = kernel_name<place_in_square>, .data = tile_name<place_in_square>};
}

}  // namespace damocles
