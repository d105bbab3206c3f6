#include "models/task_lines.hpp"

namespace damocles {

TaskLines::TaskLines(const Workload& workload, const Zone& zone)
    : workload_(&workload),
      shape_(zone),
      lines_(zone.tasks() == 0 ? 0 : zone.rows_end() - zone.around.first_row),
      tasks_(zone.tasks()),
      data_(zone.data()) {}

TaskLines::TaskLines(const Workload& workload, const Cuboid& cuboid)
    : workload_(&workload),
      shape_(cuboid),
      lines_(cuboid.tasks() == 0 ? 0 : cuboid.side(0) * cuboid.side(1)),
      tasks_(cuboid.tasks()),
      data_(cuboid.data()) {}

TaskLines::Line TaskLines::line(std::uint64_t index) const {
  if (const auto* const zone = std::get_if<Zone>(&shape_)) {
    const std::uint64_t i = zone->around.first_row + index;
    const std::uint64_t j = zone->around.first_column;
    return {workload_->task(i, j), zone->last_column(i) - j};
  }
  const auto& cuboid = std::get<Cuboid>(shape_);
  const std::uint64_t i = cuboid.first[0] + index / cuboid.side(1);
  const std::uint64_t j = cuboid.first[1] + index % cuboid.side(1);
  return {workload_->task(i, j, cuboid.first[2]), cuboid.side(2)};
}

Cuboid TaskLines::around() const {
  if (const auto* const cuboid = std::get_if<Cuboid>(&shape_)) return *cuboid;
  const Rectangle& around = std::get<Zone>(shape_).around;
  return {{around.first_row, around.first_column, 0}, {around.last_row, around.last_column, 1}};
}

}  // namespace damocles
