// The calls of SQLite's C interface, and nothing that knows what is stored.
#include "experiments/results/sqlite.hpp"

#include <sqlite3.h>

#include <charconv>
#include <csignal>
#include <utility>

#include "models/modules.hpp"

namespace damocles {
namespace {

/// SQLite, opened for the first store.
struct Sqlite {
  SharedLibrary library{"libsqlite3.so.0"};
  decltype(&sqlite3_bind_blob64) bind_blob64 = DAMOCLES_FUNCTION_OF(library, sqlite3_bind_blob64);
  decltype(&sqlite3_bind_double) bind_double = DAMOCLES_FUNCTION_OF(library, sqlite3_bind_double);
  decltype(&sqlite3_bind_int64) bind_int64 = DAMOCLES_FUNCTION_OF(library, sqlite3_bind_int64);
  decltype(&sqlite3_bind_null) bind_null = DAMOCLES_FUNCTION_OF(library, sqlite3_bind_null);
  decltype(&sqlite3_bind_text64) bind_text64 = DAMOCLES_FUNCTION_OF(library, sqlite3_bind_text64);
  decltype(&sqlite3_busy_timeout) busy_timeout =
      DAMOCLES_FUNCTION_OF(library, sqlite3_busy_timeout);
  decltype(&sqlite3_changes64) changes64 = DAMOCLES_FUNCTION_OF(library, sqlite3_changes64);
  decltype(&sqlite3_close) close = DAMOCLES_FUNCTION_OF(library, sqlite3_close);
  decltype(&sqlite3_column_blob) column_blob = DAMOCLES_FUNCTION_OF(library, sqlite3_column_blob);
  decltype(&sqlite3_column_bytes) column_bytes =
      DAMOCLES_FUNCTION_OF(library, sqlite3_column_bytes);
  decltype(&sqlite3_column_count) column_count =
      DAMOCLES_FUNCTION_OF(library, sqlite3_column_count);
  decltype(&sqlite3_column_double) column_double =
      DAMOCLES_FUNCTION_OF(library, sqlite3_column_double);
  decltype(&sqlite3_column_int64) column_int64 =
      DAMOCLES_FUNCTION_OF(library, sqlite3_column_int64);
  decltype(&sqlite3_column_name) column_name = DAMOCLES_FUNCTION_OF(library, sqlite3_column_name);
  decltype(&sqlite3_column_type) column_type = DAMOCLES_FUNCTION_OF(library, sqlite3_column_type);
  decltype(&sqlite3_create_function_v2) create_function_v2 =
      DAMOCLES_FUNCTION_OF(library, sqlite3_create_function_v2);
  decltype(&sqlite3_db_handle) db_handle = DAMOCLES_FUNCTION_OF(library, sqlite3_db_handle);
  decltype(&sqlite3_errmsg) errmsg = DAMOCLES_FUNCTION_OF(library, sqlite3_errmsg);
  decltype(&sqlite3_errstr) errstr = DAMOCLES_FUNCTION_OF(library, sqlite3_errstr);
  decltype(&sqlite3_exec) exec = DAMOCLES_FUNCTION_OF(library, sqlite3_exec);
  decltype(&sqlite3_finalize) finalize = DAMOCLES_FUNCTION_OF(library, sqlite3_finalize);
  decltype(&sqlite3_open_v2) open_v2 = DAMOCLES_FUNCTION_OF(library, sqlite3_open_v2);
  decltype(&sqlite3_prepare_v2) prepare_v2 = DAMOCLES_FUNCTION_OF(library, sqlite3_prepare_v2);
  decltype(&sqlite3_reset) reset = DAMOCLES_FUNCTION_OF(library, sqlite3_reset);
  decltype(&sqlite3_result_double) result_double =
      DAMOCLES_FUNCTION_OF(library, sqlite3_result_double);
  decltype(&sqlite3_result_int64) result_int64 =
      DAMOCLES_FUNCTION_OF(library, sqlite3_result_int64);
  decltype(&sqlite3_result_null) result_null = DAMOCLES_FUNCTION_OF(library, sqlite3_result_null);
  decltype(&sqlite3_result_text64) result_text64 =
      DAMOCLES_FUNCTION_OF(library, sqlite3_result_text64);
  decltype(&sqlite3_set_authorizer) set_authorizer =
      DAMOCLES_FUNCTION_OF(library, sqlite3_set_authorizer);
  decltype(&sqlite3_step) step = DAMOCLES_FUNCTION_OF(library, sqlite3_step);
  decltype(&sqlite3_user_data) user_data = DAMOCLES_FUNCTION_OF(library, sqlite3_user_data);
  decltype(&sqlite3_value_text) value_text = DAMOCLES_FUNCTION_OF(library, sqlite3_value_text);
};

/// @throws DatabaseError where it is not installed
const Sqlite& sqlite() {
  static const Sqlite calls;
  if (calls.changes64 == nullptr) {
    throw DatabaseError(DatabaseError::Cause::other,
                        "SQLite 3.35 or later is needed (libsqlite3.so.0): install libsqlite3-0");
  }
  return calls;
}

constexpr int patience_ms = 60'000;  // of one who writes: batches of others take milliseconds

DatabaseError::Cause cause_of(int result) {
  switch (result & 0xff) {  // of an extended code the primary one
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return DatabaseError::Cause::not_a_database;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return DatabaseError::Cause::busy;
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return DatabaseError::Cause::full;
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      return DatabaseError::Cause::cannot_open;
    case SQLITE_AUTH:
      return DatabaseError::Cause::refused;
    default:
      return DatabaseError::Cause::other;
  }
}

[[noreturn]] void refuse_sql(sqlite3* database, int result) {
  throw DatabaseError(cause_of(result),
                      database != nullptr ? sqlite().errmsg(database) : sqlite().errstr(result));
}

/// What a question may do; SQLite asks before each part of a statement.
int select_alone(void* /*unused*/, int action, const char* /*first*/, const char* /*second*/,
                 const char* /*database*/, const char* /*trigger*/) {
  const bool reads = action == SQLITE_SELECT || action == SQLITE_READ ||
                     action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE;
  return reads ? SQLITE_OK : SQLITE_DENY;
}

using TextFunction =
    std::function<std::optional<std::string>(const std::string&, const std::string&)>;

template <typename Number>
std::optional<Number> whole_number_text(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

/// What SQLite calls where a statement calls a TextFunction.
void call_text_function(sqlite3_context* context, int count, sqlite3_value** given) {
  const auto& function = *static_cast<const TextFunction*>(sqlite().user_data(context));
  const auto text = [&](int i) {
    const auto* const bytes = sqlite().value_text(given[i]);
    return bytes == nullptr
               ? std::string()
               : std::string(static_cast<const char*>(static_cast<const void*>(bytes)));
  };
  const auto answer = count == 2 ? function(text(0), text(1)) : std::nullopt;
  if (!answer) return sqlite().result_null(context);
  if (const auto integer = whole_number_text<sqlite3_int64>(*answer)) {
    return sqlite().result_int64(context, *integer);
  }
  if (const auto real = whole_number_text<double>(*answer)) {
    return sqlite().result_double(context, *real);
  }
  sqlite().result_text64(context, answer->data(), answer->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void forget_text_function(void* function) {
  delete static_cast<TextFunction*>(function);  // NOLINT(cppcoreguidelines-owning-memory): SQLite's
}

}  // namespace

Database::Database(const std::filesystem::path& path, Access access) {
  (void)std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error like others
  // Also to be read: who was killed may have left a journal, which the next one carries out. Of a
  // file that may not be written SQLite opens what it can.
  const int flags = SQLITE_OPEN_READWRITE | (access == Access::write ? SQLITE_OPEN_CREATE : 0);
  const int result = sqlite().open_v2(path.c_str(), &database_, flags, nullptr);
  if (result != SQLITE_OK) {
    (void)sqlite().close(database_);  // as no destructor will
    throw DatabaseError(cause_of(result), sqlite().errstr(result));
  }
  wait_at_most(patience_ms);
  if (access == Access::read) run("PRAGMA query_only = ON");
}

Database::~Database() { (void)sqlite().close(database_); }

void Database::run(const std::string& sql) {
  const int result = sqlite().exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) refuse_sql(database_, result);
}

std::int64_t Database::number(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.next() ? statement.integer(0) : 0;
}

std::string Database::text(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.next() ? statement.text(0) : "";
}

std::int64_t Database::changed_rows() const { return sqlite().changes64(database_); }

void Database::wait_at_most(int milliseconds) {
  (void)sqlite().busy_timeout(database_, milliseconds);
}

void Database::add_function(const std::string& name, TextFunction function) {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): SQLite owns it, and calls forget_text_function
  auto* const owned = new TextFunction(std::move(function));
  const int result = sqlite().create_function_v2(
      database_, name.c_str(), 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, owned, call_text_function,
      nullptr, nullptr, forget_text_function);
  if (result != SQLITE_OK) refuse_sql(database_, result);
}

void Database::allow(Allowed allowed) {
  const bool all = allowed == Allowed::everything;
  (void)sqlite().set_authorizer(database_, all ? nullptr : select_alone, nullptr);
}

Statement::Statement(const Database& database, const std::string& sql) {
  const char* rest = nullptr;
  const int result = sqlite().prepare_v2(database.handle(), sql.c_str(),
                                         static_cast<int>(sql.size()) + 1, &statement_, &rest);
  if (result != SQLITE_OK) refuse_sql(database.handle(), result);
  if (rest != nullptr) rest_ = rest;
}

Statement::~Statement() { (void)sqlite().finalize(statement_); }

void Statement::check(int result) const {
  if (result != SQLITE_OK) refuse_sql(sqlite().db_handle(statement_), result);
}

void Statement::bind(int place, std::string_view text) {
  check(sqlite().bind_text64(statement_, place, text.data(), text.size(), SQLITE_TRANSIENT,
                             SQLITE_UTF8));
}

void Statement::bind_blob(int place, std::string_view bytes) {
  check(sqlite().bind_blob64(statement_, place, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
}

void Statement::bind(int place, std::int64_t number) {
  check(sqlite().bind_int64(statement_, place, number));
}

void Statement::bind(int place, double number) {
  check(sqlite().bind_double(statement_, place, number));
}

void Statement::bind_absent(int place) { check(sqlite().bind_null(statement_, place)); }

bool Statement::next() {
  if (statement_ == nullptr) return false;  // of an empty text
  const int result = sqlite().step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) refuse_sql(sqlite().db_handle(statement_), result);
  return false;
}

void Statement::run() {
  while (next()) continue;
  reset();
}

void Statement::reset() { (void)sqlite().reset(statement_); }

int Statement::columns() const { return sqlite().column_count(statement_); }

std::string Statement::name(int column) const { return sqlite().column_name(statement_, column); }

Statement::Type Statement::type(int column) const {
  switch (sqlite().column_type(statement_, column)) {
    case SQLITE_INTEGER:
      return Type::integer;
    case SQLITE_FLOAT:
      return Type::real;
    case SQLITE_TEXT:
      return Type::text;
    case SQLITE_BLOB:
      return Type::blob;
    default:
      return Type::absent;
  }
}

std::int64_t Statement::integer(int column) const {
  return sqlite().column_int64(statement_, column);
}

double Statement::real(int column) const { return sqlite().column_double(statement_, column); }

std::string Statement::text(int column) const {
  const auto* const bytes = static_cast<const char*>(sqlite().column_blob(statement_, column));
  const auto size = static_cast<std::size_t>(sqlite().column_bytes(statement_, column));
  return bytes == nullptr ? std::string() : std::string(bytes, size);
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database_.run(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const DatabaseError&) {
    open_ = false;  // SQLite has rolled back what it could not write
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace damocles
