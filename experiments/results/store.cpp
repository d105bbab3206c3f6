// How rows and studies lie in the tables of SQLite, and which files are refused.
#include "experiments/results/store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>
#include <utility>

#include "experiments/message.hpp"
#include "experiments/results/output_file.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

constexpr std::int64_t our_mark = 0x44414d4f;  // "DAMO": application_id of our files
constexpr std::int64_t our_layout = 1;         // user_version; another column is no other layout
constexpr const char* right_file = "give a file that `damocles sweep --store` wrote";
constexpr std::string_view head_of_databases{"SQLite format 3\0", 16};
/// Columns of the table `rows` beside those of records.
constexpr std::array<std::string_view, 4> own_columns{"number", "study", "key", "made_s"};

constexpr const char* layout_of_studies =
    "CREATE TABLE studies(id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, "
    "first INTEGER NOT NULL, size INTEGER NOT NULL, command TEXT, version TEXT, date TEXT, "
    "machine TEXT, seed TEXT, sweep_file TEXT)";

std::string sql_type(const Column& column) {
  if (std::holds_alternative<Record::Count Record::*>(column.member)) return "INTEGER";
  if (std::holds_alternative<Record::Real Record::*>(column.member)) return "REAL";
  return "TEXT";
}

/// The names of columns, quoted: one may be a word of SQL.
std::string sql_names(const std::vector<const Column*>& columns) {
  std::vector<std::string> names;
  for (const Column* const one : columns) names.push_back(fmt::format("\"{}\"", one->name));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// SQLite's numbers hold no whole number above 2^63 - 1 and, in a column of reals, no -0: of these
/// the digits are stored, as bytes that nothing converts.
void bind_cell(Statement& statement, int place, const Record& record, const Column& column) {
  if (const auto* const real = std::get_if<Record::Real Record::*>(&column.member)) {
    const auto& value = record.*(*real);
    if (!value || !std::isfinite(*value)) return statement.bind_absent(place);
    if (*value != 0 || !std::signbit(*value)) return statement.bind(place, *value);
    return statement.bind_blob(place, cell(record, column));
  }
  if (const auto* const count = std::get_if<Record::Count Record::*>(&column.member)) {
    const auto& value = record.*(*count);
    if (!value) return statement.bind_absent(place);
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (*value <= most) return statement.bind(place, static_cast<std::int64_t>(*value));
    return statement.bind_blob(place, cell(record, column));
  }
  const std::string text = cell(record, column);
  return text.empty() ? statement.bind_absent(place) : statement.bind(place, text);
}

void read_cell(const Statement& answer, int place, Record& record, const Column& column) {
  if (const auto* const real = std::get_if<Record::Real Record::*>(&column.member);
      real != nullptr && answer.type(place) == Statement::Type::real) {
    record.*(*real) = answer.real(place);
  } else if (answer.type(place) != Statement::Type::absent) {
    set_cell(record, column, answer.text(place));
  }
}

Record read_row(const Statement& answer, const std::vector<const Column*>& columns) {
  Record record;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    read_cell(answer, static_cast<int>(i), record, *columns[i]);
  }
  return record;
}

NewRow read_numbered_row(const Statement& answer, const std::vector<const Column*>& columns) {
  const int own = static_cast<int>(columns.size());
  return {.number = answer.integer(own),
          .study = answer.integer(own + 1),
          .key = answer.text(own + 2),
          .record = read_row(answer, columns),
          .made_s = answer.type(own + 3) == Statement::Type::absent
                        ? std::nullopt
                        : std::optional(answer.real(own + 3))};
}

}  // namespace

