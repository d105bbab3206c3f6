// What `damocles beta` answers where the platform limits memory.

#pragma once

#include <string>

#include "experiments/progress.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/results/value_table.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// @pre the model of dynamic-2phases speaks of the experiment, whose platform limits memory
/// @{
[[nodiscard]] std::string limited_beta_text(const Experiment& experiment, const TableStyle& style,
                                            const Progress& progress);
[[nodiscard]] std::string limited_beta_json(const Experiment& experiment, const Progress& progress);
/// The columns of `damocles beta`, so that plots of both are one.
[[nodiscard]] ValueTable limited_beta_rows(const Experiment& experiment, const Progress& progress);
/// @}

}  // namespace damocles
