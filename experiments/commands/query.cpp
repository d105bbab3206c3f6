// `damocles query`: rows of a store, filtered, grouped, sorted, in any format.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "experiments/commands/command.hpp"
#include "experiments/message.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/result_table.hpp"
#include "experiments/results/row_columns.hpp"
#include "experiments/results/row_filter.hpp"
#include "experiments/results/row_groups.hpp"
#include "experiments/results/store.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/results/value_table.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

struct QueryOptions {
  std::string file;
  std::vector<std::string> where;
  std::string by;
  std::string sql;
  std::string study;
  CommonOptions common;  ///< format, output, columns, sort, top, wide
};

/// What a query answers with: a table, and for eyes a line above it and what may be left out.
struct QueryAnswer {
  ValueTable table;
  std::string heading{};
  std::vector<std::string> first_out{};
};

/// Whether `a` stands before `b` where rows are sorted by a column: numbers, then texts, then
/// nothing; numbers as sizes, if they have units.
bool sorts_before(const Value& a, const Value& b, bool greatest) {
  const auto rank_of = [](const Value& value) {
    if (std::holds_alternative<std::monostate>(value)) return 2;
    return number_of(value) ? 0 : 1;
  };
  if (rank_of(a) != rank_of(b)) return rank_of(a) < rank_of(b);
  if (rank_of(a) == 1) return value_text(a) < value_text(b);
  if (rank_of(a) == 2) return false;
  return greatest ? *number_of(b) < *number_of(a) : *number_of(a) < *number_of(b);
}

/// `loads`, or `-loads`: the other way round.
struct SortColumn {
  explicit SortColumn(const std::string& asked)
      : name(asked.starts_with('-') ? asked.substr(1) : asked),
        greatest(greatest_first(name) != asked.starts_with('-')) {}
  std::string name;
  bool greatest;
};

/// Sorts rows by what `value_of_row` says of each.
template <typename Row, typename ValueOf>
void sort_rows(std::vector<Row>& rows, const SortColumn& by, ValueOf&& value_of_row) {
  std::vector<Value> values;
  for (const Row& row : rows) values.push_back(value_of_row(row));
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sorts_before(values[a], values[b], by.greatest);
  });
  std::vector<Row> sorted;
  for (const std::size_t at : order) sorted.push_back(std::move(rows[at]));
  rows = std::move(sorted);
}

std::size_t most_rows(const QueryOptions& options) {
  if (options.common.top.empty()) return std::numeric_limits<std::size_t>::max();
  return parse_integer_option("--top", options.common.top, 1,
                              std::numeric_limits<std::uint32_t>::max());
}

template <typename Row>
void keep_first(std::vector<Row>& rows, const QueryOptions& options) {
  rows.resize(std::min(rows.size(), most_rows(options)));
}

std::vector<std::string> listed_names(const std::string& list) {
  return list.empty() ? std::vector<std::string>{} : split_specs(list);
}

/// A table that is no list of records, sorted by one of its own columns.
void sort_table(ValueTable& table, const std::string& asked) {
  if (asked.empty()) return;
  const SortColumn by(asked);
  const auto found = std::find(table.columns.begin(), table.columns.end(), by.name);
  if (found == table.columns.end()) refuse_unknown("column in --sort", by.name, table.columns);
  const auto at = static_cast<std::size_t>(found - table.columns.begin());
  sort_rows(table.rows, by, [at](const auto& row) { return row[at]; });
}

ValueTable chosen_columns(const std::vector<Record>& rows, const std::vector<std::string>& names) {
  ValueTable table{.columns = names, .rows = {}};
  std::vector<RowColumn> columns;
  for (const std::string& name : names) columns.push_back(row_column(rows, name, "--columns"));
  for (const Record& row : rows) {
    auto& values = table.rows.emplace_back();
    for (const RowColumn& column : columns) values.push_back(column.of(row));
  }
  return table;
}

