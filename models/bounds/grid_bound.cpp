#include "models/bounds/grid_bound.hpp"

#include <algorithm>
#include <cmath>

namespace damocles {

std::array<double, 3> cheapest_box(const Workload& workload, double tasks) {
  const int dimensions = workload.dimensions() == 2 ? 2 : 3;
  std::array<double, 3> sides{1, 1, 1};
  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.begin() + dimensions,
            [&](int a, int b) { return workload.extent(a) < workload.extent(b); });
  // Shortest extent first: a side is the root of what is left, or the extent where that is shorter.
  double left = tasks;
  for (int done = 0; done < dimensions; ++done) {
    const int index = order[static_cast<std::size_t>(done)];
    const double root = done + 1 == dimensions   ? left
                        : done + 2 == dimensions ? std::sqrt(left)
                                                 : std::cbrt(left);
    const double side = std::min(root, static_cast<double>(workload.extent(index)));
    sides[static_cast<std::size_t>(index)] = side;
    if (side > 0) left /= side;
  }
  return sides;
}

double box_data(const Workload& workload, const std::array<double, 3>& sides) {
  const auto [a, b, c] = sides;
  return workload.dimensions() == 2 ? a + b : a * c + c * b + a * b;
}

double balanced_bound(const Workload& workload, std::span<const double> relative_speeds) {
  const auto tasks = static_cast<double>(workload.tasks());
  double bound = 0;
  for (const double share : relative_speeds) {
    bound += box_data(workload, cheapest_box(workload, share * tasks));
  }
  return bound;
}

double compulsory_loads(const Workload& workload) {
  if (workload.is_grid()) return static_cast<double>(workload.data());
  const TaskGraph& graph = workload.graph();
  std::uint64_t read = 0;
  for (std::size_t d = 0; d < graph.data(); ++d) {
    read += graph.read_from_home(static_cast<TaskGraph::Index>(d)) ? 1 : 0;
  }
  return static_cast<double>(read);
}

}  // namespace damocles
