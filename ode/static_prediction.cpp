#include "ode/static_prediction.hpp"

#include "models/column_partition.hpp"
#include "models/cuboid_partition.hpp"
#include "models/nrrp_partition.hpp"
#include "ode/predictor.hpp"

namespace damocles {
namespace {

/// What the parts of a partition read: partition(workload, shares) says what they are.
template <class Partition>
std::optional<Prediction> read_by_parts(const Problem& problem, int dimensions,
                                        const Partition& partition) {
  if (problem.dimensions() != dimensions) return std::nullopt;
  std::vector<double> shares;
  for (const auto& group : problem.groups()) {
    shares.insert(shares.end(), static_cast<std::size_t>(group.count), group.share);
  }
  Prediction result{0, 0, 0, 0.0};
  for (const auto& part : partition(problem.workload(), shares)) {
    result.loads += static_cast<double>(part.data());
  }
  return result;
}

template <std::optional<Prediction> (*Predict)(const Problem&), int Dimensions>
Predictor predictor(const std::string& strategy) {
  return {.name = strategy,
          .rules = {{"refined",
                     [](const Model&, const Problem& problem, std::span<const double>, double,
                        const Spec&) { return Predict(problem); },
                     // Partitions of 10^6 processors take 10 s each; of equal ones as of others.
                     [](const Model&, const Problem& problem, double) {
                       return problem.dimensions() == Dimensions ? std::optional<std::string>("")
                                                                 : std::nullopt;
                     },
                     // Zones are counted, and are those of the first speeds.
                     []() -> std::optional<ValidatedDomain> {
                       return ValidatedDomain{.expected_error = 0, .limits = {}, .drift = true};
                     }}}};
}

const Register static_columns_predictor{predictor<predict_static_columns, 2>("static-columns")};
const Register static_nrrp_predictor{predictor<predict_static_nrrp, 2>("static-nrrp")};
const Register static_cuboids_predictor{predictor<predict_static_cuboids, 3>("static-cuboids")};

}  // namespace

std::optional<Prediction> predict_static_columns(const Problem& problem) {
  return read_by_parts(problem, 2, column_partition);
}

std::optional<Prediction> predict_static_nrrp(const Problem& problem) {
  return read_by_parts(problem, 2, nrrp_partition);
}

std::optional<Prediction> predict_static_cuboids(const Problem& problem) {
  return read_by_parts(problem, 3, cuboid_partition);
}

}  // namespace damocles
