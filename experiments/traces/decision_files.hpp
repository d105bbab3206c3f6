#pragma once

#include <filesystem>
#include <string>

#include "models/runs/decisions.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// A recorded run: what was asked, and every decision.
struct Recording {
  Record record;  ///< source, strategy, workload, platform, seed, replicate, loads, inputs
  Decisions decisions;
  /// Its decisions have the times that were measured, and the record the makespan: of an executed
  /// run. Else they have none.
  bool measured = false;
};

/// Refuses early what could be written, but not be read again: more than 10^6 tasks.
void check_recording(const std::filesystem::path& path, std::uint64_t tasks);

/// Writes `{"damocles": "decisions", ..., "decisions": [["load", processor, data], ["loaded", ...],
/// ["evict", ...], ["task", processor, task], ["done", ...]]}`, whole or not at all. A load over a
/// link between processors is ["load", processor, data, lender]. Where tasks write there are also
/// ["create", processor, data], "return" and "returned", and "drop": an eviction as another
/// processor writes the data. Of an executed run there are also `"makespan_s"`, and in
/// `"times_ns"` when each decision was carried out, as measured from the start of the run.
void write_recording(const std::filesystem::path& path, const Record& record,
                     const std::vector<RunEvent>& events);

/// @throws InvalidInput naming the file and what is wrong in it
[[nodiscard]] Recording read_recording(const std::filesystem::path& path);

}  // namespace damocles
