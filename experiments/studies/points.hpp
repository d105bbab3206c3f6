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
/// of them where the steps meet it. Decimals are exact: 0.1:0.5:0.1 has 0.3. Without a step, about
/// ten values: both ends and, evenly spaced between them, numbers of as many decimals as the ends
/// have. All may have one unit: 5data:80data. Another text stands for itself.
/// @throws InvalidInput where the step is 0 or leads away, units differ, or there are more than
/// most_points numbers
[[nodiscard]] std::vector<std::string> expanded(const std::string& text);

/// A value for each variable.
using Values = std::map<std::string, std::string>;

/// `text` with the value of each variable in the place of {name}; what stands in values stays.
/// @throws InvalidInput where a {name} is no variable
[[nodiscard]] std::string substituted(std::string_view text, const Values& values);

/// The names of the variables in a text, as in {name}.
[[nodiscard]] std::vector<std::string> variables_in(std::string_view text);

/// The values that each variable may have.
using Variables = std::map<std::string, std::vector<std::string>>;

/// Every choice of one value a variable, one after the other; the last variable varies fastest.
class Points {
 public:
  /// @param zipped  groups of variables that move together: the first values of all, the second of
  ///   all, ...; each group varies as one variable does, after the others
  /// @pre the variables of a group have equally many values, and no name stands there twice
  explicit Points(const Variables& variables, const std::vector<Variables>& zipped = {});
  /// How many; without bound where that is more than 2^64 - 1.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// "n: 20 values, mean+p: 3 values".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] Values values() const;
  /// Steps to the next choice; false where that was the last.
  bool next();

 private:
  /// Variables that move together, a row each time.
  struct Axis {
    std::string name;
    std::vector<Values> rows;
  };
  void add(const Variables& together);

  std::vector<Axis> axes_;
  std::vector<std::size_t> at_;
  std::uint64_t count_ = 1;
};

/// a b, or 2^64 - 1 where it is more.
[[nodiscard]] std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b);

}  // namespace damocles
