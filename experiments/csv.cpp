#include "experiments/csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/error.hpp"
#include "models/input_file.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_csv_bytes = 4'000'000'000;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result;
  for (const char letter : text) result.append(letter == '"' ? 2 : 1, letter);
  return fmt::format("\"{}\"", result);
}

/// The cells of one CSV line; quotes may hold commas.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (inside && letter == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      result.back() += line[++i];
    } else if (letter == '"') {
      inside = !inside;
    } else if (letter == ',' && !inside) {
      result.emplace_back();
    } else {
      result.back() += letter;
    }
  }
  return result;
}

std::vector<const Column*> columns_of(const std::string& header, const std::string& where) {
  std::vector<const Column*> result;
  std::vector<std::string> names;
  for (const auto& column : columns()) names.emplace_back(column.name);
  for (const auto& name : cells(header)) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) refuse_unknown("column in " + where, name, names);
    result.push_back(&columns()[static_cast<std::size_t>(found - names.begin())]);
  }
  return result;
}

}  // namespace

std::vector<const Column*> written_columns(bool summary) {
  std::vector<const Column*> result;
  for (const auto& column : columns()) {
    if (summary || !column.summary) result.push_back(&column);
  }
  return result;
}

bool has_summary(const std::vector<Record>& records) {
  return std::any_of(records.begin(), records.end(),
                     [](const Record& record) { return record.n || record.mean || record.sd; });
}

std::string csv_header(bool summary) {
  std::string line;
  for (const Column* column : written_columns(summary)) {
    if (!line.empty()) line += ',';
    line += column->name;
  }
  return line + "\n";
}

std::string csv_line(const Record& record, bool summary) {
  std::vector<std::string> values;
  for (const Column* column : written_columns(summary)) values.push_back(cell(record, *column));
  return csv_line(values);
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
  const bool summary = has_summary(records);
  std::string text = csv_header(summary);
  for (const auto& record : records) text += csv_line(record, summary);
  return text;
}

std::vector<Record> read_csv(const std::filesystem::path& path) {
  InputFile input(path.string(), {.what = "result file",
                                  .right = "give a CSV file that damocles wrote",
                                  .most_bytes = most_csv_bytes});
  std::istream& file = input.stream();
  std::string line;
  std::vector<const Column*> header;
  std::vector<Record> records;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (file.eof()) break;  // no end of line: cut off while it was written
    const auto where = fmt::format("result file '{}', line {}", path.string(), number);
    if (number == 1) {
      header = columns_of(line, where);
      continue;
    }
    const auto values = cells(line);
    if (values.size() != header.size()) {
      throw InvalidInput(
          fmt::format("{}: {} values under {} columns", where, values.size(), header.size()));
    }
    auto& record = records.emplace_back();
    for (std::size_t i = 0; i < values.size(); ++i) {
      try {
        set_cell(record, *header[i], values[i]);
      } catch (const InvalidInput& error) {
        throw InvalidInput(fmt::format("{}: {}", where, error.what()));
      }
    }
  }
  return records;
}

}  // namespace damocles
