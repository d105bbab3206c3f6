#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace damocles {

/// What one processor computes of a matrix product under a static partition: the tasks (i, j, l)
/// with first[0] <= i < last[0], first[1] <= j < last[1], first[2] <= l < last[2].
struct Cuboid {
  std::array<std::uint64_t, 3> first{};
  std::array<std::uint64_t, 3> last{};

  [[nodiscard]] std::uint64_t side(std::size_t dimension) const {
    return last[dimension] - first[dimension];
  }
  [[nodiscard]] std::uint64_t tasks() const { return side(0) * side(1) * side(2); }
  /// What it reads, A_il, B_lj and C_ij: three of its faces, 0 where no task is in it.
  [[nodiscard]] std::uint64_t data() const {
    if (tasks() == 0) return 0;
    return side(0) * side(2) + side(2) * side(1) + side(0) * side(1);
  }
};

}  // namespace damocles
