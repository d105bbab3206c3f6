#include "experiments/results/csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/error.hpp"
#include "models/input_file.hpp"
#include "models/quantity.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_csv_bytes = 4'000'000'000;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result;
  for (const char letter : text) result.append(letter == '"' ? 2 : 1, letter);
  return fmt::format("\"{}\"", result);
}

std::vector<const Column*> columns_of(const std::vector<std::string>& header,
                                      const std::string& where) {
  std::vector<const Column*> result;
  std::vector<std::string> names;
  for (const auto& column : columns()) names.emplace_back(column.name);
  for (const auto& name : header) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) refuse_unknown("column in " + where, name, names);
    const Column* const column = &columns()[static_cast<std::size_t>(found - names.begin())];
    if (std::find(result.begin(), result.end(), column) != result.end()) {
      throw InvalidInput(fmt::format("{}: column {} stands there twice; leave one", where, name));
    }
    result.push_back(column);
  }
  return result;
}

Record record_of(const std::vector<std::string>& values, const std::vector<const Column*>& header,
                 const std::string& where) {
  if (values.size() != header.size()) {
    throw InvalidInput(fmt::format("{}: {}, but the header has {}; write one value for each column",
                                   where, counted(values.size(), "value"),
                                   counted(header.size(), "column")));
  }
  Record record;
  for (std::size_t i = 0; i < values.size(); ++i) {
    try {
      set_cell(record, *header[i], values[i]);
    } catch (const InvalidInput& error) {
      throw InvalidInput(fmt::format("{}: {}", where, error.what()));
    }
  }
  return record;
}

bool has_summary(const Record& record) { return record.n || record.mean || record.sd; }

/// Whether the column is one that is left out where no row has a value, and none has.
bool left_out(const Column& column, const std::vector<Record>& records) {
  if (column.group != Group::if_any) return false;
  return std::all_of(records.begin(), records.end(),
                     [&](const Record& record) { return cell(record, column).empty(); });
}

}  // namespace

std::vector<const Column*> written_columns(Group widest) {
  std::vector<const Column*> result;
  for (const auto& column : columns()) {
    if (column.group <= widest) result.push_back(&column);
  }
  return result;
}

std::vector<const Column*> written_columns(const std::vector<Record>& records) {
  const bool summary = std::any_of(records.begin(), records.end(), has_summary);
  std::vector<const Column*> result;
  for (const auto& column : columns()) {
    if (column.group == Group::origin) continue;
    if (column.group == Group::summary && !summary) continue;
    if (left_out(column, records)) continue;
    result.push_back(&column);
  }
  return result;
}

std::vector<const Column*> lasting_columns(const std::vector<Record>& records) {
  std::vector<const Column*> result = written_columns(Group::origin);
  std::erase_if(result, [&](const Column* one) { return left_out(*one, records); });
  return result;
}

std::string csv_header(const std::vector<const Column*>& written) {
  std::string line;
  for (const Column* column : written) {
    if (!line.empty()) line += ',';
    line += column->name;
  }
  return line + "\n";
}

std::string csv_line(const Record& record, const std::vector<const Column*>& written) {
  std::vector<std::string> values;
  for (const Column* column : written) values.push_back(cell(record, *column));
  return csv_line(values);
}

std::string csv_header(Group widest) { return csv_header(written_columns(widest)); }

std::string csv_line(const Record& record, Group widest) {
  return csv_line(record, written_columns(widest));
}

std::string csv_line(const std::vector<std::string>& values) {
  std::string line;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) line += ',';
    line += quoted(values[i]);
  }
  line += '\n';
  return line;
}

std::string to_csv(const std::vector<Record>& records) {
  const auto written = written_columns(records);
  std::string text = csv_header(written);
  for (const auto& record : records) text += csv_line(record, written);
  return text;
}

CsvReader::CsvReader(std::string_view text, std::string where)
    : text_(text), where_(std::move(where)) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text_.starts_with(mark)) at_ = mark.size();
}

bool CsvReader::next(std::vector<std::string>& values) {
  values.assign(1, {});
  while (at_ < text_.size() && end_of_row()) {  // empty lines
  }
  row_line_ = line_;
  if (at_ >= text_.size()) return false;
  while (at_ < text_.size()) {
    if (end_of_row()) return true;
    const char letter = text_[at_];
    if (letter == ',') {
      values.emplace_back();
      ++at_;
    } else if (letter == '"' && values.back().empty()) {
      quoted(values.back());
    } else {
      values.back() += letter;
      ++at_;
    }
  }
  return true;
}

/// Steps over an end of line, where one is here.
bool CsvReader::end_of_row() {
  const auto rest = text_.substr(at_);
  if (!rest.starts_with('\n') && !rest.starts_with("\r\n")) return false;
  at_ += rest.front() == '\n' ? 1 : 2;
  ++line_;
  return true;
}

/// A value in quotes, from the first of them to what follows the last.
void CsvReader::quoted(std::string& value) {
  open_quote_ = true;
  for (++at_; at_ < text_.size(); ++at_) {
    const char letter = text_[at_];
    if (letter == '\n') ++line_;
    if (letter == '"') {
      ++at_;
      open_quote_ = at_ < text_.size() && text_[at_] == '"';
      if (!open_quote_) break;
    }
    value += letter;
  }
  const auto rest = text_.substr(at_);
  if (rest.empty() || rest.starts_with(',') || rest.starts_with('\n') || rest.starts_with("\r\n")) {
    return;
  }
  throw InvalidInput(fmt::format(
      "{}, line {}: text behind the quotes around a value; write quotes within it twice", where_,
      line_));
}

std::vector<Record> parse_csv(std::string_view text, const std::string& where) {
  CsvReader rows(text, where);
  std::vector<std::string> values;
  if (!rows.next(values)) return {};
  const auto header = columns_of(values, fmt::format("{}, line {}", where, rows.line()));
  std::vector<Record> records;
  while (rows.next(values)) {
    const auto here = fmt::format("{}, line {}", where, rows.line());
    if (rows.open_quote()) throw InvalidInput(here + ": a quote is never closed");
    records.push_back(record_of(values, header, here));
  }
  return records;
}

std::vector<Record> read_csv(const std::filesystem::path& path) {
  const std::string text = read_file(path.string(), {.what = "result file",
                                                     .right = "give a CSV file that damocles wrote",
                                                     .most_bytes = most_csv_bytes});
  return parse_csv(text, fmt::format("result file '{}'", path.string()));
}

}  // namespace damocles
