#include <algorithm>

#include "models/rng.hpp"
#include "models/workloads/family.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// T(l,i) of layer l writes A(l+1,i) and reads some A(l,...).
IndexNames layered_names(std::uint64_t width) {
  return {.extents = {width},
          .task =
              [](const IndexNames::Extents& extents, const IndexNames::Task& task) {
                return indexed_name("T", task.number / extents[0], task.number % extents[0]);
              },
          .data =
              [](const IndexNames::Extents& extents, std::uint64_t data) {
                return indexed_name("A", data / extents[0], data % extents[0]);
              }};
}

/// Layers of `width` tasks. Each task reads the results of `reads` tasks of the layer before,
/// drawn without repeat, and writes its own; the first layer reads as many tiles that are there.
TaskGraph::Parts layered_tasks(std::uint64_t width, std::uint64_t layers, std::uint64_t reads,
                               const Tiling& tiling, std::uint64_t seed) {
  TaskGraph::Parts parts;
  parts.index_names = layered_names(width);
  parts.bytes.assign(width * (layers + 1), tiling.tile_bytes());
  std::vector<Access> how(reads, Access::read);
  how.push_back(Access::write);
  Rng rng(seed, Draw::workload, 0);
  std::vector<Index> before(width);  // the layer before; its first `reads` are drawn anew each time
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    for (std::uint64_t i = 0; i < width; ++i) before[i] = static_cast<Index>(layer * width + i);
    for (std::uint64_t i = 0; i < width; ++i) {
      for (std::uint64_t r = 0; r < reads; ++r)
        std::swap(before[r], before[r + rng.below(width - r)]);
      std::vector<Index> tiles(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(reads));
      tiles.push_back(static_cast<Index>((layer + 1) * width + i));
      parts.add_task(tiles, how, 2 * tiling.cube());
    }
  }
  return parts;
}

Workload layered(const Spec& spec) {
  constexpr std::uint64_t most_a_layer = 100'000;
  constexpr std::uint64_t most_reads = 64;
  const auto width = side(spec, most_a_layer);
  const auto layers = spec.integer("layers", 1, most_a_layer).value_or(width);
  const auto reads = spec.integer("reads", 1, std::min(most_reads, width))
                         .value_or(std::min<std::uint64_t>(2, width));
  const auto tasks = static_cast<double>(width) * static_cast<double>(layers);
  const MemoryPromise memory = promise(spec, tasks, static_cast<double>(reads + 1) * tasks);
  return prioritised(spec, layered_tasks(width, layers, reads, tiling(spec), seed_in(spec)));
}

const Register layered_family{WorkloadFamily{
    .name = "layered",
    .place = 8,
    .keys = {"n", "layers", "reads", "tile", "precision", "seed"},
    .forms =
        {{"layered:n=N,layers=L",
          "L layers of N tasks; each multiplies two tiles, drawn at random from the results of "
          "the layer before; also reads=, tile=, precision=, seed="}},
    .make = layered}};

}  // namespace
}  // namespace damocles
