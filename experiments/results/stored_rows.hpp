// Jobs run into a store: rows that are there are taken from it, new ones are added as they end.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "experiments/results/asked_rows.hpp"
#include "experiments/results/store.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// What of a store may answer a job.
enum class Taken {
  all,         ///< also a row that says why it has no result
  with_result  ///< a run that is infeasible or failed is made again, to fail as it did; who asks
               ///< has an answer of its own, which a store that cannot be written does not end
};

/// Refuses, before anything runs, what cannot be the file of a store. @throws InvalidInput
void check_store_name(const std::filesystem::path& file);

/// A study that begins now, on this machine, by this version.
[[nodiscard]] StoredStudy study_of(std::string command, std::string seed,
                                   std::string sweep_file = {});

/// Runs the jobs that are asked for and have no row in the store yet, and adds each row within
/// 50 ms of its end: a program that is killed loses at most the rows of that time. Rows of others
/// are left alone. The rows come back in the order of the jobs. Each has the number in the store
/// that it has among all jobs, asked for or not: so stores of the parts of a study merge to one
/// (ResultStore::merge), and replicates that are added later have places of their own.
/// @throws InvalidInput where the file is no store; std::runtime_error where it cannot be written
[[nodiscard]] StudyRows run_into_store(const std::filesystem::path& file, const StoredStudy& study,
                                       const std::vector<Job>& jobs, const RowRunner& run,
                                       const AskedJobs& asked, Taken taken = Taken::all);
/// The same, but what is there is in `rows`, and the store takes new rows alone. `store` is called
/// before the first of them is made.
[[nodiscard]] StudyRows run_into_store(const std::function<ResultStore&()>& store,
                                       const StoredStudy& study, const std::vector<Job>& jobs,
                                       const RowRunner& run, const AskedJobs& asked,
                                       RowsByKey rows);

/// The rows of these jobs that the store has. Changes nothing, and makes no file.
[[nodiscard]] RowsByKey rows_in_store(const std::filesystem::path& file,
                                      const std::vector<Job>& jobs);

}  // namespace damocles
