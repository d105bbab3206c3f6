#pragma once

#include <nlohmann/json_fwd.hpp>
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
[[nodiscard]] nlohmann::ordered_json explanation_object(
    const std::vector<ExplainedAnswer>& answers);
/// That object as output files hold it.
[[nodiscard]] std::string explanation_json(const std::vector<ExplainedAnswer>& answers);

}  // namespace damocles
