#include <utility>
#include <vector>

#include "models/cuboid_partition.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// The static basis of comparison of the matrix product, which knows every speed: one cuboid a
/// processor, as cuboid_partition cuts them, given whole at its first request, row by row. Drifting
/// speeds (dyn.x) are taken as they are at the start.
///
/// Source: after Beaumont, Eyraud-Dubois, Lambert, Euro-Par 2016; the choice of the cuts is ours.
class StaticCuboids final : public Strategy {
 public:
  explicit StaticCuboids(const StrategyContext& context)
      : workload_(context.workload),
        cuboids_(cuboid_partition(context.workload, context.platform.relative_speeds())) {}

  void request(ProcessorId processor, Grant& grant) override {
    const Cuboid mine = std::exchange(cuboids_[raw(processor)], {});
    if (mine.tasks() == 0) return;
    const auto& [i0, j0, l0] = mine.first;
    const auto& [i1, j1, l1] = mine.last;
    for (auto i = i0; i < i1; ++i) {
      for (auto l = l0; l < l1; ++l) grant.loads.push_back(workload_.data_A(i, l));
    }
    for (auto l = l0; l < l1; ++l) {
      for (auto j = j0; j < j1; ++j) grant.loads.push_back(workload_.data_B(l, j));
    }
    for (auto i = i0; i < i1; ++i) {
      for (auto j = j0; j < j1; ++j) {
        grant.loads.push_back(workload_.data_C(i, j));
        grant.tasks.add_range(workload_.task(i, j, l0), l1 - l0);
      }
    }
  }

 private:
  const Workload& workload_;
  std::vector<Cuboid> cuboids_;
};

const Register static_cuboids_entry{StrategyEntry{
    .name = "static-cuboids",
    .source = "after Beaumont, Eyraud-Dubois, Lambert, Euro-Par 2016",
    .summary = "Partition the grid into one cuboid per processor, recursively; needs speeds",
    .make = make<StaticCuboids>,
    .unsupported_reason = [](const Workload& workload) -> std::string {
      if (workload.dimensions() == 3) return {};
      return "a partition into cuboids is defined for the matrix product only; use matrix:n=20, or gemm3d:n=20,c=yes where memory is limited";
    },
    .loads_ahead = true,
    .whole_graph = true}};

}  // namespace
}  // namespace damocles
