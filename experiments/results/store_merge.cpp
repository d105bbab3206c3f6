// Several stores become one: where each row goes, and what two stores may not say differently.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "experiments/origin.hpp"
#include "experiments/results/store.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

/// A study of which several stores may have a part.
struct SharedStudy {
  StoredStudy study;      ///< as the store describes it that began first
  std::size_t place = 0;  ///< among the studies of its store, of two that began in one second
  std::set<std::string> machines{};

  [[nodiscard]] auto order() const { return std::tie(study.date, place, study.digest); }
};

/// All of them, in the order in which they began.
std::vector<SharedStudy> shared_studies(std::span<const std::filesystem::path> stores) {
  std::map<std::string, SharedStudy> by_digest;
  for (const auto& path : stores) {
    std::size_t place = 0;
    for (StoredStudy& study : ResultStore(path, ResultStore::Use::read).studies()) {
      const std::string machine = study.machine;
      const std::string digest = study.digest;
      SharedStudy part{.study = std::move(study), .place = place++};
      SharedStudy& whole = by_digest.try_emplace(digest, part).first->second;
      whole.machines.insert(machine);
      if (part.order() >= whole.order()) continue;
      part.machines = std::move(whole.machines);
      whole = std::move(part);
    }
  }
  std::vector<SharedStudy> result;
  for (auto& [digest, study] : by_digest) result.push_back(std::move(study));
  std::sort(result.begin(), result.end(),
            [](const SharedStudy& a, const SharedStudy& b) { return a.order() < b.order(); });
  return result;
}

/// Whether wall times count in the row, so that no two runs give the same.
bool is_measured(const Record& row) {
  return row.source == "executed" || row.inputs.find("scheduling=charged") != std::string::npos;
}

/// The columns in which two rows of one key differ. Wall times always do.
std::vector<const Column*> columns_that_differ(const Record& a, const Record& b) {
  std::vector<const Column*> result;
  if (is_measured(a)) return result;
  for (const Column& column : columns()) {
    if (column.name == "scheduling_s" || cell(a, column) == cell(b, column)) continue;
    result.push_back(&column);
  }
  return result;
}

/// "loads 36 and 7777, evictions none and 3, and 2 more columns".
std::string text_of_differences(const std::vector<const Column*>& different, const Record& a,
                                const Record& b) {
  constexpr std::size_t most_shown = 3;
  const auto value = [](const Record& record, const Column& column) {
    const std::string text = cell(record, column);
    return text.empty() ? std::string("none") : text;
  };
  std::vector<std::string> parts;
  for (const Column* const column : different) {
    if (parts.size() == most_shown) break;
    parts.push_back(
        fmt::format("{} {} and {}", column->name, value(a, *column), value(b, *column)));
  }
  if (const std::size_t more = different.size() - parts.size(); more > 0) {
    parts.push_back(fmt::format("and {} more", more));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The first of these stores that has the row so; else `otherwise`.
std::filesystem::path store_with(const NewRow& row, std::span<const std::filesystem::path> stores,
                                 const std::filesystem::path& otherwise) {
  for (const auto& path : stores) {
    const auto there = ResultStore(path, ResultStore::Use::read).find(row.key);
    if (there && columns_that_differ(*there, row.record).empty()) return path;
  }
  return otherwise;
}

}  // namespace

std::uint64_t ResultStore::merge(std::span<const std::filesystem::path> others) {
  return guarded([&] {
    Transaction transaction(*database_);
    const auto begin_here = [&](const StoredStudy& study) {
      return begin_in_transaction(study, study.digest, static_cast<std::size_t>(study.size));
    };
    for (const auto& [study, place, machines] : shared_studies(others)) {
      add_machines(begin_here(study).study, machines);
    }
    std::uint64_t made = 0;
    for (const auto& path : others) {
      ResultStore other(path, Use::read);
      other.database_->run("BEGIN");  // a sweep may add a study between our two questions
      std::map<std::int64_t, std::pair<std::int64_t, Begun>> places;  // first there, and here
      for (const StoredStudy& study : other.studies()) {
        places.emplace(study.id, std::pair(study.first, begin_here(study)));
      }
      other.each_numbered_row([&](NewRow row) {
        const auto& [first_there, here] = places.at(row.study);
        row.number += here.first - first_there;
        row.study = here.study;
        made += merge_row(row, path, others) ? 1 : 0;
      });
    }
    transaction.commit();
    return made;
  });
}

bool ResultStore::merge_row(const NewRow& row, const std::filesystem::path& from,
                            std::span<const std::filesystem::path> others) {
  return guarded([&] {  // else an error of this store would name the one that is read
    const auto here = find_row(row.key);
    if (!here) {
      insert(row);
      if (database_->changed_rows() == 1) return true;
      throw InvalidInput(fmt::format("'{}' is damaged: it has two rows at the place of {}",
                                     from.string(), name_of_row(row.record)));
    }
    if (const auto different = columns_that_differ(here->record, row.record); !different.empty()) {
      throw InvalidInput(fmt::format(
          "'{}' and '{}' have different values in one row, {}: {}; leave out the store that is "
          "wrong",
          store_with(*here, others, path_).string(), from.string(), name_of_row(row.record),
          text_of_differences(different, here->record, row.record)));
    }
    if (row.number >= here->number) return false;
    Statement move(*database_, "UPDATE rows SET number = ?, study = ? WHERE key = ?");
    move.bind(1, row.number);
    move.bind(2, row.study);
    move.bind(3, row.key);
    move.run();
    return false;
  });
}

void ResultStore::add_machines(std::int64_t study, std::set<std::string> machines) {
  const std::string known =
      database_->text(fmt::format("SELECT machine FROM studies WHERE id = {}", study));
  constexpr std::string_view between = "; ";
  for (std::size_t begin = 0; begin < known.size();) {
    const std::size_t end = std::min(known.find(between, begin), known.size());
    machines.insert(known.substr(begin, end - begin));
    begin = end + between.size();
  }
  Statement update(*database_, "UPDATE studies SET machine = ? WHERE id = ?");
  update.bind(1, fmt::format("{}", fmt::join(machines, between)));
  update.bind(2, study);
  update.run();
}

}  // namespace damocles
