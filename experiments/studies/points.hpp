#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace damocles {

/// The most points, and the most rows, of a sweep: keys and rows are held in memory, 3 kB a row.
inline constexpr std::uint64_t most_points = 250'000;

/// `first:last:step`, as 10:300:10: the numbers first, first + step, ... up to last, which is one
/// of them where the steps meet it. Decimals are exact: 0.1:0.5:0.1 has 0.3. Another text stands
/// for itself. @throws InvalidInput where the step is 0 or leads away, or there are more than
/// most_points numbers
[[nodiscard]] std::vector<std::string> expanded(const std::string& text);

/// A value for each variable.
using Values = std::map<std::string, std::string>;

/// `text` with the value of each variable in the place of {name}; what stands in values stays.
/// @throws InvalidInput where a {name} is no variable
[[nodiscard]] std::string substituted(std::string_view text, const Values& values);

/// Every choice of one value a variable, one after the other; the last variable varies fastest.
class Points {
 public:
  explicit Points(std::map<std::string, std::vector<std::string>> variables);
  /// How many; without bound where that is more than 2^64 - 1.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// "n: 20 values, p: 3 values".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] Values values() const;
  /// Steps to the next choice; false where that was the last.
  bool next();

 private:
  std::map<std::string, std::vector<std::string>> variables_;
  std::vector<std::size_t> at_;
  std::uint64_t count_ = 1;
};

/// a b, or 2^64 - 1 where it is more.
[[nodiscard]] std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b);

}  // namespace damocles
