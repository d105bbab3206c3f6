#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/recommend/race.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// What is to be least.
enum class Goal : std::uint8_t { time, bytes, energy };

/// A strategy, and what a model predicts of the goal.
struct Expected {
  std::string strategy;
  double value = 0;
};

/// How the recommended strategy stands where something is not as expected.
struct Doubt {
  std::string change;
  std::string best;   ///< of the few that were best in the race
  double behind = 0;  ///< by how much the recommended one is worse than that, relative
};

/// Which strategy to use, and how sure that is.
struct Advice {
  Goal goal = Goal::time;
  Race race;
  std::vector<Expected> predicted_losers;  ///< left out of the race, the best first
  double bound = 0;                        ///< on the goal, of any schedule; 0 where none is known
  std::vector<Doubt> doubts;
  /// The best of those that StarPU has, and what StarPU calls it; nothing where none ran.
  std::optional<std::string> of_starpu{};
  std::string starpu_name{};
};

/// How much is tried.
struct AdviceTerms {
  std::chrono::duration<double> within{};
  bool predicting = true;  ///< predicted losers are not simulated
  bool doubting = true;    ///< what is not as expected is tried too
};

/// Predicts the experiment's strategies where models can, and lets the others race. @throws
/// InvalidInput as race(), and where the platform does not say what is to be least
[[nodiscard]] Advice advise(const Experiment& experiment, Goal goal, const AdviceTerms& terms);

/// What STARPU_SCHED calls our strategy, or "" where StarPU's releases have none like it.
[[nodiscard]] std::string name_in_starpu(const std::string& strategy);

/// In sentences, then a table of the best ones.
[[nodiscard]] std::string recommendation_text(const Experiment& experiment, const Advice& answer);
[[nodiscard]] std::string recommendation_json(const Experiment& experiment, const Advice& answer);

}  // namespace damocles
