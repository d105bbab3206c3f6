#pragma once

#include <string>

#include "experiments/studies/study.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// Version, and a digest of the sources of all rooms, as 0.1.0+1f3870be274f. An edit of the code
/// changes it, committed or not; one of documents, tests or plots does not.
[[nodiscard]] std::string version_of_sources();

/// Who makes the rows: the version of the sources and of each plug-in that is loaded, as
/// 0.1.0+1f3870be274f+plugin.5eb63bbbe01e.
[[nodiscard]] std::string program_version();

/// What a row of the experiment depends on beyond the specs it was asked with, as
/// `workload=DIGEST platform=DIGEST times=DIGEST scheduling=charged`: what was in the files that
/// they name, and options without a column; to which a row adds `placement=DIGEST`, of the file
/// that its strategy reads. Empty where the other columns say all.
[[nodiscard]] std::string inputs_of(const Experiment& experiment);

/// All that identifies a row, unmistakably: two rows have one key only where each of source, model,
/// strategy, workload, platform, seed, replicate, inputs and version is the same.
[[nodiscard]] std::string key(const Record& record);

/// The same without inputs and version: what was asked, whoever answered, from whatever files.
[[nodiscard]] std::string request(const Record& record);

/// The same for eyes: "random on outer:n=9, homogeneous:p=2, seed 1, replicate 0".
[[nodiscard]] std::string name_of_row(const Record& record);

}  // namespace damocles
