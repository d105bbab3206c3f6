#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/table.hpp"
#include "ode/domain.hpp"
#include "ode/problem.hpp"

namespace damocles {

/// A predicted volume, in data loaded.
struct Prediction {
  double loads = 0;                    ///< expected, all processors
  double phase1_loads = 0;             ///< of which in phase 1
  double phase1_fraction = 0;          ///< share of the tasks granted in phase 1
  std::optional<double> sd_loads;      ///< standard deviation over runs, where the model has one
  std::optional<double> makespan_s{};  ///< where it says how long the run takes [s]
};

/// One way to predict `dynamic-2phases`.
struct Model {
  static constexpr const char* what = "model";
  static constexpr const char* list = "models";
  std::string name;
  int place = 0;  ///< in lists
  std::string summary;
  /// @param beta  phase 2 starts with e^(-beta) of the tasks open; > 0, infinity for `dynamic`
  /// @return      nothing where the model does not say: where why_unavailable() has a reason, or
  /// where the
  ///              speeds and beta lie outside what a formula was expanded for and it gives less
  ///              than the lower bound (paper, corrected)
  std::optional<Prediction> (*predict)(const Problem& problem, double beta);
  /// Why predict() says nothing for any speeds, or "", at no cost.
  std::string (*why_unavailable)(const Problem& problem, double beta);
  /// Whether it knows that the strategy switches at a whole number of tasks: predict() is the same
  /// for all beta of one Problem::tasks_left(). The others are smooth in beta.
  bool counts_tasks = false;
  /// Where its predictions of `dynamic` and `dynamic-2phases` were compared with simulation.
  std::optional<ValidatedDomain> domain{};
};

/// At most what a run may load: each processor every data item once, where memory is unlimited. The
/// closed forms of phase 2 count an item as often as a task of it is drawn.
[[nodiscard]] inline double possible_loads(const Problem& problem, double loads) {
  return std::min(loads, problem.processors() * static_cast<double>(problem.workload().data()));
}

/// Why there is nothing to predict where processors are more than tasks, or "".
[[nodiscard]] std::string without_work(const Problem& problem, double beta);
/// Why there is no mean field, or "".
[[nodiscard]] std::string without_field(const Problem& problem, double beta);
/// Whether there are enough tasks a processor, 4, for a mean field, or but one processor.
[[nodiscard]] bool has_mean_field(const Problem& problem);

/// HPDC'14 as printed: Theorem 6 and section 4.2, first order in rs_k.
std::optional<Prediction> predict_paper(const Problem& problem, double beta);
/// The same with the third that the printed matrix formula lacks (docs/explanation/theory.md,
/// section 3).
std::optional<Prediction> predict_corrected(const Problem& problem, double beta);
/// Without expansion: x_k^d = 1 - e^(-beta rs_k); phase 2 loads 2/(1+x_k) or 3(1-x_k^2)/(1-x_k^3) a
/// task.
std::optional<Prediction> predict_exact(const Problem& problem, double beta);
/// Phase 2 as it happens, with finite-size corrections, and a band (docs/explanation/theory.md,
/// sections 5 to 8).
std::optional<Prediction> predict_refined(const Problem& problem, double beta);

/// The mean field integrated, also where speeds drift (docs/explanation/theory.md, section 11).
std::optional<Prediction> predict_ode(const Problem& problem, double beta);

/// paper, corrected, exact, refined, ode.
[[nodiscard]] inline const std::vector<Model>& models() { return Table<Model>::entries(); }
/// @throws InvalidInput on an unknown name
[[nodiscard]] inline const Model& model_named(std::string_view name) {
  return Table<Model>::named(name);
}

}  // namespace damocles
