// The rows of any number of studies in one SQLite database, which programs add to and ask.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/results/sqlite.hpp"
#include "experiments/results/value_table.hpp"
#include "experiments/studies/row_times.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// Rows that one command asked for together, and where they come from.
struct StoredStudy {
  std::int64_t id = 0;
  std::string command{};     ///< the words that make the rows again
  std::string version{};     ///< of the program, as the column `version`
  std::string date{};        ///< when it began: 2026-11-27T20:15:00Z
  std::string machine{};     ///< "AMD EPYC 7763, 16 threads"
  std::string seed{};        ///< of all random numbers
  std::string sweep_file{};  ///< the text of the file that the command reads; "": none
  std::uint64_t rows = 0;    ///< those that it made: others were there
  std::string digest{};      ///< of what it asks for, as ResultStore::begin() takes it
  std::int64_t first = 0;    ///< the number of its first row
  std::int64_t size = 0;     ///< how many numbers are reserved
};

/// What a study lacks: its command was interrupted, or part of it went to another store.
struct MissingRows {
  StoredStudy study;
  std::int64_t count = 0;
  /// Runs of missing rows, first and last, counted from 1 among those of the study; none where some
  /// may be rows of another study.
  std::vector<std::pair<std::int64_t, std::int64_t>> places{};

  /// "60 of 120 rows of `damocles sweep study.toml` are missing in all.db (rows 1 to 3, 7, ...)".
  [[nodiscard]] std::string text(const std::string& file) const;
};

/// A row on its way into the store.
struct NewRow {
  std::int64_t number = 0;  ///< its place among all rows
  std::int64_t study = 0;
  std::string key;  ///< key(record)
  Record record;
  std::optional<double> made_s{};  ///< how long it took to make, where that is known
};

/// A file with a table `rows`, which has a column for each column of result files and `made_s`, and
/// a table `studies`. A row's `key` is what identifies it (experiments/origin.hpp), so no row is
/// there twice. Rows are ordered by `number`: studies in the order in which they began, the rows of
/// each in the order in which its CSV file would have them, whichever finished first.
///
/// Several processes may add rows at once. On a local disk readers are not held up (write-ahead
/// log); network file systems cannot do that, so there each transaction locks the file.
///
/// Numbers come back bit by bit. A number that is not finite is absent, as in all result files.
class ResultStore {
 public:
  enum class Use { read, write };
  /// An empty file, as a sweep that was killed at once leaves it, can be read: find() finds
  /// nothing, and other questions are refused.
  /// @throws InvalidInput where the file is no store, is one of a newer version, or cannot be
  /// opened
  ResultStore(std::filesystem::path path, Use use);
  /// Leaves one file, without those of a log, unless others have the store open.
  ~ResultStore();
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;

  /// The rows of these keys, in their order; none where there is none.
  [[nodiscard]] std::vector<std::optional<Record>> find_all(const std::vector<std::string>& keys);
  /// The row of this key.
  [[nodiscard]] std::optional<Record> find(const std::string& key) {
    return std::move(find_all({key})[0]);
  }
  /// Where the rows of a study go.
  struct Begun {
    std::int64_t study = 0;  ///< its id
    std::int64_t first = 0;  ///< the number of its first row
  };
  /// Reserves numbers for the rows of a study; one that began before has the numbers it had, and
  /// its machine is named beside those before.
  /// @param digest  of what is asked for; a study is known again by it
  [[nodiscard]] Begun begin(const StoredStudy& study, const std::string& digest, std::size_t rows);
  /// Adds the rows whose keys are new, all or none.
  /// @throws std::runtime_error where they cannot be written; the rows before them are safe
  void add(std::span<const NewRow> rows);
  /// Adds the studies and rows of other stores, all or none; those of this store stay as they are.
  ///
  /// A study that several stores have parts of becomes one, each row at its place. Studies that are
  /// new here come after those that are here, in the order in which they began. A row that several
  /// studies ask for belongs to the first of them, as if one program had run them one after the
  /// other. So the result does not depend on the order of `others`.
  /// @return how many rows are new
  /// @throws InvalidInput where two stores have different values in one row, naming both
  std::uint64_t merge(std::span<const std::filesystem::path> others);

  [[nodiscard]] bool has_rows();
  /// Tells every row, in order; of one study its rows alone.
  void each_row(const std::function<void(Record)>& told, std::int64_t study = 0);
  /// The same, with their places.
  void each_numbered_row(const std::function<void(NewRow)>& told);
  /// In the order of their rows.
  [[nodiscard]] std::vector<StoredStudy> studies();
  /// What rows of the methods (Job::method) took, where that is known: on whatever machine.
  [[nodiscard]] RowTimes times();
  /// The rows that studies reserved numbers for and nobody made, of each study that lacks some.
  [[nodiscard]] std::vector<MissingRows> missing_rows();
  /// The answer to a statement that selects. The options of workload, platform and strategy are
  /// columns of `rows`; `n` is the workload's. The file must have been opened to be read.
  /// @throws InvalidInput on anything else
  [[nodiscard]] ValueTable answer(const std::string& sql);

 private:
  template <typename Call>
  auto guarded(Call&& call) const;
  [[noreturn]] void refuse(const DatabaseError& error) const;
  void check_is_ours();
  void find_columns();
  [[nodiscard]] std::string names_of_numbered_rows() const;
  void require_tables() const;
  void create();
  void add_missing_columns();
  void choose_journal();
  /// What begin() and add() do, for who has begun a transaction.
  /// @{
  [[nodiscard]] Begun begin_in_transaction(const StoredStudy& study, const std::string& digest,
                                           std::size_t rows);
  void insert(const NewRow& row);
  /// @}
  [[nodiscard]] std::optional<NewRow> find_row(const std::string& key);
  /// Whether the row is new here.
  [[nodiscard]] bool merge_row(const NewRow& row, const std::filesystem::path& from,
                               std::span<const std::filesystem::path> others);
  void add_machines(std::int64_t study, std::set<std::string> machines);

  std::filesystem::path path_;
  Use use_;
  std::unique_ptr<Database> database_;
  bool has_tables_ = true;
  std::vector<const Column*> columns_;  ///< those that the file has
  std::unique_ptr<Statement> find_;
  std::unique_ptr<Statement> insert_;
};

template <typename Call>
auto ResultStore::guarded(Call&& call) const {
  try {
    return call();
  } catch (const DatabaseError& error) {
    refuse(error);
  }
}

/// Whether the file is empty or begins as a store does. SQLite takes any shorter file for an empty
/// database, and would write over it.
[[nodiscard]] bool begins_as_database(const std::filesystem::path& path);

/// Whether file systems of this type (statfs) are shared between machines, or may be, so that a
/// write-ahead log, which needs shared memory, would lose rows.
[[nodiscard]] bool is_network_file_system(std::int64_t type);

}  // namespace damocles
