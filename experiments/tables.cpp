#include "experiments/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace damocles {

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

}  // namespace damocles
