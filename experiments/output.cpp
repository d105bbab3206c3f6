#include "experiments/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "damocles_version.hpp"
#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

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

std::vector<const Column*> written_columns(bool summary) {
  std::vector<const Column*> result;
  for (const auto& column : columns()) {
    if (summary || !column.summary) result.push_back(&column);
  }
  return result;
}

nlohmann::ordered_json json_value(const Record& record, const Column& column) {
  return std::visit(
      [&](auto member) -> nlohmann::ordered_json {
        const auto& value = record.*member;
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Record::Text>) {
          return value.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
        } else {
          return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
        }
      },
      column.member);
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

/// Mean of an optional column, where every row has it.
Record::Real mean_of(const std::vector<const Record*>& rows, Record::Real Record::*member) {
  double sum = 0;
  bool equal = true;
  for (const Record* row : rows) {
    if (!(row->*member)) return std::nullopt;
    sum += *(row->*member);
    equal = equal && row->*member == rows.front()->*member;
  }
  // Exact where nothing varies: rounding would show as a spread of 1e-16.
  return equal ? rows.front()->*member : sum / static_cast<double>(rows.size());
}

Record summary_of(const std::vector<const Record*>& rows) {
  Record result = *rows.front();
  result.replicate.reset();
  for (const auto& column : columns()) {
    if (const auto* member = std::get_if<Record::Real Record::*>(&column.member)) {
      result.*(*member) = mean_of(rows, *member);
    }
  }
  const auto wrong =
      std::find_if(rows.begin(), rows.end(), [](const Record* row) { return row->status != "ok"; });
  if (wrong != rows.end()) result.status = (*wrong)->status;
  const auto n = static_cast<double>(rows.size());
  result.n = rows.size();
  result.mean = result.volume_ratio;
  if (!result.mean) return result;
  double squares = 0;
  for (const Record* row : rows) squares += std::pow(*row->volume_ratio - *result.mean, 2);
  if (rows.front()->source == "predicted") {
    // Of one run on a drawn platform: the model's own sd within a platform, and between platforms.
    double within = 0;
    for (const Record* row : rows) within += std::pow(row->sd.value_or(0), 2);
    if (result.sd) result.sd = std::sqrt((within + squares) / n);
    return result;
  }
  if (rows.size() < 2) return result;
  result.sd = std::sqrt(squares / (n - 1));
  const boost::math::students_t student(n - 1);
  result.ci95 = boost::math::quantile(student, 0.975) * *result.sd / std::sqrt(n);
  return result;
}

/// A device, FIFO or socket: what is written there goes through it. Put in its place, a file would
/// destroy it.
bool is_device(const std::filesystem::path& path) {
  std::error_code unseen;  // a circle of links is no device
  const auto is = std::filesystem::status(path, unseen);
  return std::filesystem::exists(is) && !std::filesystem::is_regular_file(is) &&
         !std::filesystem::is_directory(is);
}

/// The file that symbolic links lead to, there or not: it is written, and the links stay.
/// @throws InvalidInput where they lead in a circle
std::filesystem::path where_links_end(std::filesystem::path path) {
  constexpr int most = 40;  // as Linux follows
  for (int followed = 0; std::filesystem::is_symlink(path) && !is_device(path); ++followed) {
    if (followed == most) {
      throw InvalidInput(fmt::format("output '{}': too many symbolic links", path.string()));
    }
    path = path.parent_path() / std::filesystem::read_symlink(path);
  }
  return path;
}

}  // namespace

Format format_named(const std::string& name) {
  static const std::vector<std::string> names{"table", "csv", "json"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) refuse_unknown("format", name, names);
  return static_cast<Format>(found - names.begin());
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

std::string to_json(const std::vector<Record>& records, const std::string& command) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const auto written = written_columns(has_summary(records));
  for (const auto& record : records) {
    nlohmann::ordered_json row;
    for (const Column* column : written)
      row[std::string(column->name)] = json_value(record, *column);
    rows.push_back(std::move(row));
  }
  nlohmann::ordered_json whole{{"command", command}, {"version", version}, {"records", rows}};
  return whole.dump(2) + "\n";
}