bool begins_as_database(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(head_of_databases.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return file.gcount() == 0 || head == head_of_databases;
}

bool is_network_file_system(std::int64_t type) {
  // <linux/magic.h> and the manual page statfs(2) have most of these.
  constexpr std::array<std::uint32_t, 13> network{0x6969,                  // NFS
                                                  0x517b,     0xfe534d42,  // SMB
                                                  0xff534d42,              // CIFS
                                                  0x0bd00bd0,              // Lustre
                                                  0x47504653,              // GPFS
                                                  0x19830326,              // BeeGFS
                                                  0x00c36400,              // Ceph
                                                  0x5346414f, 0x6b414653,  // AFS
                                                  0x01021997,              // 9P
                                                  0xaad7aaea,              // PanFS
                                                  0x65735546};             // FUSE: sshfs, GlusterFS
  return std::find(network.begin(), network.end(), static_cast<std::uint32_t>(type)) !=
         network.end();
}

void ResultStore::refuse(const DatabaseError& error) const {
  const std::string name = path_.string();
  switch (error.cause()) {
    case DatabaseError::Cause::not_a_database:
      throw InvalidInput(fmt::format("'{}' is no store of rows, or it is damaged ({}); {}", name,
                                     error.what(), right_file));
    case DatabaseError::Cause::cannot_open:
      throw InvalidInput(
          fmt::format("store '{}' cannot be opened: {}; choose another", name, error.what()));
    case DatabaseError::Cause::full:
      throw std::runtime_error(
          fmt::format("store '{}' cannot be written: {}; the rows that it has are kept: run again "
                      "to go on",
                      name, error.what()));
    case DatabaseError::Cause::busy:
      throw std::runtime_error(fmt::format(
          "another program has locked the store '{}' for a minute; run again when it has ended",
          name));
    default:
      throw std::runtime_error(fmt::format("store '{}': {}", name, error.what()));
  }
}

ResultStore::ResultStore(std::filesystem::path path, Use use) : path_(std::move(path)), use_(use) {
  const bool is_there = std::filesystem::exists(path_);
  if (use_ == Use::read && !is_there) {
    throw InvalidInput(no_such_file("store", path_.string(), right_file));
  }
  if (is_there && !std::filesystem::is_regular_file(path_)) {
    throw InvalidInput(fmt::format("store '{}' is no file; give FILE.db", path_.string()));
  }
  if (is_there && !begins_as_database(path_)) {
    refuse({DatabaseError::Cause::not_a_database, "file is not a database"});
  }
  guarded([&] {
    database_ = std::make_unique<Database>(
        path_, use_ == Use::read ? Database::Access::read : Database::Access::write);
    check_is_ours();
    if (use_ == Use::write) {
      choose_journal();
      create();
    }
    if (has_tables_) find_columns();
    if (use_ == Use::write) add_missing_columns();
  });
}

void ResultStore::find_columns() {
  columns_.clear();
  const Statement all(*database_, "SELECT * FROM rows");
  for (int i = 0; i < all.columns(); ++i) {
    const std::string name = all.name(i);
    if (std::find(own_columns.begin(), own_columns.end(), name) != own_columns.end()) continue;
    const auto known = std::find_if(columns().begin(), columns().end(),
                                    [&](const Column& one) { return one.name == name; });
    if (known != columns().end()) {
      columns_.push_back(&*known);
      continue;
    }
    throw InvalidInput(fmt::format(
        "store '{}' has a column {}, which a newer version of damocles wrote; use that version, "
        "or another file",
        path_.string(), name));
  }
}

ResultStore::~ResultStore() {
  find_.reset();
  insert_.reset();
  if (use_ != Use::write || database_ == nullptr) return;
  try {
    database_->wait_at_most(0);
    database_->run("PRAGMA journal_mode = DELETE");
  } catch (const DatabaseError&) {
    return;  // others have it open: the last of them does this
  }
}

void ResultStore::check_is_ours() {
  // First of all: another process may make the tables now, which has its mark at that instant.
  const bool is_empty = database_->number("SELECT count(*) FROM sqlite_schema") == 0;
  const auto mark = database_->number("PRAGMA application_id");
  const auto layout = database_->number("PRAGMA user_version");
  if (mark == our_mark && layout > our_layout) {
    throw InvalidInput(fmt::format(
        "store '{}' is of a newer version of damocles (layout {}, this program knows {}); use that "
        "version, or another file",
        path_.string(), layout, our_layout));
  }
  has_tables_ = !is_empty;
  if (mark == our_mark || is_empty) return;
  throw InvalidInput(
      fmt::format("'{}' is a database of another program; {}", path_.string(), right_file));
}

void ResultStore::require_tables() const {
  if (has_tables_) return;
  throw InvalidInput(fmt::format("store '{}' is empty; {}", path_.string(), right_file));
}

void ResultStore::choose_journal() {
  struct statfs system {};
  const bool shared = statfs(path_.c_str(), &system) == 0 && is_network_file_system(system.f_type);
  if (shared) {
    note(fmt::format(
        "note: '{}' is on a file system that other machines may share, where writing is slower; a store on a local disk is faster",
        path_.string()));
  }
  try {
    database_->run(shared ? "PRAGMA journal_mode = DELETE"
                          : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  } catch (const DatabaseError& error) {
    // Another process is writing: it has chosen.
    if (error.cause() != DatabaseError::Cause::busy) throw;
  }
}

void ResultStore::create() {
  if (std::exchange(has_tables_, true)) return;
  Transaction transaction(*database_);
  if (database_->number("SELECT count(*) FROM sqlite_schema") > 0) return;  // another made them
  std::string rows =
      "CREATE TABLE rows(number INTEGER PRIMARY KEY, study INTEGER NOT NULL REFERENCES studies, "
      "key TEXT NOT NULL UNIQUE, made_s REAL";
  for (const Column& column : columns()) {
    rows += fmt::format(", \"{}\" {}", column.name, sql_type(column));
  }
  database_->run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}; {}; {})",
                             our_mark, our_layout, layout_of_studies, rows));
  transaction.commit();
}

