#pragma once

#include <filesystem>
#include <vector>

#include "experiments/study.hpp"

namespace damocles {

/// Runs jobs into a CSV file, so that a killed run loses no finished row.
///
/// Every finished row is appended at once to FILE.partial; when all are there they are written to
/// FILE, in the order of the jobs, and the partial file goes. Rows found in either file are not run
/// again; rows of FILE that no job asks for are kept behind the others. The same jobs give the same
/// bytes, however often they were interrupted.
///
/// @return the rows of the jobs, in their order
/// @throws InvalidInput where the file cannot be written or holds something else
std::vector<Record> run_into(const std::filesystem::path& file, const std::vector<Job>& jobs,
                             int threads);

}  // namespace damocles
