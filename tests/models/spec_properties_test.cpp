#ifdef DAMOCLES_HAS_RAPIDCHECK

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <set>

#include "models/error.hpp"
#include "models/quantity.hpp"
#include "models/spec.hpp"

namespace damocles::spec_properties_test {
namespace {

// 1000 made-up cases of each property, the same each time; one that fails is made small. RC_PARAMS
// chooses others: RC_PARAMS="seed=2 max_success=100000".
const int configured = setenv("RC_PARAMS", "seed=1 max_success=1000", 0);

/// A text, each letter of it one of `letters`.
rc::Gen<std::string> text_of(std::string_view letters) {
  return rc::gen::container<std::string>(rc::gen::elementOf(std::string(letters)));
}

rc::Gen<std::string> word() { return rc::gen::nonEmpty(text_of("abcxyz0189.-_+/")); }

/// A well-formed spec, as name, values without a key, and keys with theirs.
struct Parts {
  std::string name;
  std::vector<std::string> values;
  std::vector<std::pair<std::string, std::string>> options;

  [[nodiscard]] std::string text() const {
    std::vector<std::string> all = values;
    for (const auto& [key, value] : options) all.push_back(fmt::format("{}={}", key, value));
    return all.empty() ? name : fmt::format("{}:{}", name, fmt::join(all, ","));
  }
};

Parts some_parts() {
  Parts parts{*word(), *rc::gen::container<std::vector<std::string>>(word()), {}};
  std::set<std::string> keys;
  for (const auto& key : *rc::gen::container<std::vector<std::string>>(word())) {
    if (keys.insert(key).second) parts.options.emplace_back(key, *word());
  }
  return parts;
}

RC_GTEST_PROP(SpecProperties, AWellFormedSpecIsReadAsItIsWritten, ()) {
  const Parts parts = some_parts();
  const Spec spec = Spec::parse(parts.text(), "workload");
  RC_ASSERT(spec.name() == parts.name);
  RC_ASSERT(spec.values() == parts.values);
  for (const auto& [key, value] : parts.options) RC_ASSERT(spec.word(key) == value);
  RC_ASSERT(spec.text() == parts.text());
}

RC_GTEST_PROP(SpecProperties, BlanksAroundWordsDoNotMatter, ()) {
  const Parts parts = some_parts();
  std::string spaced;
  for (const char letter : parts.text()) {
    const bool separates = letter == ':' || letter == ',' || letter == '=';
    spaced += separates ? fmt::format(" {}\t", letter) : std::string(1, letter);
  }
  RC_ASSERT(Spec::parse(spaced, "workload").text() == parts.text());
}

RC_GTEST_PROP(SpecProperties, AnyTextIsRefusedOrReadForGood, ()) {
  const std::string text = *text_of("ab1.:=, \n\t\x01\xff");
  std::string read;
  try {
    read = Spec::parse(text, "workload").text();
  } catch (const InvalidInput&) {
    return;
  }
  RC_ASSERT(Spec::parse(read, "workload").text() == read);
}

RC_GTEST_PROP(SpecProperties, AListOfSpecsIsSplitBetweenThem, ()) {
  std::vector<std::string> specs;
  // A number behind a comma belongs to the spec before it, so no name is one.
  const auto count = *rc::gen::inRange(1, 6);
  for (int i = 0; i < count; ++i) {
    Parts parts = some_parts();
    parts.name = fmt::format("s{}", parts.name);
    parts.values.clear();
    specs.push_back(parts.text());
  }
  RC_ASSERT(split_specs(fmt::format("{}", fmt::join(specs, ","))) == specs);
}

RC_GTEST_PROP(SpecProperties, NumbersAreReadBackToTheBit, (double real, std::uint64_t whole)) {
  RC_ASSERT(parse_number(fmt::format("{}", real)) == real);
  RC_ASSERT(parse_integer(fmt::format("{}", whole)) == whole);
}

/// The longest prefix that is a number, looked for letter by letter, and its unit: what
/// parse_quantity finds in one go.
std::optional<double> bytes_slowly(const std::string& text) {
  constexpr std::array<std::pair<const char*, double>, 9> units{{{"B", 1},
                                                                 {"kB", 1e3},
                                                                 {"MB", 1e6},
                                                                 {"GB", 1e9},
                                                                 {"TB", 1e12},
                                                                 {"KiB", 0x1p10},
                                                                 {"MiB", 0x1p20},
                                                                 {"GiB", 0x1p30},
                                                                 {"TiB", 0x1p40}}};
  std::size_t digits = text.size();
  while (digits > 0 && !parse_number(text.substr(0, digits))) --digits;
  const auto number = parse_number(text.substr(0, digits));
  if (!number || *number < 0) return std::nullopt;
  if (digits == text.size()) return *number == 0 ? number : std::nullopt;
  for (const auto& [unit, factor] : units) {
    if (text.substr(digits) == unit) return *number * factor;
  }
  return std::nullopt;
}

RC_GTEST_PROP(SpecProperties, QuantitiesAreALongestNumberAndItsUnit, ()) {
  const std::string text =
      fmt::format("{}{}", *text_of("0123456789.eE+-"), *text_of("kKMGTiBeEnaf"));
  RC_ASSERT(parse_quantity(text, Unit::bytes) == bytes_slowly(text));
}

RC_GTEST_PROP(SpecProperties, QuantitiesWithUnitsAreScaled, (double number)) {
  const std::string unit = *rc::gen::elementOf(
      std::vector<std::string>{"", "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"});
  const std::string text = fmt::format("{}{}", std::abs(number), unit);
  RC_ASSERT(parse_quantity(text, Unit::bytes) == bytes_slowly(text));
}

}  // namespace
}  // namespace damocles::spec_properties_test

#endif
