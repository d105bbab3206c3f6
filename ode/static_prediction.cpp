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
    .predict = [](const Model& model, const Problem& problem, std::span<const double>,
                  double) -> std::optional<Prediction> {
      if (model.name == "refined") return predict_static_columns(problem);
      return std::nullopt;
    },
    // Partitions of 10^6 processors take 10 s each; of equal ones as of others.
    .silent = [](const Model& model, const Problem& problem, double) -> std::optional<std::string> {
      if (model.name == "refined" && problem.dimensions() == 2) return "";
      return std::nullopt;
    }}};

}  // namespace
}  // namespace damocles
