#pragma once

#include <string>
#include <vector>

#include "experiments/measured/comparison.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/tables.hpp"

namespace damocles {

/// Every point, ours beside measured: table, CSV or JSON.
[[nodiscard]] std::string points_view(const std::vector<Compared>& compared, Format format,
                                      const TableStyle& style);
/// Every group's deviations: median, p90, worst.
[[nodiscard]] std::string groups_view(const std::vector<ComparedGroup>& groups, Format format,
                                      const TableStyle& style);

using CellRows = std::vector<std::vector<std::string>>;
/// Of every group with predictions: the deviations of the models, and of the simulator on the same
/// points. Header first; nothing below it where nothing is predicted.
[[nodiscard]] CellRows predicted_table(const std::vector<ComparedGroup>& groups);

/// Why points have no counterpart, and whose they are.
struct Reason {
  std::string text;
  std::vector<std::string> strategies;  ///< the authors' names
  std::size_t points = 0;
};
[[nodiscard]] std::vector<Reason> reasons(const std::vector<ComparedGroup>& groups);

/// What a point belongs to: its figure; with the session where that is not the published one; the
/// session alone where no figure shows it.
[[nodiscard]] std::string place_of(const Measurement& point);
/// "1.3 / 2.4 / -5.0 %": median, p90, worst.
[[nodiscard]] std::string spread_cell(const std::optional<Spread>& of);

}  // namespace damocles
