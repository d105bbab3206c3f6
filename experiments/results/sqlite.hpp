// SQLite by objects: a database, its statements, and what it refuses. The only door to sqlite3.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;       // NOLINT(readability-identifier-naming): theirs
struct sqlite3_stmt;  // NOLINT(readability-identifier-naming): theirs

namespace damocles {

/// What SQLite refused, in its words.
class DatabaseError : public std::runtime_error {
 public:
  enum class Cause { other, not_a_database, busy, full, cannot_open, refused };
  DatabaseError(Cause cause, const std::string& why) : std::runtime_error(why), cause_(cause) {}
  [[nodiscard]] Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

/// An open database. Every member function throws DatabaseError where SQLite refuses.
class Database {
 public:
  enum class Access { read, write };
  /// A database to be written is made where there is none. Others that write are waited for.
  Database(const std::filesystem::path& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements that answer nothing.
  void run(const std::string& sql);
  /// The first value of the answer; 0 where there is none.
  [[nodiscard]] std::int64_t number(const std::string& sql);
  [[nodiscard]] std::string text(const std::string& sql);
  /// How many rows the last statement that changes rows has changed.
  [[nodiscard]] std::int64_t changed_rows() const;
  /// How long to wait for others that write.
  void wait_at_most(int milliseconds);
  /// Gives statements a function of two texts, which answers with a text, as a number where it is
  /// one, or with nothing.
  void add_function(
      const std::string& name,
      std::function<std::optional<std::string>(const std::string&, const std::string&)> function);
  enum class Allowed { everything, select };
  /// What statements may do from now on.
  void allow(Allowed allowed);
  [[nodiscard]] sqlite3* handle() const { return database_; }

 private:
  sqlite3* database_ = nullptr;
};

/// One statement of SQL, to be run any number of times.
class Statement {
 public:
  enum class Type { absent, integer, real, text, blob };
  Statement(const Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// What stands behind the statement in its text: "" where it is alone.
  [[nodiscard]] const std::string& rest() const { return rest_; }

  /// Sets the parameter at this place, from 1.
  /// @{
  void bind(int place, std::string_view text);
  void bind_blob(int place, std::string_view bytes);
  void bind(int place, std::int64_t number);
  void bind(int place, double number);
  void bind_absent(int place);
  /// @}

  /// Goes to the next row of the answer; false where there is none.
  [[nodiscard]] bool next();
  /// The same of a statement that answers nothing.
  void run();
  /// Makes it ready to run again.
  void reset();

  /// The columns of the answer, from 0.
  /// @{
  [[nodiscard]] int columns() const;
  [[nodiscard]] std::string name(int column) const;
  [[nodiscard]] Type type(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  /// @}

 private:
  void check(int result) const;

  sqlite3_stmt* statement_ = nullptr;
  std::string rest_;
};

/// A transaction for writing: rolled back where it is not committed.
class Transaction {
 public:
  /// One that reads lets others write as far as the journal allows, and locks the file once for all
  /// that it reads.
  enum class Kind { write, read };
  explicit Transaction(Database& database, Kind kind = Kind::write);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace damocles
