// The rows that a sweep asks for.
#pragma once

#include <string>
#include <vector>

#include "experiments/commands/sweep_request.hpp"
#include "experiments/commands/sweep_summary.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// What a sweep makes, setting by setting, and what to say of it.
struct SweepStudy {
  std::vector<Job> jobs{};           ///< a row that several settings ask for is there for each
  std::vector<SweepPoint> points{};  ///< the settings
  std::vector<RoleOfFile> inputs{};  ///< files that were read
  /// Each text once; of precisions and rates only of the first such setting.
  std::vector<std::string> notes{};
};

/// @param quiet  whether to keep no notes but warnings
/// @throws InvalidInput where a setting is malformed, or the rows are too many
[[nodiscard]] SweepStudy study_of_sweep(const SweepRequest& request, bool quiet);

}  // namespace damocles
