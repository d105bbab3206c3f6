#pragma once

#include <vector>

#include "models/runs/record.hpp"

namespace damocles {

/// One row a (source, model, strategy, workload, platform): means, n, sd and 95 % confidence
/// interval of the volume ratio (Student's t). A mean of counts is rounded to a whole number; other
/// values keep where all rows agree.
[[nodiscard]] std::vector<Record> summarise(const std::vector<Record>& records);

}  // namespace damocles
