// Which rows of a study are asked for, and the loop that makes those that are missing.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "experiments/studies/study.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// Rows by what identifies them.
using RowsByKey = std::unordered_map<std::string, Record>;

/// Makes the rows of jobs, as run_jobs() does: tells each, and returns them in their order.
using RowRunner =
    std::function<std::vector<Record>(const std::vector<Job>& jobs, const Finished& finished)>;
/// run_jobs() with these arguments.
[[nodiscard]] RowRunner runner_on_threads(int threads, const Progress& progress = {},
                                          const StopCheck& check = {});

/// Which jobs of a study are asked for, given the rows that are there. It is asked again until all
/// that it asks for is there. The answer must follow from the rows of the jobs alone, so that an
/// interrupted study goes on to the rows of one that was not interrupted.
using AskedJobs = std::function<std::vector<bool>(const RowsByKey& rows)>;
/// All of them, whatever is there.
[[nodiscard]] AskedJobs all_of(const std::vector<Job>& jobs);

/// Finds rows that were made before, of those of the jobs that have one.
using RowFinder = std::function<RowsByKey(const std::vector<Job>& jobs)>;

/// How many rows a study asks for, each counted once, and what became of them.
struct RowCounts {
  std::size_t asked = 0;
  std::size_t kept = 0;        ///< were there before
  std::size_t made = 0;        ///< are new
  std::size_t dropped = 0;     ///< were there, and nobody asks for them
  std::size_t infeasible = 0;  ///< of those asked for: have no answer, their status says why
  std::size_t failed = 0;      ///< of those asked for: the run did not end

  /// "24 rows in study.csv: 20 kept, 4 new; 3 infeasible (column status says why)".
  [[nodiscard]] std::string text(const std::string& file) const;
};

/// The rows of the jobs that were asked for, in the order of the jobs, and their tally.
struct StudyRows {
  std::vector<Record> records;
  RowCounts counts;
  std::vector<bool> asked{};  ///< of each job
};

/// Takes the rows that are asked for from `there` or by `find`, and makes the others, each once.
/// Where `run` returns fewer rows than it was given, it ends with these.
[[nodiscard]] StudyRows make_asked(const std::vector<Job>& jobs, const AskedJobs& asked,
                                   const RowFinder& find, const RowRunner& run,
                                   const Finished& told, RowsByKey there);
/// The same where no row is there, and none is kept elsewhere.
[[nodiscard]] StudyRows run_in_memory(const std::vector<Job>& jobs, const RowRunner& run,
                                      const AskedJobs& asked);

}  // namespace damocles
