#include "ode/model.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/error.hpp"
#include "ode/reduced_chain.hpp"

namespace damocles {
namespace {

std::string without_work(const Problem& problem, double) {
  return problem.tasks() < problem.processors() ? "there are fewer tasks than processors" : "";
}

std::string off_squares(const Problem& problem, double beta) {
  if (auto why = without_work(problem, beta); !why.empty()) return why;
  if (!problem.square()) return "the paper's formulas are of equal extents, m = n = k";
  return std::isinf(beta) ? "the paper's formulas have no limit for beta to infinity" : "";
}

std::string without_field(const Problem& problem, double) {
  return has_mean_field(problem) ? "" : "a mean field takes 4 tasks a processor or more";
}

std::string beyond_refined(const Problem& problem, double beta) {
  std::string why = without_field(problem, beta);
  if (!why.empty() || !needs_chain(problem, beta) || problem.processors() == 1) return why;
  const double steps = chain_steps(problem);
  return steps <= longest_chain
             ? ""
             : fmt::format("the chain that it samples has {:.2g} steps here, of {:.2g} at most",
                           steps, longest_chain);
}

}  // namespace

bool has_mean_field(const Problem& problem) {
  const double processors = problem.processors();
  return processors == 1 || problem.tasks() >= 4 * processors;
}

const std::vector<Model>& models() {
  static const std::vector<Model> all{
      {"paper", "HPDC'14 as printed, first order in the relative speeds", predict_paper,
       off_squares},
      {"corrected", "the same with the factor 1/3 the printed matrix formula lacks",
       predict_corrected, off_squares},
      {"exact", "closed form of the ODEs, nothing expanded", predict_exact, without_work},
      {"refined", "phase 2 as it happens, finite-size corrections, a band", predict_refined,
       beyond_refined},
      {"ode", "the mean field integrated, speeds that drift and clusters of open tasks included",
       predict_ode, without_field},
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
