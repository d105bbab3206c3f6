// Runs a study into a CSV file, and goes on where a killed run ended.
#pragma once

#include <filesystem>
#include <vector>

#include "experiments/results/asked_rows.hpp"
#include "experiments/results/stored_rows.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// What is to become of rows in a file that nobody asks for: of other settings, of another version
/// of the program, of files that have been edited since.
enum class UnmatchedRows { refused, dropped };

/// Runs jobs into a CSV file, so that a killed run goes on where it ended.
///
/// New rows go to FILE.partial, a store that nobody else may write meanwhile; when all are there
/// they are written to FILE, in the order of the jobs, each once, and the partial file goes. Rows
/// found in either file are not run again where they have the key of a job; others are refused, or
/// dropped where that is asked for. The same jobs give the same bytes, however often they were
/// interrupted. A device or standard output gets all rows at the end.
///
/// @throws InvalidInput where the file cannot be written, holds something else or rows of others,
///         or is being written by another process
[[nodiscard]] StudyRows run_into_csv(const std::filesystem::path& file, const StoredStudy& study,
                                     const std::vector<Job>& jobs, const RowRunner& run,
                                     const AskedJobs& asked, UnmatchedRows unmatched);

/// The rows of these jobs that run_into_csv would find. Throws as it does, and changes nothing.
[[nodiscard]] RowsByKey rows_in_csv(const std::filesystem::path& file, const std::vector<Job>& jobs,
                                    const AskedJobs& asked, UnmatchedRows unmatched);

/// FILE.partial, of the file that links lead to.
[[nodiscard]] std::filesystem::path partial_of(const std::filesystem::path& file);

}  // namespace damocles
