#include "experiments/ledger.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <set>

#include "experiments/csv.hpp"
#include "experiments/output_file.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

std::filesystem::path partial_of(const std::filesystem::path& file) {
  auto partial = file;
  return partial += ".partial";
}

/// The rows already there, by key.
std::map<std::string, Record> known_rows(const std::filesystem::path& file) {
  std::map<std::string, Record> rows;
  for (const auto& path : {file, partial_of(file)}) {
    if (!std::filesystem::exists(path)) continue;
    for (auto& record : read_csv(path)) {
      auto id = key(record);
      rows.insert_or_assign(std::move(id), std::move(record));
    }
  }
  return rows;
}

/// The partial file, holding the whole rows it had before.
std::ofstream reopened(const std::filesystem::path& partial) {
  const auto before = std::filesystem::exists(partial) ? read_csv(partial) : std::vector<Record>();
  std::string text = csv_header(true);
  for (const auto& record : before) text += csv_line(record, true);
  write_output(partial, text);  // without the torn last line
  return std::ofstream(partial, std::ios::app | std::ios::binary);
}

}  // namespace

std::vector<Record> run_into(const std::filesystem::path& file, const std::vector<Job>& jobs,
                             int threads) {
  check_writable(file);
  auto rows = known_rows(file);
  std::vector<Job> missing;
  for (const auto& job : jobs) {
    if (!rows.contains(job.key)) missing.push_back(job);
  }
  const auto partial = partial_of(file);
  auto journal = reopened(partial);
  const auto append = [&](const Record& record) {
    journal << csv_line(record, true) << std::flush;
    if (!journal)
      throw InvalidInput(fmt::format("output '{}' cannot be written", partial.string()));
  };
  for (auto& record : run_jobs(missing, threads, terminal_progress(), append)) {
    auto id = key(record);
    rows.insert_or_assign(std::move(id), std::move(record));
  }

  std::vector<Record> answer;
  std::string text = csv_header(true);
  std::set<std::string> written;
  for (const auto& job : jobs) {
    answer.push_back(rows.at(job.key));
    if (written.insert(job.key).second) text += csv_line(answer.back(), true);
  }
  for (const auto& [id, record] : rows) {
    if (!written.contains(id)) text += csv_line(record, true);
  }
  write_output(file, text);
  journal.close();
  std::filesystem::remove(partial);
  return answer;
}

}  // namespace damocles
