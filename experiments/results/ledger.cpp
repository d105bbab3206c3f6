#include "experiments/results/ledger.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "experiments/origin.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/journal.hpp"
#include "experiments/results/output_file.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

using RowsByKey = std::unordered_map<std::string, Record>;

void add_rows(RowsByKey& rows, std::vector<Record> records) {
  for (auto& record : records) {
    auto id = key(record);
    rows.insert_or_assign(std::move(id), std::move(record));
  }
}

/// The request in a key: what stands before inputs and version.
std::string request_in(const std::string& key) {
  return key.substr(0, key.rfind('\n', key.size() - 2) + 1);
}

/// Why nobody asks for these rows: cause by cause, each with its number and, where no cause says
/// which, the first of them.
std::string causes_of(const std::vector<const Record*>& unmatched,
                      const std::unordered_set<std::string>& requests) {
  std::map<std::string, std::size_t> made_by;
  std::map<std::string, std::size_t> of_files;
  std::size_t others = 0;
  const Record* first = nullptr;
  for (const Record* row : unmatched) {
    if (!requests.contains(request(*row))) {
      ++others;
      if (first == nullptr || name_of_row(*row) < name_of_row(*first)) first = row;
    } else if (row->version != program_version()) {
      ++made_by[row->version];
    } else {
      ++of_files[fmt::format("{}, {}", row->workload, row->platform)];
    }
  }
  std::vector<std::string> parts;
  if (others > 0)
    parts.push_back(fmt::format("{} of other settings, as {}", others, name_of_row(*first)));
  for (const auto& [version, rows] : made_by) {
    parts.push_back(version.empty()
                        ? fmt::format("{} that do not say which version made them", rows)
                        : fmt::format("{} made by version {}", rows, version));
  }
  if (!of_files.empty()) {
    std::size_t rows = 0;
    for (const auto& [names, count] : of_files) rows += count;
    parts.push_back(
        fmt::format("{} from before a file was edited ({})", rows, of_files.begin()->first));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// What was asked for, and which of the rows that are there nobody asks for.
class Asked {
 public:
  explicit Asked(const std::vector<Job>& jobs) {
    for (const auto& job : jobs) {
      if (keys_.insert(job.key).second) requests_.insert(request_in(job.key));
    }
  }
  [[nodiscard]] std::size_t count() const { return keys_.size(); }
  [[nodiscard]] std::size_t unmatched(const RowsByKey& rows) const { return found(rows).size(); }
  void refuse_unmatched_rows(const RowsByKey& rows, const std::filesystem::path& file) const {
    const auto unmatched = found(rows);
    if (unmatched.empty()) return;
    throw InvalidInput(fmt::format(
        "'{}' has {} row{} that this does not ask for: {}; --drop-stale-rows drops them, another -o leaves them",
        file.string(), unmatched.size(), unmatched.size() == 1 ? "" : "s",
        causes_of(unmatched, requests_)));
  }

 private:
  [[nodiscard]] std::vector<const Record*> found(const RowsByKey& rows) const {
    std::vector<const Record*> result;
    for (const auto& [id, record] : rows) {
      if (!keys_.contains(id)) result.push_back(&record);
    }
    return result;
  }

  std::unordered_set<std::string> keys_;
  std::unordered_set<std::string> requests_;
};

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

RowsByKey rows_in_file(const std::filesystem::path& file) {
  RowsByKey rows;
  if (std::filesystem::exists(file)) add_rows(rows, read_csv(file));
  return rows;
}

/// The jobs that have no row yet, each once.
std::vector<Job> missing(const std::vector<Job>& jobs, const RowsByKey& rows) {
  std::vector<Job> result;
  std::unordered_set<std::string> seen;
  for (const auto& job : jobs) {
    if (!rows.contains(job.key) && seen.insert(job.key).second) result.push_back(job);
  }
  return result;
}

/// The rows of the jobs as a file: in the order of the jobs, each once; counted.
std::string written(const std::vector<Job>& jobs, const RowsByKey& rows, Ledger& ledger) {
  for (const auto& job : jobs) ledger.records.push_back(rows.at(job.key));
  const auto columns = lasting_columns(ledger.records);
  std::string text = csv_header(columns);
  std::unordered_set<std::string> seen;
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    const Record& record = ledger.records[at];
    if (!seen.insert(jobs[at].key).second) continue;
    text += csv_line(record, columns);
    ledger.counts.infeasible += record.status.kind == Status::Kind::infeasible ? 1 : 0;
    ledger.counts.failed += record.status.kind == Status::Kind::failed ? 1 : 0;
  }
  return text;
}

/// Without a file there is nothing to go on from.
Ledger run_through(const std::filesystem::path& file, const std::vector<Job>& jobs, int threads,
                   const Progress& progress) {
  Ledger ledger;
  RowsByKey rows;
  add_rows(rows, run_jobs(missing(jobs, rows), threads, progress));
  ledger.counts.asked = ledger.counts.made = rows.size();
  write_output(file, written(jobs, rows, ledger));
  return ledger;
}

}  // namespace

