// Checks the values of options, and says which are valid.
#include "strategies/option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace damocles {

OptionValues OptionValues::words(std::vector<std::string> words) {
  return names([words = std::move(words)] { return words; }, {});
}

OptionValues OptionValues::names(std::function<std::vector<std::string>()> names,
                                 std::function<void(const std::string&)> check) {
  OptionValues result;
  result.words_ = std::move(names);
  result.check_ = std::move(check);
  return result;
}

OptionValues OptionValues::number(double lowest, double highest) {
  return OptionValues{}.or_number(lowest, highest);
}

OptionValues OptionValues::whole(std::uint64_t lowest, std::optional<std::uint64_t> highest) {
  OptionValues result = OptionValues{}.or_whole(lowest);
  if (highest) result.highest_ = static_cast<double>(*highest);
  return result;
}

OptionValues OptionValues::or_number(double lowest, double highest) const {
  OptionValues result = *this;
  result.numbers_ = Numbers::real;
  result.lowest_ = lowest;
  result.highest_ = highest;
  return result;
}

OptionValues OptionValues::or_whole(std::uint64_t lowest) const {
  OptionValues result = or_number(static_cast<double>(lowest));
  result.numbers_ = Numbers::whole;
  return result;
}

bool OptionValues::is_number_of_range(const std::string& value) const {
  if (numbers_ == Numbers::none) return false;
  if (numbers_ == Numbers::whole && !parse_integer(value)) return false;
  const auto number = parse_number(value);
  return number && *number >= lowest_ && *number <= highest_;
}

std::string OptionValues::text_of_numbers() const {
  const std::string what = numbers_ == Numbers::whole ? "a whole number" : "a number";
  return std::isinf(highest_) ? fmt::format("{}, at least {}", what, lowest_)
                              : fmt::format("{} from {} to {}", what, lowest_, highest_);
}

std::string OptionValues::text() const {
  std::vector<std::string> choices;
  if (words_) choices = words_();
  if (numbers_ != Numbers::none) choices.push_back(text_of_numbers());
  if (choices.empty()) return "a file name";
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < choices.size() ? ", " : " or ") + choices[i];
  }
  return text;
}

std::vector<std::string> OptionValues::some() const {
  std::vector<std::string> values;
  if (words_) values = words_();
  for (const char* const number : {"0", "1", "2", "3", "4", "10", "0.1", "0.5", "1000000"}) {
    if (is_number_of_range(number)) values.emplace_back(number);
  }
  return values;
}

std::string OptionValues::why_not(const std::string& value) const {
  if (check_) check_(value);
  if (!words_ && numbers_ == Numbers::none) return "";
  if (is_number_of_range(value)) return "";
  if (words_) {
    const auto words = words_();
    if (std::find(words.begin(), words.end(), value) != words.end()) return "";
  }
  return fmt::format("must be {}, not '{}'", text(), value);
}

bool StrategyOption::operator==(const StrategyOption& other) const {
  return key == other.key && meaning == other.meaning && values.text() == other.values.text();
}

std::string word_of(const Spec& spec, std::string_view key, const std::string& otherwise) {
  return spec.word(key).value_or(otherwise);
}

bool flag_of(const Spec& spec, std::string_view key, bool otherwise) {
  return word_of(spec, key, otherwise ? "true" : "false") == "true";
}

double number_of(const Spec& spec, std::string_view key, double otherwise) {
  const auto word = spec.word(key);
  return word ? parse_number(*word).value() + 0.0 : otherwise;  // of -0, 0
}

std::uint64_t whole_of(const Spec& spec, std::string_view key, std::uint64_t otherwise) {
  const auto word = spec.word(key);
  return word ? parse_integer(*word).value() : otherwise;
}

}  // namespace damocles
