#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace damocles {

/// `name:key=value,key=value` or `name:value,value`: the one grammar for everything with
/// parameters. A value of the key `path` may hold commas. `what` ("workload", "platform",
/// "strategy") is what errors call it.
class Spec {
 public:
  /// @throws InvalidInput on an empty name, an empty key or value, a key given twice, or another
  /// sign than ':' after the name or ',' between keys
  static Spec parse(std::string_view text, std::string_view what);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& what() const { return what_; }
  /// The values without a key, in order.
  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }
  /// In the order they were given.
  [[nodiscard]] const std::vector<std::string>& keys() const { return order_; }
  [[nodiscard]] bool has(std::string_view key) const { return options_.contains(key); }
  /// Name and options as one word, keys in the order they were given.
  [[nodiscard]] std::string text() const;

  /// Refuses keys not in `keys` and, unless `positional`, values without a key.
  void allow(std::span<const std::string> keys, bool positional = false) const;

  /// The value of `key`, or nothing. @throws InvalidInput if it is not a number (NaN, infinity and
  /// trailing letters are refused) or not in [lowest, highest]
  [[nodiscard]] std::optional<double> number(std::string_view key, double lowest,
                                             double highest) const;
  /// The value of `key`, or nothing; a whole number in [lowest, highest].
  [[nodiscard]] std::optional<std::uint64_t> integer(std::string_view key, std::uint64_t lowest,
                                                     std::uint64_t highest) const;
  [[nodiscard]] std::optional<std::string> word(std::string_view key) const;
  /// The same options under another name.
  [[nodiscard]] Spec renamed(std::string name) const;
  /// The same where the values without a key, with the commas between them, are that key's.
  [[nodiscard]] Spec keyed(const std::string& key) const;
  /// Adds or replaces an option.
  void set(const std::string& key, const std::string& value);

  /// An error about this spec: "workload 'outer:n=0': n must be ...".
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  std::string what_;
  std::string name_;
  std::string given_;  ///< what was parsed; "" where something changed since
  std::vector<std::string> values_;
  std::vector<std::string> order_;
  std::map<std::string, std::string, std::less<>> options_;
};

/// A finite decimal number, all of `text`; nothing where it is none.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
/// A whole number, all of `text`, no sign; nothing where it is none or exceeds 2^64 - 1.
[[nodiscard]] std::optional<std::uint64_t> parse_integer(std::string_view text);

/// Splits at commas that stand between whole specs, not between the options of one: a comma belongs
/// to the spec before it when `key=` or a number follows and that spec has a ':'.
[[nodiscard]] std::vector<std::string> split_specs(std::string_view list);

/// A name that is written twice is asked for once: as two, its rows would be taken for replicates
/// that nobody ran, and its spread for a smaller one.
[[nodiscard]] std::vector<std::string> once_each(std::vector<std::string> names);

}  // namespace damocles
