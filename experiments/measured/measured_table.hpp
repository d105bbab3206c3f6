#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace damocles {

/// A row of a table of measurements: takes its cells one after the other, and names line and column
/// in errors. All but text() throw InvalidInput where a cell is not what the caller expects.
class MeasuredRow {
 public:
  using Names = std::vector<std::string>;

  /// @param columns  outlive it
  explicit MeasuredRow(const Names& columns) : columns_(columns) {}
  /// The next row, of `cells`, stands at `where`.
  void begin(Names cells, std::string where);

  /// Any text, perhaps none.
  std::string text() { return cells_[next_++]; }
  /// Any text but none.
  std::string word();
  /// One of these words.
  std::string word(const Names& known);
  /// A whole number; or a positive one.
  std::uint64_t whole();
  std::uint64_t positive_whole();
  double positive();
  /// A number of at least 0, or nothing where the cell is empty.
  std::optional<double> number_or_none();
  std::optional<std::uint64_t> whole_or_none();
  /// The difference of two measured times, which may lie below 0; nothing where the cell is empty.
  std::optional<double> difference_or_none();
  /// A positive whole number, or nothing where the cell is `unlimited`.
  std::optional<std::uint64_t> limit();

  /// Where it stands, as "x.csv, line 3".
  [[nodiscard]] const std::string& where() const { return where_; }
  /// @throws InvalidInput about the cell taken last
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  const Names& columns_;
  std::string where_;
  Names cells_;
  std::size_t next_ = 0;
};

/// Reads a table of measurements: CSV in which lines that begin with # are comments.
/// @param where   names the table in errors
/// @param header  its columns, which must be these
/// @param take    is called for each row; it reads every cell
/// @throws InvalidInput naming table and line on another header, a row of another length, or a
///         misplaced quote
void for_each_measured_row(std::istream& in, const std::string& where, std::string_view header,
                           const std::function<void(MeasuredRow&)>& take);

}  // namespace damocles