std::string RowCounts::text(const std::string& file) const {
  std::string result =
      fmt::format("{} in {}: {} kept, {} new", counted(asked, "row"), file, kept, made);
  if (dropped > 0) result += fmt::format("; {} dropped", dropped);
  if (infeasible > 0) result += fmt::format("; {} infeasible", infeasible);
  if (failed > 0) result += fmt::format("; {} failed", failed);
  if (infeasible + failed > 0) result += " (column status says why)";
  return result;
}

std::filesystem::path partial_of(const std::filesystem::path& file) {
  auto partial = where_links_end(file);
  return partial += ".partial";
}

Ledger run_into(const std::filesystem::path& file, const std::vector<Job>& jobs, int threads,
                UnmatchedRows unmatched, const Progress& progress) {
  check_writable(file);
  if (is_written_through(file)) return run_through(file, jobs, threads, progress);
  const auto target = where_links_end(file);
  check_writable(partial_of(file));
  Journal journal(partial_of(file));
  RowsByKey rows = rows_in_file(target);
  add_rows(rows, journal.before());
  const Asked asked(jobs);
  if (unmatched == UnmatchedRows::refused) asked.refuse_unmatched_rows(rows, file);

  const auto to_run = missing(jobs, rows);
  Ledger ledger;
  ledger.counts = {.asked = asked.count(),
                   .kept = asked.count() - to_run.size(),
                   .made = to_run.size(),
                   .dropped = asked.unmatched(rows)};
  add_rows(rows, run_jobs(to_run, threads, progress,
                          [&](const Record& record) { journal.append(record); }));
  const std::string text = written(jobs, rows, ledger);
  try {
    if (!std::filesystem::exists(target) || content(target) != text) replace_file(target, text);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}; its new rows are kept in '{}': run again to go on",
                                         error.what(), partial_of(file).string()));
  }
  journal.remove();
  return ledger;
}

std::vector<bool> rows_there(const std::filesystem::path& file, const std::vector<Job>& jobs,
                             UnmatchedRows unmatched) {
  std::vector<bool> there(jobs.size(), false);
  if (is_written_through(file)) return there;
  const auto partial = partial_of(file);
  RowsByKey rows = rows_in_file(where_links_end(file));
  if (std::filesystem::is_regular_file(partial)) {
    add_rows(rows, parse_torn_csv(content(partial),
                                  fmt::format("unfinished results '{}'", partial.string()))
                       .records);
  }
  if (unmatched == UnmatchedRows::refused) Asked(jobs).refuse_unmatched_rows(rows, file);
  for (std::size_t i = 0; i < jobs.size(); ++i) there[i] = rows.contains(jobs[i].key);
  return there;
}

}  // namespace damocles