/// What read_numbered_row() reads.
std::string ResultStore::names_of_numbered_rows() const {
  return fmt::format("{}, number, study, key, made_s", sql_names(columns_));
}

void ResultStore::add_missing_columns() {
  if (columns_.size() == columns().size()) return;
  Transaction transaction(*database_);
  find_columns();  // another program may have added some meanwhile
  for (const Column& column : columns()) {
    if (std::find(columns_.begin(), columns_.end(), &column) != columns_.end()) continue;
    database_->run(
        fmt::format("ALTER TABLE rows ADD COLUMN \"{}\" {}", column.name, sql_type(column)));
    columns_.push_back(&column);
  }
  transaction.commit();
}

std::vector<std::optional<Record>> ResultStore::find_all(const std::vector<std::string>& keys) {
  return guarded([&] {
    std::vector<std::optional<Record>> rows;
    // On a network file system each lock takes as long as a message there and back.
    Transaction all(*database_, Transaction::Kind::read);
    for (const std::string& key : keys) {
      auto found = find_row(key);
      rows.push_back(found ? std::optional(std::move(found->record)) : std::nullopt);
    }
    all.commit();
    return rows;
  });
}

std::optional<NewRow> ResultStore::find_row(const std::string& key) {
  return guarded([&]() -> std::optional<NewRow> {
    if (!has_tables_) return std::nullopt;
    if (find_ == nullptr) {
      find_ = std::make_unique<Statement>(
          *database_, fmt::format("SELECT {} FROM rows WHERE key = ?", names_of_numbered_rows()));
    }
    find_->bind(1, key);
    std::optional<NewRow> found;
    if (find_->next()) found = read_numbered_row(*find_, columns_);
    find_->reset();
    return found;
  });
}

ResultStore::Begun ResultStore::begin(const StoredStudy& study, const std::string& digest,
                                      std::size_t rows) {
  return guarded([&]() -> Begun {
    Transaction transaction(*database_);
    const Begun begun = begin_in_transaction(study, digest, rows);
    add_machines(begun.study, {study.machine});
    transaction.commit();
    return begun;
  });
}

