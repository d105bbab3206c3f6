#pragma once

#include <filesystem>
#include <string>

#include "models/decisions.hpp"
#include "models/record.hpp"

namespace damocles {

/// A recorded run: what was asked, and every decision.
struct Recording {
  Record record;  ///< source, strategy, workload, platform, seed, replicate, loads, bytes_loaded
  Decisions decisions;
};

/// Writes `{"damocles": "decisions", ..., "decisions": [["load", processor, data], ["loaded", ...],
/// ["evict", ...], ["task", processor, task], ["done", ...]]}`, whole or not at all.
void write_recording(const std::filesystem::path& path, const Record& record,
                     const std::vector<RunEvent>& events);

/// @throws InvalidInput naming the file and what is wrong in it
[[nodiscard]] Recording read_recording(const std::filesystem::path& path);

}  // namespace damocles
