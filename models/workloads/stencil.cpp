#include <fmt/format.h>

#include <array>

#include "models/workloads/family.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

constexpr double flops_a_point = 5;  // four sums and a product

/// Two matrices of tiles, A(i,j) and B(i,j); JACOBI(i,j,s) computes a tile in step s.
IndexNames stencil_names(std::uint64_t n) {
  return {.extents = {n},
          .task =
              [](const IndexNames::Extents& extents, const IndexNames::Task& task) {
                const std::uint64_t side = extents[0];
                return fmt::format("JACOBI({},{},{})", task.number / side % side,
                                   task.number % side, task.number / side / side);
              },
          .data =
              [](const IndexNames::Extents& extents, std::uint64_t data) {
                const std::uint64_t side = extents[0];
                return indexed_name(data < side * side ? "A" : "B", data / side % side,
                                    data % side);
              }};
}

/// Jacobi's 5-point stencil on n x n tiles: in each step a tile is computed from itself and its
/// neighbours, as the step before left them. Two matrices take turns.
TaskGraph::Parts stencil_steps(std::uint64_t n, std::uint64_t steps, const Tiling& tiling) {
  TaskGraph::Parts parts;
  parts.index_names = stencil_names(n);
  parts.bytes.assign(2 * n * n, tiling.tile_bytes());
  const auto tile = [n](std::uint64_t step, std::uint64_t i, std::uint64_t j) {
    return static_cast<Index>(step % 2 * n * n + i * n + j);
  };
  const double flops =
      flops_a_point * static_cast<double>(tiling.tile) * static_cast<double>(tiling.tile);
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::uint64_t i = 0; i < n; ++i) {
      for (std::uint64_t j = 0; j < n; ++j) {
        std::vector<Index> tiles{tile(step, i, j)};
        if (i > 0) tiles.push_back(tile(step, i - 1, j));
        if (j > 0) tiles.push_back(tile(step, i, j - 1));
        if (j + 1 < n) tiles.push_back(tile(step, i, j + 1));
        if (i + 1 < n) tiles.push_back(tile(step, i + 1, j));
        std::vector<Access> how(tiles.size(), Access::read);
        tiles.push_back(tile(step + 1, i, j));
        how.push_back(Access::write);
        parts.add_task(tiles, how, flops);
      }
    }
  }
  return parts;
}

Workload stencil(const Spec& spec) {
  constexpr std::uint64_t most_a_side = 1000;
  constexpr std::uint64_t most_steps = 100'000;
  const auto n = side(spec, most_a_side);
  const auto steps = spec.integer("steps", 1, most_steps).value_or(10);
  const auto tasks = static_cast<double>(n * n * steps);
  const MemoryPromise memory = promise(spec, tasks, 6 * tasks);
  return prioritised(spec, stencil_steps(n, steps, tiling(spec)));
}

const Register stencil_family{WorkloadFamily{
    .name = "stencil",
    .place = 7,
    .keys = {"n", "steps", "tile", "precision"},
    .forms =
        {{"stencil:n=N,steps=S",
          "S steps of Jacobi's 5-point stencil on N x N tiles: each task waits for its neighbours of the step before; also tile=, precision="}},
    .make = stencil}};

}  // namespace
}  // namespace damocles
