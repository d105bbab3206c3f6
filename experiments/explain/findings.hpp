#pragma once

#include <string>
#include <vector>

#include "experiments/explain/explanation.hpp"

namespace damocles {

/// What there is to say of a run, one sentence or two each: its loads and their main cause, its
/// idle time, its critical path, and what would help.
[[nodiscard]] std::vector<std::string> findings(const ExplainedRun& run,
                                                const Explanation& explanation);

/// Where two runs part, in sentences.
[[nodiscard]] std::vector<std::string> findings(const ExplainedRun& a, const ExplainedRun& b,
                                                const Difference& difference);

/// What a term says, in a few words for a table.
[[nodiscard]] std::string meaning(LoadTerm term);
[[nodiscard]] std::string meaning(IdleReason reason);

}  // namespace damocles
