// Jobs run into a store: rows that are there are taken from it, new ones are added as they end.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "experiments/progress.hpp"
#include "experiments/results/ledger.hpp"
#include "experiments/results/store.hpp"
#include "experiments/studies/shard.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// What of a store may answer a job.
enum class Taken {
  all,         ///< also a row that says why it has no result
  with_result  ///< a run that is infeasible or failed is made again, to fail as it did
};

/// Refuses, before anything runs, what cannot be the file of a store. @throws InvalidInput
void check_store_name(const std::filesystem::path& file);

/// A study that begins now, on this machine, by this version.
[[nodiscard]] StoredStudy study_of(std::string command, std::string seed,
                                   std::string sweep_file = {});

/// Runs the jobs that have no row in the store yet, and adds each row within 50 ms of its end: a
/// program that is killed loses at most the rows of that time. Rows of others are left alone.
/// The rows come back in the order of the jobs, as run_jobs() makes them. Of a shard only its own
/// rows are run and come back, but each has the number that it has in the whole study, so that the
/// stores of all shards merge to one (ResultStore::merge).
/// @throws InvalidInput where the file is no store; std::runtime_error where it cannot be written
[[nodiscard]] Ledger run_into_store(const std::filesystem::path& file, const StoredStudy& study,
                                    const std::vector<Job>& jobs, int threads,
                                    const Progress& progress = {}, Taken taken = Taken::all,
                                    const StopCheck& check = {}, const Shard& shard = {});

/// Makes the rows of jobs, as run_jobs() does: tells each, and returns them in their order.
using RowRunner =
    std::function<std::vector<Record>(const std::vector<Job>& jobs, const Finished& finished)>;
/// The same, but the rows are made by `run`.
[[nodiscard]] Ledger run_into_store(const std::filesystem::path& file, const StoredStudy& study,
                                    const std::vector<Job>& jobs, const RowRunner& run,
                                    Taken taken = Taken::all, const Shard& shard = {});

/// Which jobs, in their order, have their row in the store. Changes nothing, and makes no file.
[[nodiscard]] std::vector<bool> rows_in_store(const std::filesystem::path& file,
                                              const std::vector<Job>& jobs);

}  // namespace damocles
