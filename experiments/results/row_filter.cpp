#include "experiments/results/row_filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "experiments/results/row_columns.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

/// One condition, taken apart.
struct RowCondition {
  std::string column;
  std::string comparison;           ///< =, !=, <, <=, > or >=
  std::vector<std::string> values;  ///< one; of = and != one or more

  [[nodiscard]] bool compares() const { return comparison != "=" && comparison != "!="; }
  [[nodiscard]] std::string text() const {
    return fmt::format("{}{}{}", column, comparison, fmt::join(values, ","));
  }
};

[[noreturn]] void refuse_condition(const std::string& text) {
  throw InvalidInput(fmt::format(
      "--where '{}': must be COLUMN=VALUE,VALUE or COLUMN!=VALUE, or COLUMN<NUMBER with "
      "<, <=, > or >=, as \"strategy=darts,memory>=40\"",
      text));
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1));
}

/// "memory>=40" as a condition; one without a column where the text is none.
RowCondition parsed_condition(std::string_view text) {
  const auto at = text.find_first_of("=!<>:");
  if (at == std::string_view::npos || text[at] == ':') return {};
  for (const std::string_view sign : {"!=", "<=", ">=", "==", "=", "<", ">"}) {
    if (!text.substr(at).starts_with(sign)) continue;
    return {.column = trimmed(text.substr(0, at)),
            .comparison = sign == "==" ? "=" : std::string(sign),
            .values = {trimmed(text.substr(at + sign.size()))}};
  }
  return {};
}

/// Whether `next`, which stands behind a comma, goes on with the options of the name before it: of
/// "strategy=darts:eviction=lru,depth=3" the depth is the strategy's.
bool goes_on(const RowCondition& before, const RowCondition& next) {
  constexpr std::array<std::string_view, 6> never_options{"source",   "model",    "strategy",
                                                          "workload", "platform", "status"};
  return next.comparison == "=" && before.values.back().find(':') != std::string::npos &&
         std::find(never_options.begin(), never_options.end(), next.column) == never_options.end();
}

std::vector<RowCondition> parsed_conditions(const std::string& text) {
  std::vector<RowCondition> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto comma = std::min(text.find(',', begin), text.size());
    const std::string piece = trimmed(std::string_view(text).substr(begin, comma - begin));
    begin = comma + 1;
    RowCondition next = parsed_condition(piece);
    const bool is_option = !result.empty() && goes_on(result.back(), next);
    if (!next.column.empty() && !is_option) {
      if (next.values.front().empty()) refuse_condition(text);
      result.push_back(std::move(next));
      continue;
    }
    if (result.empty() || result.back().compares() || piece.empty()) refuse_condition(text);
    auto& values = result.back().values;
    if (is_option) {
      values.back() += "," + piece;
    } else {
      values.push_back(piece);
    }
  }
  return result;
}

bool is_equal(const Value& value, const std::string& asked) {
  const std::string text = value_text(value);
  if (text.empty()) return false;
  if (text == asked || text.substr(0, text.find(':')) == asked) return true;
  const auto number = number_of(value);
  return number && number == number_of(Value(asked));
}

bool holds(const RowCondition& condition, const Value& value) {
  if (!condition.compares()) {
    const auto& values = condition.values;
    // The whole too: a name may hold commas, as speeds:1,2.
    const bool equal = is_equal(value, fmt::format("{}", fmt::join(values, ","))) ||
                       std::any_of(values.begin(), values.end(),
                                   [&](const auto& one) { return is_equal(value, one); });
    return equal == (condition.comparison == "=");
  }
  const auto number = number_of(value);
  if (!number) return false;
  const double bound = *number_of(Value(condition.values.front()));
  if (condition.comparison == "<") return *number < bound;
  if (condition.comparison == "<=") return *number <= bound;
  return condition.comparison == ">" ? *number > bound : *number >= bound;
}

/// The values that the rows have, for who asked for another: "darts, dmdar and 7 more".
std::string values_there(const std::vector<Record>& rows, const RowColumn& column) {
  constexpr std::size_t most = 8;
  std::vector<std::string> there;
  std::set<std::string> seen;
  for (const Record& row : rows) {
    const std::string text = value_text(column.of(row));
    if (seen.insert(text).second) there.push_back(text.empty() ? "(nothing)" : text);
  }
  const std::size_t more = there.size() > most ? there.size() - most : 0;
  there.resize(there.size() - more);
  return fmt::format("{}{}", fmt::join(there, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

std::vector<Record> rows_where(std::vector<Record> rows,
                               const std::vector<std::string>& conditions) {
  for (const std::string& text : conditions) {
    for (const RowCondition& condition : parsed_conditions(text)) {
      if (condition.compares() && !number_of(Value(condition.values.front()))) {
        throw InvalidInput(fmt::format("--where '{}': '{}' is not a number", condition.text(),
                                       condition.values.front()));
      }
      const RowColumn column = row_column(rows, condition.column, "--where");
      std::vector<Record> kept;
      for (const Record& row : rows) {
        if (holds(condition, column.of(row))) kept.push_back(row);
      }
      if (kept.empty()) {
        throw InvalidInput(fmt::format("--where '{}' leaves none of {}: {} has {}",
                                       condition.text(), counted(rows.size(), "row"),
                                       condition.column, values_there(rows, column)));
      }
      rows = std::move(kept);
    }
  }
  return rows;
}

}  // namespace damocles
