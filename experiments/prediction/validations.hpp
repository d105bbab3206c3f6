// What to tell of the models behind predicted rows: where they were validated, and their errors.

#pragma once

#include <string>
#include <vector>

#include "experiments/studies/study.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// A line for each model and domain among the predicted records: what the model was validated for,
/// and how far it was off there; "" without predictions.
/// @param experiment  which the records answer
[[nodiscard]] std::string validated_domains(const std::vector<Record>& records,
                                            const Experiment& experiment);

/// The same in short: the error to expect of each model; "" without predictions.
[[nodiscard]] std::string expected_errors(const std::vector<Record>& records,
                                          const Experiment& experiment);

}  // namespace damocles