ResultStore::Begun ResultStore::begin_in_transaction(const StoredStudy& study,
                                                     const std::string& digest, std::size_t rows) {
  Statement known(*database_, "SELECT id, first FROM studies WHERE digest = ?");
  known.bind(1, digest);
  if (known.next()) return {known.integer(0), known.integer(1)};
  const auto first = database_->number("SELECT coalesce(max(first + size), 1) FROM studies");
  Statement insert_study(*database_,
                         "INSERT INTO studies(digest, first, size, command, version, date, "
                         "machine, seed, sweep_file) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) "
                         "RETURNING id");
  insert_study.bind(1, digest);
  insert_study.bind(2, first);
  insert_study.bind(3, static_cast<std::int64_t>(rows));
  int place = 4;
  for (const std::string* const text : {&study.command, &study.version, &study.date, &study.machine,
                                        &study.seed, &study.sweep_file}) {
    insert_study.bind(place++, *text);
  }
  if (!insert_study.next()) throw std::logic_error("INSERT ... RETURNING answers with a row");
  const Begun begun{insert_study.integer(0), first};
  insert_study.run();
  return begun;
}

void ResultStore::add(std::span<const NewRow> rows) {
  guarded([&] {
    Transaction transaction(*database_);
    for (const NewRow& row : rows) insert(row);
    transaction.commit();
  });
}

void ResultStore::insert(const NewRow& row) {
  if (insert_ == nullptr) {
    const std::vector<std::string> values(own_columns.size() + columns_.size(), "?");
    insert_ = std::make_unique<Statement>(
        *database_,
        fmt::format("INSERT OR IGNORE INTO rows({}, {}) VALUES({})", fmt::join(own_columns, ", "),
                    sql_names(columns_), fmt::join(values, ", ")));
  }
  insert_->bind(1, row.number);
  insert_->bind(2, row.study);
  insert_->bind(3, row.key);
  row.made_s ? insert_->bind(4, *row.made_s) : insert_->bind_absent(4);
  int place = static_cast<int>(own_columns.size());
  for (const Column* const column : columns_) bind_cell(*insert_, ++place, row.record, *column);
  insert_->run();
}

bool ResultStore::has_rows() {
  return has_tables_ &&
         guarded([&] { return database_->number("SELECT EXISTS(SELECT 1 FROM rows)") != 0; });
}

void ResultStore::each_row(const std::function<void(Record)>& told, std::int64_t study) {
  require_tables();
  guarded([&] {
    Statement all(*database_,
                  fmt::format("SELECT {} FROM rows {} ORDER BY number", sql_names(columns_),
                              study > 0 ? fmt::format("WHERE study = {}", study) : ""));
    while (all.next()) told(read_row(all, columns_));
  });
}

void ResultStore::each_numbered_row(const std::function<void(NewRow)>& told) {
  require_tables();
  guarded([&] {
    Statement all(*database_,
                  fmt::format("SELECT {} FROM rows ORDER BY number", names_of_numbered_rows()));
    while (all.next()) told(read_numbered_row(all, columns_));
  });
}

std::vector<StoredStudy> ResultStore::studies() {
  require_tables();
  return guarded([&] {
    Statement all(*database_,
                  "SELECT id, command, version, date, machine, seed, sweep_file, "
                  "(SELECT count(*) FROM rows WHERE study = id), digest, first, size "
                  "FROM studies ORDER BY first, id");
    std::vector<StoredStudy> result;
    while (all.next()) {
      result.push_back({.id = all.integer(0),
                        .command = all.text(1),
                        .version = all.text(2),
                        .date = all.text(3),
                        .machine = all.text(4),
                        .seed = all.text(5),
                        .sweep_file = all.text(6),
                        .rows = static_cast<std::uint64_t>(all.integer(7)),
                        .digest = all.text(8),
                        .first = all.integer(9),
                        .size = all.integer(10)});
    }
    return result;
  });
}

RowTimes ResultStore::times() {
  RowTimes result;
  if (!has_tables_) return result;
  guarded([&] {
    Statement all(*database_,
                  "SELECT coalesce(model, '') || strategy, sum(tasks), sum(made_s) FROM rows "
                  "WHERE source <> 'executed' AND made_s IS NOT NULL AND tasks > 0 GROUP BY 1");
    while (all.next()) result.made(all.text(0), all.real(1), all.real(2));
  });
  return result;
}

}  // namespace damocles
