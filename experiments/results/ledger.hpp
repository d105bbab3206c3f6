#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/progress.hpp"
#include "experiments/results/asked_rows.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// What is to become of rows in a file that nobody asks for: of other settings, of another version
/// of the program, of files that have been edited since.
enum class UnmatchedRows { refused, dropped };

/// How many rows a study asks for, each counted once, and what became of them.
struct RowCounts {
  std::size_t asked = 0;
  std::size_t kept = 0;        ///< were there before
  std::size_t made = 0;        ///< are new
  std::size_t dropped = 0;     ///< were there, and nobody asks for them
  std::size_t infeasible = 0;  ///< of those asked for: have no answer, their status says why
  std::size_t failed = 0;      ///< of those asked for: the run did not end

  /// "24 rows in study.csv: 20 kept, 4 new; 3 infeasible (see status)".
  [[nodiscard]] std::string text(const std::string& file) const;
};

/// The rows of the jobs that were asked for, in the order of the jobs, and their tally.
struct Ledger {
  std::vector<Record> records;
  RowCounts counts;
  std::vector<bool> asked{};  ///< of each job
};

/// Fills records and counts of the jobs that were asked for. Rows may lack where a run failed.
void take_rows(Ledger& ledger, const std::vector<Job>& jobs, const RowsByKey& rows,
               const MadeRows& made);

/// Runs jobs into a CSV file, so that a killed run loses no finished row.
///
/// Every finished row is appended at once to FILE.partial, which nobody else may write meanwhile;
/// when all are there they are written to FILE, in the order of the jobs, each once, and the
/// partial file goes. Rows found in either file are not run again where they have the key of a job;
/// others are refused, or dropped where that is asked for. The same jobs give the same bytes,
/// however often they were interrupted. A device or standard output gets all rows at the end.
///
/// @throws InvalidInput where the file cannot be written, holds something else or rows of others,
///         or is being written by another process
[[nodiscard]] Ledger run_into(const std::filesystem::path& file, const std::vector<Job>& jobs,
                              const RowRunner& run, const AskedJobs& asked,
                              UnmatchedRows unmatched = UnmatchedRows::refused);
/// The same of all jobs, on so many threads. `progress`, where given, is told of each row.
[[nodiscard]] Ledger run_into(const std::filesystem::path& file, const std::vector<Job>& jobs,
                              int threads, UnmatchedRows unmatched = UnmatchedRows::refused,
                              const Progress& progress = {});
/// The same into memory.
[[nodiscard]] Ledger run_in_memory(const std::vector<Job>& jobs, const RowRunner& run,
                                   const AskedJobs& asked);

/// The rows of these jobs that run_into would find. Throws as it does, and changes nothing.
[[nodiscard]] RowsByKey rows_there(const std::filesystem::path& file, const std::vector<Job>& jobs,
                                   const AskedJobs& asked, UnmatchedRows unmatched);

/// FILE.partial, of the file that links lead to.
[[nodiscard]] std::filesystem::path partial_of(const std::filesystem::path& file);

}  // namespace damocles
