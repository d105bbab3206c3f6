#pragma once

#include <cstddef>
#include <optional>

#include "gpu/arithmetic/arithmetic.hpp"

namespace damocles {

/// How a workload multiplies matrices: the kernel of a task and the blocks it is applied to.
struct Multiplication {
  Kernel kernel;
  BlockProduct blocks;
};

/// Reads a workload as a product of matrices, from its indices or, where it is written out as a
/// graph, from its text; nothing where it is none.
[[nodiscard]] std::optional<Multiplication> multiplication_of(const Workload& workload,
                                                              const ArithmeticOptions& options);

}  // namespace damocles
