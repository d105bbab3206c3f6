#include "experiments/results/csv_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <map>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "experiments/origin.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/unfinished_rows.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

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
  Asked(const std::vector<Job>& jobs, const std::vector<bool>& asked) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (!asked[i] || !keys_.insert(jobs[i].key).second) continue;
      requests_.insert(request_in(jobs[i].key));
    }
  }
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

/// The rows that were asked for as a file: in the order of the jobs, each once.
std::string written(const std::vector<Job>& jobs, const StudyRows& made) {
  const auto columns = lasting_columns(made.records);
  std::string text = csv_header(columns);
  std::unordered_set<std::string> seen;
  auto record = made.records.begin();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!made.asked[i]) continue;
    if (seen.insert(jobs[i].key).second) text += csv_line(*record, columns);
    ++record;
  }
  return text;
}

}  // namespace

std::filesystem::path partial_of(const std::filesystem::path& file) {
  auto partial = where_links_end(file);
  return partial += ".partial";
}

StudyRows run_into_csv(const std::filesystem::path& file, const StoredStudy& study,
                       const std::vector<Job>& jobs, const RowRunner& run, const AskedJobs& asked,
                       UnmatchedRows unmatched) {
  check_writable(file);
  if (is_written_through(file)) {
    StudyRows all = run_in_memory(jobs, run, asked);
    write_output(file, written(jobs, all));
    return all;
  }
  const auto target = where_links_end(file);
  check_writable(partial_of(file));
  UnfinishedRows unfinished(partial_of(file));
  RowsByKey rows = rows_in_file(target);
  add_rows(rows, unfinished.take_before());
  const Asked asked_now(jobs, asked(rows));
  if (unmatched == UnmatchedRows::refused) asked_now.refuse_unmatched_rows(rows, file);

  const std::size_t dropped = asked_now.unmatched(rows);
  StudyRows all = run_into_store([&]() -> ResultStore& { return unfinished.store(); }, study, jobs,
                                 run, asked, std::move(rows));
  all.counts.dropped = dropped;
  const std::string text = written(jobs, all);
  try {
    if (!std::filesystem::exists(target) || content(target) != text) replace_file(target, text);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}; its new rows are kept in '{}': run again to go on",
                                         error.what(), partial_of(file).string()));
  }
  unfinished.remove();
  return all;
}

RowsByKey rows_in_csv(const std::filesystem::path& file, const std::vector<Job>& jobs,
                      const AskedJobs& asked, UnmatchedRows unmatched) {
  if (is_written_through(file)) return {};
  RowsByKey rows = rows_in_file(where_links_end(file));
  add_rows(rows, read_unfinished_rows(partial_of(file)));
  const Asked asked_now(jobs, asked(rows));
  if (unmatched == UnmatchedRows::refused) asked_now.refuse_unmatched_rows(rows, file);
  return rows;
}

}  // namespace damocles
