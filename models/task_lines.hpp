#pragma once

#include <cstdint>
#include <variant>

#include "models/cuboid.hpp"
#include "models/workload.hpp"
#include "models/zone.hpp"

namespace damocles {

/// The tasks of one zone of a static partition in the order in which its processor computes them:
/// row by row, a line being neighbours in the numbering of the grid.
class TaskLines {
 public:
  struct Line {
    TaskId first;
    std::uint64_t tasks;
  };

  TaskLines(const Workload& workload, const Zone& zone);
  TaskLines(const Workload& workload, const Cuboid& cuboid);

  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] std::uint64_t tasks() const { return tasks_; }
  [[nodiscard]] Line line(std::uint64_t index) const;
  /// What it reads, as its zone says.
  [[nodiscard]] std::uint64_t data() const { return data_; }
  /// The first index of each dimension in it, and the one behind the last; of an L, of the
  /// rectangle around it.
  [[nodiscard]] Cuboid around() const;

 private:
  const Workload* workload_;
  std::variant<Zone, Cuboid> shape_;
  std::uint64_t lines_;
  std::uint64_t tasks_;
  std::uint64_t data_;
};

}  // namespace damocles
