#pragma once

#include <string>
#include <vector>

#include "experiments/explain/explanation.hpp"
#include "experiments/results/tables.hpp"

namespace damocles {

/// A run explained.
struct ExplainedAnswer {
  ExplainedRun run;
  Explanation why;
};

/// For a terminal: the findings in sentences, then the tables behind them. Of two runs also where
/// they part.
[[nodiscard]] std::string explanation_text(const std::vector<ExplainedAnswer>& answers,
                                           const TableStyle& style);

/// The same for programs, whole: `{"damocles": "explanation", "runs": [...], "difference": ...}`.
/// Times in seconds, sizes in bytes.
[[nodiscard]] std::string explanation_json(const std::vector<ExplainedAnswer>& answers);

}  // namespace damocles
