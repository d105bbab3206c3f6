#include "ode/static_prediction.hpp"

#include "models/column_partition.hpp"
#include "ode/predictor.hpp"

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

namespace {

const Register static_predictor{Predictor{
    .name = "static-columns",
    .said = {{"refined",
              [](const Model&, const Problem& problem, std::span<const double>, double) {
                return predict_static_columns(problem);
              },
              // Partitions of 10^6 processors take 10 s each; of equal ones as of others.
              [](const Model&, const Problem& problem, double) {
                return problem.dimensions() == 2 ? std::optional<std::string>("") : std::nullopt;
              }}}}};

}  // namespace
}  // namespace damocles
