#pragma once

#include <cstddef>

#include "ode/limited_memory/limited_run.hpp"

namespace damocles {

/// What one processor loads of a grid where panels of rows, or of columns, stay in memory while the
/// others stream past, there and back: data items. Of both ways the one that loads less.
/// Source: docs/explanation/limited_memory_theory.md, section 9.
/// @pre run.is_grid(), one processor, memory of 2 data items or more
[[nodiscard]] double loads_of_panels(const LimitedRun& run, std::size_t memory);

}  // namespace damocles
