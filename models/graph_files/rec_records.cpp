#include "models/graph_files/rec_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/spec.hpp"

namespace damocles {

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool RecRecords::next() {
  std::fill(fields_.begin(), fields_.end(), Field{});
  begin_ = 0;
  while (lines_.next()) {
    const auto line = without_blanks(lines_.text());
    if (line.empty()) {
      if (begin_ != 0) return true;
    } else if (line[0] != '#' && line[0] != '%') {  // recutils' comments and descriptors
      read_field();
    }
  }
  return begin_ != 0;
}

void RecRecords::read_field() {
  const auto line = lines_.text();
  const auto colon = line.find(':');
  const auto key = line.substr(0, colon);
  if (colon == 0 || colon == std::string_view::npos ||
      key.find_first_of(" \t") != std::string_view::npos) {
    lines_.refuse(fmt::format("'{}' is no field of a record; write 'Key: value'", shown(line)));
  }
  if (begin_ == 0) begin_ = lines_.number();
  const auto known = std::find(keys_.begin(), keys_.end(), key);
  if (known == keys_.end()) return;
  Field& field = fields_[static_cast<std::size_t>(known - keys_.begin())];
  if (field.line != 0) {
    lines_.refuse(fmt::format(
        "{} again, after line {}; write it once a record, and an empty line between records", key,
        field.line));
  }
  field = {.text = std::string(line.substr(colon + 1)), .line = lines_.number()};
}

std::string_view RecRecords::value(std::size_t key) const { return without_blanks(text(key)); }

std::optional<std::uint64_t> RecRecords::whole(std::size_t key) const {
  if (!has(key)) return std::nullopt;
  const auto parsed = parse_integer(value(key));
  if (!parsed) refuse(key, fmt::format("is '{}'; write a whole number", shown(text(key))));
  return parsed;
}

std::optional<double> RecRecords::number(std::size_t key) const {
  if (!has(key)) return std::nullopt;
  const auto parsed = signed_number(value(key));
  if (!parsed) refuse(key, fmt::format("is '{}'; write a number", shown(text(key))));
  return parsed;
}

void RecRecords::refuse(std::size_t key, std::string_view why) const {
  lines_.refuse_at(fields_[key].line, fmt::format("{} {}", keys_[key], why));
}

std::vector<std::uint64_t> read_submit_orders(std::istream& in, const std::string& name) {
  enum Key : std::uint8_t { control, submit_order, handle };
  static constexpr std::array<std::string_view, 3> keys{"Control", "SubmitOrder", "Handle"};
  RecRecords records(in, name, keys);
  std::vector<std::uint64_t> result;
  while (records.next()) {
    if (records.value(control) == "WontUse" || records.has(handle)) continue;
    result.push_back(records.whole(submit_order).value_or(0));
  }
  std::stable_sort(result.begin(), result.end());
  return result;
}

}  // namespace damocles
