#include "ode/static_prediction.hpp"

#include "models/column_partition.hpp"

namespace damocles {

std::optional<Prediction> predict_static_columns(const Problem& problem) {
  if (problem.dimensions() != 2) return std::nullopt;
  std::vector<double> shares;
  for (const auto& group : problem.groups()) {
    shares.insert(shares.end(), static_cast<std::size_t>(group.count), group.share);
  }
  Prediction result{0, 0, 0, 0.0};
  for (const auto& rectangle : column_partition(problem.workload(), shares)) {
    result.loads += static_cast<double>(rectangle.data());
  }
  return result;
}

}  // namespace damocles
