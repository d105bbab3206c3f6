// What `--sql` sees of a store, and what it answers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <unordered_map>

#include "experiments/results/row_columns.hpp"
#include "experiments/results/store.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

Value value_of_answer(const Statement& answer, int column) {
  switch (answer.type(column)) {
    case Statement::Type::absent:
      return {};
    case Statement::Type::real:
      return answer.real(column);
    case Statement::Type::integer:
      if (answer.integer(column) >= 0) return static_cast<std::uint64_t>(answer.integer(column));
      return static_cast<double>(answer.integer(column));
    default:
      return answer.text(column);
  }
}

/// What is wrong with a statement that a user wrote. @param known  the columns that he may name
[[noreturn]] void refuse_question(const DatabaseError& error,
                                  const std::vector<std::string>& known) {
  const std::string_view why = error.what();
  const auto named = [&](std::string_view before) {
    return why.starts_with(before) ? std::string(why.substr(before.size())) : std::string();
  };
  if (const auto name = named("no such column: "); !name.empty()) {
    refuse_unknown("column in --sql", name, known);
  }
  if (const auto name = named("no such table: "); !name.empty()) {
    refuse_unknown("table in --sql", name, std::vector<std::string>{"rows", "studies"});
  }
  const bool changes_rows = why.find("because it is a view") != std::string_view::npos;
  if (error.cause() == DatabaseError::Cause::refused || changes_rows) {
    throw InvalidInput(
        "--sql: only SELECT is possible, as a query changes nothing; write \"select strategy, "
        "makespan_s from rows\"");
  }
  throw InvalidInput(
      fmt::format("--sql: {}; write \"select strategy, makespan_s from rows\"", why));
}

/// An option of workloads, platforms or strategies that is a column of a question.
struct OptionColumn {
  std::string name;  ///< `memory`; `platform.k` where a workload has k too
  std::string of;    ///< the column of the text that it stands in
  std::string key;
};

/// The options that some row has. Columns of rows have their names first, but for `n`: rows of a
/// store are no summaries (row_column()).
std::vector<OptionColumn> option_columns(Database& database,
                                         const std::vector<const Column*>& columns) {
  std::map<std::string, std::vector<std::string>> owners;
  for (const char* const of : {"workload", "platform", "strategy"}) {
    Statement texts(database, fmt::format("SELECT DISTINCT {} FROM main.rows", of));
    while (texts.next()) {
      for (const auto& [key, value] : options_in(texts.text(0))) {
        auto& known = owners[key];
        if (std::find(known.begin(), known.end(), of) == known.end()) known.emplace_back(of);
      }
    }
  }
  std::vector<OptionColumn> result;
  for (const auto& [key, all] : owners) {
    const bool is_column =
        std::any_of(columns.begin(), columns.end(),
                    [&, &name = key](const Column* one) { return one->name == name; });
    const bool is_alone = all.size() == 1 || key == "n";
    if (is_alone && (!is_column || key == "n")) result.push_back({key, all.front(), key});
    for (const std::string& of : all) {
      if (all.size() > 1) result.push_back({fmt::format("{}.{}", of, key), of, key});
    }
  }
  return result;
}

/// A name as SQL quotes it: a foreign store may have any.
std::string quoted_column(std::string name) {
  for (auto at = name.find('"'); at != std::string::npos; at = name.find('"', at + 2)) {
    name.insert(at, 1, '"');
  }
  return '"' + name + '"';
}

std::string quoted_text(std::string text) {
  for (auto at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 2)) {
    text.insert(at, 1, '\'');
  }
  return '\'' + text + '\'';
}

/// From now on `rows` has the options as columns too. Nothing in the file changes.
void show_options(Database& database, const std::vector<const Column*>& columns,
                  const std::vector<OptionColumn>& options) {
  using Known = std::unordered_map<std::string, std::unordered_map<std::string, std::string>>;
  database.add_function(
      "option_in",
      [known = Known()](const std::string& text,
                        const std::string& key) mutable -> std::optional<std::string> {
        const auto [at, is_new] = known.try_emplace(text);
        if (is_new) {
          for (auto& [name, value] : options_in(text)) at->second.emplace(name, value);
        }
        const auto found = at->second.find(key);
        return found == at->second.end() ? std::nullopt : std::optional(found->second);
      });
  std::vector<std::string> shown{"number", "study", "key", "made_s"};
  for (const Column* const column : columns) {
    const bool is_option =
        std::any_of(options.begin(), options.end(),
                    [&](const OptionColumn& one) { return one.name == column->name; });
    if (!is_option) shown.push_back(quoted_column(std::string(column->name)));
  }
  for (const OptionColumn& option : options) {
    shown.push_back(fmt::format("option_in({}, {}) AS {}", option.of, quoted_text(option.key),
                                quoted_column(option.name)));
  }
  database.run(fmt::format(
      "PRAGMA query_only = OFF; DROP VIEW IF EXISTS temp.rows; CREATE TEMP VIEW rows AS SELECT {} FROM main.rows; "
      "PRAGMA query_only = ON",
      fmt::join(shown, ", ")));
}

}  // namespace

ValueTable ResultStore::answer(const std::string& sql) {
  require_tables();
  database_->allow(Database::Allowed::everything);  // an earlier question may have been answered
  const auto options = guarded([&] { return option_columns(*database_, columns_); });
  guarded([&] { show_options(*database_, columns_, options); });
  database_->allow(Database::Allowed::select);
  try {
    Statement statement(*database_, sql);
    if (statement.columns() == 0) throw InvalidInput("--sql: give a statement that selects");
    if (statement.rest().find_first_not_of(" \t\r\n;") != std::string::npos) {
      throw InvalidInput(
          fmt::format("--sql: one statement is possible; leave out '{}'", statement.rest()));
    }
    ValueTable table;
    for (int i = 0; i < statement.columns(); ++i) table.columns.push_back(statement.name(i));
    while (statement.next()) {
      auto& row = table.rows.emplace_back();
      for (int i = 0; i < statement.columns(); ++i) row.push_back(value_of_answer(statement, i));
    }
    return table;
  } catch (const DatabaseError& error) {
    std::vector<std::string> known{"number", "study", "key", "made_s"};
    for (const Column* const column : columns_) known.emplace_back(column->name);
    for (const OptionColumn& option : options) {
      if (option.name != "n") known.push_back(option.name);  // a column of rows is called so too
    }
    refuse_question(error, known);
  }
}

}  // namespace damocles
