#include "experiments/results/asked_rows.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "experiments/origin.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

/// Of the jobs that are asked for, those without a row, each once.
std::vector<Job> without_row(const std::vector<Job>& jobs, const std::vector<bool>& asked,
                             const RowsByKey& rows) {
  std::vector<Job> result;
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (asked[i] && !rows.contains(jobs[i].key) && seen.insert(jobs[i].key).second) {
      result.push_back(jobs[i]);
    }
  }
  return result;
}

/// Looks once for each. @return whether any was found
bool find_rows(const std::vector<Job>& missing, const RowFinder& find,
               std::unordered_set<std::string>& looked_for, RowsByKey& rows) {
  std::vector<Job> unknown;
  for (const Job& job : missing) {
    if (looked_for.insert(job.key).second) unknown.push_back(job);
  }
  if (unknown.empty()) return false;
  const std::size_t before = rows.size();
  rows.merge(find(unknown));
  return rows.size() > before;
}

/// The rows of the jobs that were asked for, and their tally. Rows may lack where a run failed.
StudyRows rows_of_study(const std::vector<Job>& jobs, std::vector<bool> asked,
                        const RowsByKey& rows, std::size_t made) {
  StudyRows study{.records = {}, .counts = {}, .asked = std::move(asked)};
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto row = rows.find(jobs[i].key);
    if (!study.asked[i] || row == rows.end()) continue;
    study.records.push_back(row->second);
    if (!seen.insert(jobs[i].key).second) continue;
    const Status::Kind kind = row->second.status.kind;
    study.counts.infeasible += kind == Status::Kind::infeasible ? 1 : 0;
    study.counts.failed += kind == Status::Kind::failed ? 1 : 0;
  }
  study.counts.asked = seen.size();
  study.counts.made = made;
  study.counts.kept = seen.size() - made;
  return study;
}

}  // namespace

RowRunner runner_on_threads(int threads, const Progress& progress, const StopCheck& check) {
  return [threads, progress, check](const std::vector<Job>& jobs, const Finished& finished) {
    return run_jobs(jobs, threads, progress, finished, check);
  };
}

AskedJobs all_of(const std::vector<Job>& jobs) {
  return [all = jobs.size()](const RowsByKey&) { return std::vector<bool>(all, true); };
}

StudyRows make_asked(const std::vector<Job>& jobs, const AskedJobs& asked, const RowFinder& find,
                     const RowRunner& run, const Finished& told, RowsByKey there) {
  std::size_t made = 0;
  std::unordered_set<std::string> looked_for;
  while (true) {
    auto now = asked(there);
    const auto missing = without_row(jobs, now, there);
    if (missing.empty()) return rows_of_study(jobs, std::move(now), there, made);
    if (find && find_rows(missing, find, looked_for, there)) continue;  // may ask for others now
    auto records = run(missing, told);
    made += records.size();
    const std::size_t before = there.size();
    for (Record& record : records) {
      std::string row_key = key(record);
      there.insert_or_assign(std::move(row_key), std::move(record));
    }
    if (records.size() < missing.size()) return rows_of_study(jobs, std::move(now), there, made);
    if (there.size() == before) throw std::logic_error("a row has another key than its job");
  }
}

std::string RowCounts::text(const std::string& file) const {
  std::string result =
      fmt::format("{} in {}: {} kept, {} new", counted(asked, "row"), file, kept, made);
  if (dropped > 0) result += fmt::format("; {} dropped", dropped);
  if (infeasible > 0) result += fmt::format("; {} infeasible", infeasible);
  if (failed > 0) result += fmt::format("; {} failed", failed);
  if (infeasible + failed > 0) result += " (column status says why)";
  return result;
}

StudyRows run_in_memory(const std::vector<Job>& jobs, const RowRunner& run,
                        const AskedJobs& asked) {
  return make_asked(jobs, asked, {}, run, {}, {});
}

}  // namespace damocles
