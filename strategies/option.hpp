// The options of strategies: their names, the values that they take, and what they mean.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/spec.hpp"

namespace damocles {

/// The values that an option takes: some words, numbers of a range, both, or any file name.
///
/// They are declared once, where the strategy is registered. From there come the check of what a
/// user writes, before anything runs, and the text that names the valid values.
class OptionValues {
 public:
  /// Files, which are checked when they are read.
  OptionValues() = default;

  /// One of these words.
  static OptionValues words(std::vector<std::string> words);
  static OptionValues true_or_false() { return words({"true", "false"}); }
  /// The names of a table, which may not be complete before main().
  /// @param check  refuses a name that cannot be used, and says what to write
  static OptionValues names(std::function<std::vector<std::string>()> names,
                            std::function<void(const std::string&)> check);
  static OptionValues number(double lowest, double highest = unbounded);
  static OptionValues whole(std::uint64_t lowest, std::optional<std::uint64_t> highest = {});
  /// The same words, or a number.
  [[nodiscard]] OptionValues or_number(double lowest, double highest = unbounded) const;
  [[nodiscard]] OptionValues or_whole(std::uint64_t lowest) const;

  /// Why the option may not have this value, or "". @throws InvalidInput as the check of names
  [[nodiscard]] std::string why_not(const std::string& value) const;
  /// Some valid values: all words, and numbers small and large; of file names none.
  [[nodiscard]] std::vector<std::string> some() const;
  /// What is valid: "true or false", "auto or a number, at least 0", "a file name".
  [[nodiscard]] std::string text() const;

 private:
  static constexpr double unbounded = std::numeric_limits<double>::infinity();
  enum class Numbers { none, whole, real };

  [[nodiscard]] std::string text_of_numbers() const;
  [[nodiscard]] bool is_number_of_range(const std::string& value) const;

  std::function<std::vector<std::string>()> words_{};
  std::function<void(const std::string&)> check_{};
  Numbers numbers_ = Numbers::none;
  double lowest_ = 0;
  double highest_ = unbounded;
};

struct StrategyOption {
  std::string key;
  std::string meaning;
  OptionValues values;

  bool operator==(const StrategyOption& other) const;
};

/// The values of options that were checked when the strategy was chosen (StrategyChoice::parse).
/// @{
[[nodiscard]] std::string word_of(const Spec& spec, std::string_view key,
                                  const std::string& otherwise);
[[nodiscard]] bool flag_of(const Spec& spec, std::string_view key, bool otherwise);
[[nodiscard]] double number_of(const Spec& spec, std::string_view key, double otherwise);
[[nodiscard]] std::uint64_t whole_of(const Spec& spec, std::string_view key,
                                     std::uint64_t otherwise);
/// @}

}  // namespace damocles
