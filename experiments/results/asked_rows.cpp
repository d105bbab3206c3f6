#include "experiments/results/asked_rows.hpp"

#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "experiments/origin.hpp"

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
  bool any = false;
  for (const Job& job : missing) {
    if (!looked_for.insert(job.key).second) continue;
    if (auto row = find(job)) any |= rows.emplace(job.key, std::move(*row)).second;
  }
  return any;
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

MadeRows make_asked(const std::vector<Job>& jobs, const AskedJobs& asked, const RowFinder& find,
                    const RowRunner& run, const Finished& told, RowsByKey& rows) {
  MadeRows result;
  std::unordered_set<std::string> looked_for;
  while (true) {
    result.asked = asked(rows);
    const auto missing = without_row(jobs, result.asked, rows);
    if (missing.empty()) return result;
    if (find && find_rows(missing, find, looked_for, rows)) continue;  // may ask for others now
    auto records = run(missing, told);
    result.made += records.size();
    const std::size_t before = rows.size();
    for (Record& record : records) {
      std::string row_key = key(record);
      rows.insert_or_assign(std::move(row_key), std::move(record));
    }
    if (records.size() < missing.size()) return result;
    if (rows.size() == before) throw std::logic_error("a row has another key than its job");
  }
}

}  // namespace damocles
