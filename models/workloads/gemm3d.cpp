// Products of square tiles, three-dimensional grids of tasks.

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "models/workloads/family.hpp"

namespace damocles {
namespace {

ReadsC reads_c(const Spec& spec) {
  constexpr std::array<std::pair<std::string_view, ReadsC>, 4> values{
      {{"no", ReadsC::no}, {"yes", ReadsC::yes}, {"later", ReadsC::later}, {"made", ReadsC::made}}};
  const std::string c = spec.word("c").value_or("no");
  for (const auto& [word, value] : values) {
    if (c == word) return value;
  }
  spec.refuse(fmt::format(
      "c must be no, yes, later (all tasks of a tile read C but the first) or made (the first makes it, the others update it), not '{}'",
      c));
}

Workload gemm3d(const Spec& spec) {
  const auto n = side(spec, max_side);
  const auto m = side_or(spec, "m", n, max_side);
  const auto k = side_or(spec, "k", n, max_side);
  const Tiling tiles = tiling(spec);
  // With C the tasks are those of the matrix product: a grid, until somebody shuffles it.
  Workload grid = Workload::grid(
      spec.text(), m, n, k,
      {.bytes = tiles.tile_bytes(), .flops = 2 * tiles.cube(), .output_bytes = tiles.tile_bytes()},
      {.tile = tiles.tile, .depth = tiles.tile});
  Structure structure = grid.structure();
  structure.reads_c = reads_c(spec);
  const Access updates = update_access(spec, structure.reads_c == ReadsC::made,
                                       "without c=made: no task waits for another; add it");
  if (structure.reads_c == ReadsC::yes && !random_order(spec)) return grid;
  if (grid.tasks() > std::uint64_t{1} << 29U) {
    spec.refuse("has more than 2^29 tasks; make m n k smaller");
  }
  const auto tasks = static_cast<double>(grid.tasks());
  const MemoryPromise memory = promise(spec, tasks, 2 * tasks);
  if (structure.reads_c == ReadsC::made) {
    refuse_random_order(spec, "c=made");
    return prioritised(spec, product_3d(m, n, k, structure.reads_c, tiles, updates), structure);
  }
  return workload_of(spec, product_3d(m, n, k, structure.reads_c, tiles), structure);
}

const Register gemm3d_family{WorkloadFamily{
    .name = "gemm3d",
    .place = 4,
    .keys = {"n", "m", "k", "c", "updates", "tile", "precision", "order", "seed"},
    .forms =
        {{"gemm3d:n=N",
          "tiles of A times tiles of B: N^3 tasks, 2 inputs of 3.7 MB (tile=960); c=yes: every "
          "task also reads its tile of C; c=later: all tasks of a tile but the first read it; "
          "c=made: the first task creates the tile, the others depend on it and update it, "
          "updates= as cholesky; also m=, k=, precision=, order="}},
    .make = gemm3d,
    .sides = {"n", "m", "k"}}};

}  // namespace
}  // namespace damocles