/// What a table of rows shows, unless columns are chosen; what all rows share stands above it.
QueryAnswer table_of_rows(const std::vector<Record>& rows) {
  QueryAnswer answer{.table = {},
                     .heading = counted(rows.size(), "row"),
                     .first_out = {"gflops", "makespan_ratio", "volume_ratio", "model", "source"}};
  std::vector<std::string> names;
  for (const char* const name : {"workload", "platform", "source", "model", "status"}) {
    const RowColumn column = row_column(rows, name, "");
    const Value first = rows.empty() ? Value() : column.of(rows.front());
    const bool shared = std::all_of(rows.begin(), rows.end(),
                                    [&](const Record& row) { return column.of(row) == first; });
    if (!shared) {
      names.emplace_back(name);
    } else if (!std::holds_alternative<std::monostate>(first)) {
      answer.heading += fmt::format("; {} {}", name, value_text(first));
    }
  }
  const auto status = std::find(names.begin(), names.end(), "status");
  names.insert(status, {"strategy", "replicate", "makespan_s", "makespan_ratio", "gflops", "loads",
                        "volume_ratio"});
  answer.heading += "\n\n";
  answer.table = chosen_columns(rows, names);
  return answer;
}

QueryAnswer table_of_groups(const std::vector<Record>& rows, const QueryOptions& options) {
  const auto by = listed_names(options.by);
  QueryAnswer answer{.table = grouped(rows, by, listed_names(options.common.columns))};
  answer.heading = fmt::format("{} in {}\n\n", counted(rows.size(), "row"),
                               counted(answer.table.rows.size(), "group"));
  for (const std::string_view end : {"_q05", "_q95", "_q50", "_ci95", "_sd"}) {
    for (const std::string& name : answer.table.columns) {
      if (name.ends_with(end)) answer.first_out.push_back(name);
    }
  }
  sort_table(answer.table, options.common.table.sort);
  keep_first(answer.table.rows, options);
  return answer;
}

std::string text_for_eyes(const QueryAnswer& answer, const QueryOptions& options, Format format) {
  ResultTable table{.heading = answer.heading, .cells = shown_cells(answer.table), .closing = {}};
  if (options.common.columns.empty()) drop_blank_columns(table.cells);
  if (format == Format::markdown) return markdown_table(table.cells);
  if (format == Format::latex) return latex_table(table.cells);
  const std::vector<std::string_view> leave_first(answer.first_out.begin(), answer.first_out.end());
  const TableChoice choice{.wide = options.common.table.wide};
  return table_text(table, choice, style_for(options.common.output), leave_first);
}

std::string text_of_answer(const QueryAnswer& answer, const QueryOptions& options, Format format) {
  switch (format) {
    case Format::csv:
      return to_csv(answer.table);
    case Format::json:
      return json_text(json_of_values(answer.table, "query"));
    case Format::jsonl:
      return json_lines(answer.table);
    default:
      return text_for_eyes(answer, options, format);
  }
}

/// Rows as files have them: as CSV the bytes that a sweep of these rows writes.
std::string text_of_rows(std::vector<Record> rows, const QueryOptions& options, Format format) {
  if (const std::string& sort = options.common.table.sort; !sort.empty()) {
    const SortColumn by(sort);
    sort_rows(rows, by, row_column(rows, by.name, "--sort").of);
  }
  keep_first(rows, options);
  const std::vector<std::string> chosen = listed_names(options.common.columns);
  if (!options.common.columns.empty()) {
    return text_of_answer(
        {.table = chosen_columns(rows, chosen), .heading = counted(rows.size(), "row") + "\n\n"},
        options, format);
  }
  if (format == Format::json) return json_text(json_of_records(rows, "query"));
  if (format == Format::jsonl) return json_lines(rows);
  if (format != Format::csv) return text_of_answer(table_of_rows(rows), options, format);
  const auto columns = lasting_columns(rows);
  std::string text = csv_header(columns);
  for (const Record& row : rows) text += csv_line(row, columns);
  return text;
}

/// The study that is asked for, by the number that `damocles cite` gives it; 0: all of them.
std::int64_t study_asked_for(ResultStore& store, const QueryOptions& options, bool for_eyes) {
  const auto studies = store.studies();
  if (options.study.empty()) {
    if (for_eyes && studies.size() > 1) {
      note(fmt::format(
          "note: these are rows of {} studies; --study {} shows one (`damocles cite {}` lists them)",
          studies.size(), studies.back().id, options.file));
    }
    return 0;
  }
  std::vector<std::string> names;
  for (const StoredStudy& study : studies) names.push_back(fmt::format("{}", study.id));
  const auto found = std::find(names.begin(), names.end(), options.study);
  if (found == names.end()) {
    throw InvalidInput(fmt::format("--study '{}': {} has {}; `damocles cite {}` lists them",
                                   options.study, options.file, fmt::join(names, ", "),
                                   options.file));
  }
  return studies[static_cast<std::size_t>(found - names.begin())].id;
}

