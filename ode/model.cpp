#include "ode/model.hpp"

#include <cmath>

#include "models/error.hpp"

namespace damocles {
namespace {

bool finite_on_squares(const Problem& problem, double beta) {
  return problem.square() && !std::isinf(beta);
}

bool always(const Problem&, double) { return true; }

}  // namespace

bool has_mean_field(const Problem& problem) {
  const double processors = problem.processors();
  return processors == 1 || problem.tasks() >= 4 * processors;
}

const std::vector<Model>& models() {
  static const auto fields = [](const Problem& problem, double) { return has_mean_field(problem); };
  static const std::vector<Model> all{
      {"paper", "HPDC'14 as printed, first order in the relative speeds", predict_paper,
       finite_on_squares},
      {"corrected", "the same with the factor 1/3 the printed matrix formula lacks",
       predict_corrected, finite_on_squares},
      {"exact", "closed form of the ODEs, nothing expanded", predict_exact, always},
      {"refined", "phase 2 as it happens, finite-size corrections, a band", predict_refined,
       fields},
      {"ode", "the mean field integrated, speeds that drift and clusters of open tasks included",
       predict_ode, fields},
  };
  return all;
}

const Model& model_named(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& model : models()) {
    if (model.name == name) return model;
    names.push_back(model.name);
  }
  refuse_unknown("model", name, names);
}

}  // namespace damocles
