#pragma once

#include <vector>

#include "ode/problem.hpp"

namespace damocles {

/// A kind of data: a, b, or A, B, C. It has the indices `of`, and its tasks run over `along`.
struct DataKind {
  std::vector<int> of;
  int along;

  /// Data of this kind.
  [[nodiscard]] double count(const Problem& problem) const;
};

/// Of the outer (2) or the matrix product (3).
[[nodiscard]] const std::vector<DataKind>& data_kinds(int dimensions);

}  // namespace damocles
