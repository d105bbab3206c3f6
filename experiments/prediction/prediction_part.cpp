#include "experiments/studies/prediction_part.hpp"

#include <algorithm>

#include "experiments/prediction/predictions.hpp"
#include "experiments/prediction/thresholds.hpp"
#include "models/error.hpp"
#include "models/spec.hpp"
#include "models/unknown_key.hpp"
#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/model.hpp"

namespace damocles {
namespace {

std::vector<std::string> chosen_models(const std::string& list,
                                       const std::optional<MachineModel>& machine) {
  if (list == "all") return machine ? Table<LimitedModel>::names() : Table<Model>::names();
  std::vector<std::string> known = Table<Model>::names();
  for (const auto& model : Table<LimitedModel>::entries()) known.push_back(model.name);
  std::vector<std::string> chosen = once_each(split_specs(list));
  for (const auto& name : chosen) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    refuse_unknown(Model::what, name, known, command_to_list(Model::list));
  }
  return chosen;
}

void list_models(std::vector<std::vector<std::string>>& rows) {
  for (const auto& model : models()) rows.push_back({model.name, model.summary});
  for (const auto& model : Table<LimitedModel>::entries()) {
    rows.push_back({model.name, model.summary + " (limited memory)"});
  }
}

}  // namespace

extern "C" const PredictionPart* damocles_prediction_part() {
  static const PredictionPart part{chosen_models, why_no_prediction, prediction, automatic_beta,
                                   list_models};
  return &part;
}

}  // namespace damocles