std::string answer_of_query(const QueryOptions& options, Format format) {
  ResultStore store(options.file, ResultStore::Use::read);
  if (!options.sql.empty()) {
    QueryAnswer answer{.table = store.answer(options.sql)};
    sort_table(answer.table, options.common.table.sort);
    keep_first(answer.table.rows, options);
    return text_of_answer(answer, options, format);
  }
  std::vector<Record> rows;
  const std::int64_t study = study_asked_for(store, options, format == Format::table);
  store.each_row([&](Record row) { rows.push_back(std::move(row)); }, study);
  for (const MissingRows& missing : store.missing_rows()) {
    if (study == 0 || missing.study.id == study) note("note: " + missing.text(options.file));
  }
  rows = rows_where(std::move(rows), options.where);
  if (options.by.empty()) return text_of_rows(std::move(rows), options, format);
  return text_of_answer(table_of_groups(rows, options), options, format);
}

void query(const QueryOptions& options) {
  if (!options.sql.empty() && !(options.where.empty() && options.by.empty() &&
                                options.common.columns.empty() && options.study.empty())) {
    throw InvalidInput(
        "--sql says itself which rows, groups and columns; leave out --where, --by, --columns and "
        "--study");
  }
  const Format format = options.common.chosen_format();
  const std::string& output = options.common.output;
  (void)most_rows(options);
  check_writable(output);
  check_outputs({{"-o", output}}, {{"store", options.file}});
  try {
    write_output(output, answer_of_query(options, format));
  } catch (const nlohmann::json::type_error&) {
    throw InvalidInput(
        "some row holds a text that is not UTF-8, so JSON cannot hold it; give --format csv");
  }
}

void set_up_query(Command command) {
  const auto options = std::make_shared<QueryOptions>();
  CommonOptions& common = options->common;
  common.tables_of_results = true;
  command.argument("FILE.db", options->file,
                   "a store of rows, as `damocles sweep --store` writes it");
  command.repeated(
      "--where", options->where, "CONDITION",
      "the rows for which this holds: COLUMN=VALUE,VALUE, COLUMN!=VALUE, or COLUMN<NUMBER with <, <=, > or >=; "
      "several with commas between them. Options of workload, platform and strategy are columns too, as memory>=500MB");
  command.option(
      "--by", options->by, "COLUMNS",
      "group rows that have the same values in these columns: their number, and of each measure mean, "
      "sd, ci95 and quantiles");
  command.option(
      "--columns", common.columns, "LIST",
      "show these columns; with --by the measures (default makespan_s, loads and volume_ratio)");
  command.option(
      "--sort", common.table.sort, "COLUMN",
      "sort by this column, -COLUMN the other way round (default: studies as they began, each in the order of its CSV file)");
  command.option("--study", options->study, "N",
                 "the rows of one study alone, by its number in `damocles cite`");
  command.option("--top", common.top, "N", "show the first N rows");
  command.option(
      "--sql", options->sql, "SELECT",
      "answer this SQL statement instead; tables are rows, with the options of workload, "
      "platform and strategy as columns, and studies");
  command.flag("--wide", common.table.wide, "show all columns of a table, not only those that fit");
  command.option("--format", common.format, "NAME",
                 "table, csv, json, jsonl, markdown or latex "
                 "(default: from the ending of FILE, .txt for a table; a table without FILE)");
  command.option("-o,--output", common.output, "FILE",
                 "write to FILE, atomically, instead of standard output");
  command.footer(
      "EXAMPLES\n"
      "  damocles query study.db\n"
      "  damocles query study.db --where \"strategy=darts,dmdar,memory>=10\" --by memory,strategy\n"
      "  damocles query study.db --where workload=gemm2d --columns n,strategy,loads --sort loads --top 5\n"
      "  damocles query study.db -o study.csv\n"
      "  damocles query study.db --sql \"select strategy, avg(loads) from rows group by strategy\"\n");
  command.runs([options] { query(*options); });
}

const Register query_command{CommandEntry{
    .name = "query",
    .place = 102,
    .description =
        "Show rows of a store, which `damocles sweep --store` fills: all or some, grouped, sorted, in any format. "
        "As CSV they are the bytes that `damocles sweep -o` writes of the same rows. "
        "A query changes nothing.",
    .set_up = set_up_query}};

}  // namespace
}  // namespace damocles
