#include "ode/model.hpp"

#include "models/error.hpp"

namespace damocles {

const std::vector<Model>& models() {
  static const std::vector<Model> all{
      {"paper", "HPDC'14 as printed, first order in the relative speeds", predict_paper},
      {"corrected", "the same with the factor 1/3 the printed matrix formula lacks",
       predict_corrected},
      {"exact", "closed form of the ODEs, nothing expanded", predict_exact},
      {"refined", "phase 2 as it happens, finite-size corrections, a band", predict_refined},
      {"ode", "the mean field integrated, speeds that drift and clusters of open tasks included",
       predict_ode},
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