std::string to_table(const std::vector<Record>& records) {
  static const std::vector<std::string> shown{
      "source",      "model",        "strategy",   "replicate",      "beta", "loads",
      "lower_bound", "volume_ratio", "makespan_s", "makespan_ratio", "n",    "sd",
      "ci95",        "eviction",     "gflops",     "scheduling_s"};
  std::vector<const Column*> used;
  for (const auto& column : columns()) {
    const bool wanted = std::find(shown.begin(), shown.end(), column.name) != shown.end();
    const bool filled = std::any_of(records.begin(), records.end(), [&](const Record& record) {
      return !cell(record, column).empty();
    });
    const bool bad = column.name == "status" &&
                     std::any_of(records.begin(), records.end(),
                                 [](const Record& record) { return record.status != "ok"; });
    if ((wanted && filled) || bad) used.push_back(&column);
  }
  std::vector<std::vector<std::string>> rows(1);
  for (const Column* column : used) rows[0].emplace_back(column->name);
  for (const auto& record : records) {
    auto& row = rows.emplace_back();
    for (const Column* column : used) {
      const auto* real = std::get_if<Record::Real Record::*>(&column->member);
      const bool rounded = real != nullptr && record.*(*real);
      row.push_back(rounded ? fmt::format("{:.6g}", *(record.*(*real))) : cell(record, *column));
    }
  }
  return aligned(rows);
}

std::vector<Record> read_csv(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw InvalidInput(fmt::format("result file '{}' cannot be read", path.string()));
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

std::vector<Record> summarise(const std::vector<Record>& records) {
  std::vector<std::vector<const Record*>> groups;
  std::map<std::string, std::size_t> at;
  for (const auto& record : records) {
    const auto id = record.source + "|" + record.model + "|" + record.strategy + "|" +
                    record.workload + "|" + record.platform;
    const auto [place, is_new] = at.try_emplace(id, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&record);
  }
  std::vector<Record> result;
  result.reserve(groups.size());
  for (const auto& rows : groups) result.push_back(summary_of(rows));
  return result;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  std::vector<bool> numbers;
  // Bytes are not columns: a UTF-8 letter may take several.
  const auto length = [](const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & '\xC0') != '\x80'; }));
  };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    width.resize(std::max(width.size(), rows[r].size()), 0);
    numbers.resize(width.size(), true);
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      width[c] = std::max(width[c], length(rows[r][c]));
      const bool number =
          rows[r][c].empty() || rows[r][c] == "–" || rows[r][c].find_first_of("0123456789") <= 1;
      if (r > 0 && !number) numbers[c] = false;
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(width[c] - length(row[c]), ' ');
      line += (c == 0 ? "" : "  ") + (numbers[c] ? pad + row[c] : row[c] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const auto& value : rows[r]) text += "| " + value + " ";
    text += "|\n";
    for (std::size_t c = 0; r == 0 && c < rows[r].size(); ++c) text += "| --- ";
    if (r == 0) text += "|\n";
  }
  return text;
}

std::string shown(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "–";
}

void check_writable(const std::filesystem::path& named) {
  if (named.empty()) return;
  const auto path = where_links_end(named);
  if (is_device(path)) {
    if (access(path.c_str(), W_OK) == 0) return;
    throw InvalidInput(fmt::format("output '{}' cannot be written: {}; choose another",
                                   path.string(), std::strerror(errno)));
  }
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (std::filesystem::is_directory(path)) {
    throw InvalidInput(fmt::format("output '{}' is a folder; give a file name", path.string()));
  }
  if (!std::filesystem::is_directory(folder)) {
    throw InvalidInput(fmt::format("output '{}': folder '{}' is not there; create it first",
                                   path.string(), folder.string()));
  }
  if (access(folder.c_str(), W_OK) != 0) {
    throw InvalidInput(fmt::format("output '{}': folder '{}' cannot be written; choose another",
                                   path.string(), folder.string()));
  }
}

void write_output(const std::filesystem::path& named, const std::string& text) {
  if (named.empty()) {
    fmt::print("{}", text);
    return;
  }
  check_writable(named);
  const auto path = where_links_end(named);
  auto partial = path;
  if (!is_device(path)) partial += fmt::format(".{}.tmp", getpid());
  errno = 0;
  std::ofstream file(partial, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    const std::string why = std::strerror(errno);
    if (partial != path) std::filesystem::remove(partial);
    throw InvalidInput(fmt::format("output '{}' cannot be written: {}", path.string(), why));
  }
  if (partial != path) std::filesystem::rename(partial, path);
}

}  // namespace damocles
