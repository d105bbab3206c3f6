#include "experiments/results/row_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>

#include "models/error.hpp"
#include "models/leading_number.hpp"
#include "models/named_units.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

struct SpecColumn {
  std::string_view name;
  std::string Record::*text;
};

constexpr std::array<SpecColumn, 3> spec_columns{{{"workload", &Record::workload},
                                                  {"platform", &Record::platform},
                                                  {"strategy", &Record::strategy}}};

/// The option of a row, each text being taken apart once.
RowColumn option_column(const SpecColumn& column, const std::string& key, const std::string& name) {
  const auto known = std::make_shared<std::unordered_map<std::string, Value>>();
  return {name, [member = column.text, key, known](const Record& row) {
            const auto [at, is_new] = known->try_emplace(row.*member);
            if (!is_new) return at->second;
            for (const auto& [option, value] : options_in(row.*member)) {
              if (option == key) at->second = value;
            }
            return at->second;
          }};
}

RowColumn plain_column(const Column& column) {
  return {std::string(column.name),
          [&column](const Record& row) { return cell_value(row, column); }};
}

bool any_has(const std::vector<Record>& rows, const RowColumn& column) {
  return std::any_of(rows.begin(), rows.end(), [&](const Record& row) {
    return !std::holds_alternative<std::monostate>(column.of(row));
  });
}

/// What may be asked for.
std::vector<std::string> names_there(const std::vector<Record>& rows) {
  std::vector<std::string> names;
  for (const Column& column : columns()) {
    const RowColumn plain = plain_column(column);
    if (any_has(rows, plain)) names.push_back(plain.name);
  }
  std::unordered_map<std::string, bool> seen;
  for (const Record& row : rows) {
    for (const SpecColumn& column : spec_columns) {
      if (!seen.try_emplace(row.*column.text).second) continue;
      for (auto& [key, value] : options_in(row.*column.text)) {
        if (std::find(names.begin(), names.end(), key) == names.end()) names.push_back(key);
      }
    }
  }
  return names;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> options_in(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> result;
  try {
    const Spec spec = Spec::parse(text, "spec");
    for (const std::string& key : spec.keys())
      result.emplace_back(key, spec.word(key).value_or(""));
  } catch (const InvalidInput&) {
    result.clear();
  }
  return result;
}

RowColumn row_column(const std::vector<Record>& rows, const std::string& name,
                     std::string_view asked_by) {
  const auto dot = name.find('.');
  std::vector<RowColumn> found;
  for (const SpecColumn& column : spec_columns) {
    const bool is_qualified = dot != std::string::npos && name.substr(0, dot) == column.name;
    if (dot != std::string::npos && !is_qualified) continue;
    auto option = option_column(column, is_qualified ? name.substr(dot + 1) : name,
                                is_qualified ? name : fmt::format("{}.{}", column.name, name));
    if (any_has(rows, option)) found.push_back(std::move(option));
  }
  const auto column = std::find_if(columns().begin(), columns().end(),
                                   [&](const Column& one) { return one.name == name; });
  if (column != columns().end() && (name != "n" || found.empty())) {
    return plain_column(*column);
  }
  if (found.size() > 1 && name != "n") {
    throw InvalidInput(fmt::format("{}: '{}' may be {} or {}; say which", asked_by, name,
                                   found.front().name, found.back().name));
  }
  if (found.empty()) {
    refuse_unknown(fmt::format("column in {}", asked_by), name, names_there(rows));
  }
  found.front().name = name;
  return found.front();
}

std::optional<double> number_of(const Value& value) {
  if (const auto* const count = std::get_if<std::uint64_t>(&value)) {
    return static_cast<double>(*count);
  }
  if (const auto* const real = std::get_if<double>(&value)) return *real;
  const auto* const text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::nullopt;
  double number = 0;
  const auto [end, error] = leading_number(*text, number);
  if (error != std::errc()) return std::nullopt;
  const std::string unit(end, text->data() + text->size());
  if (unit.empty() || unit == "data" || unit == "outputs") return number;
  static const auto units = named_units();
  const auto known = std::find_if(units.begin(), units.end(),
                                  [&](const NamedUnit& one) { return one.name == unit; });
  return known == units.end() ? std::nullopt : std::optional(number * known->factor);
}

}  // namespace damocles
