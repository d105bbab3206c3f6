#include "models/workloads/family.hpp"

namespace damocles {
namespace {

ReadsC reads_c(const Spec& spec) {
  const std::string c = spec.word("c").value_or("no");
  if (c != "no" && c != "yes" && c != "later") {
    spec.refuse("c must be no, yes or later (all tasks of a tile but the first), not '" + c + "'");
  }
  return c == "no" ? ReadsC::no : c == "yes" ? ReadsC::yes : ReadsC::later;
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
  if (structure.reads_c == ReadsC::yes && !random_order(spec)) return grid;
  if (grid.tasks() > std::uint64_t{1} << 29U) {
    spec.refuse("has more than 2^29 tasks; make m n k smaller");
  }
  const auto tasks = static_cast<double>(grid.tasks());
  const MemoryPromise memory = promise(spec, tasks, 2 * tasks);
  return workload_of(spec, product_3d(m, n, k, structure.reads_c, tiles), structure);
}

const Register gemm3d_family{WorkloadFamily{
    .name = "gemm3d",
    .place = 4,
    .keys = {"n", "m", "k", "c", "tile", "precision", "order", "seed"},
    .forms = {{"gemm3d:n=N",
               "tiles of A times tiles of B: N^3 tasks, 2 inputs of 3.7 MB (tile=960); c=yes reads "
               "C too, c=later in all tasks of a tile but the first; also m=, k=, precision=, "
               "order="}},
    .make = gemm3d}};

}  // namespace
}  // namespace damocles
