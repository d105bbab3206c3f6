#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace damocles {

/// A table of bits, each row in whole words, bit c % 64 of word c / 64 for column c.
class BitRows {
 public:
  /// All 0. The words a row are rounded up to a multiple of `unit`.
  BitRows(std::uint64_t rows, std::uint64_t columns, std::uint64_t unit = 1)
      : words_a_row_(((columns + 63) / 64 + unit - 1) / unit * unit),
        words_(rows * words_a_row_, 0) {}

  [[nodiscard]] std::uint64_t words_a_row() const { return words_a_row_; }
  [[nodiscard]] const std::uint64_t* row(std::uint64_t row) const {
    return words_.data() + row * words_a_row_;
  }
  /// One column, to be read in many rows.
  class Column {
   public:
    [[nodiscard]] bool operator[](std::uint64_t row) const {
      return (words_[row * a_row_] & bit_) != 0;
    }

   private:
    friend class BitRows;
    Column(const std::uint64_t* words, std::uint64_t a_row, std::uint64_t bit)
        : words_(words), a_row_(a_row), bit_(bit) {}
    const std::uint64_t* words_;
    std::uint64_t a_row_;
    std::uint64_t bit_;
  };
  [[nodiscard]] Column column(std::uint64_t column) const {
    return {words_.data() + column / 64, words_a_row_, std::uint64_t{1} << (column % 64)};
  }
  void set(std::uint64_t row, std::uint64_t column) {
    words_[row * words_a_row_ + column / 64] |= std::uint64_t{1} << (column % 64);
  }
  void clear(std::uint64_t row, std::uint64_t column) {
    words_[row * words_a_row_ + column / 64] &= ~(std::uint64_t{1} << (column % 64));
  }
  /// Calls visit(column) for each bit set in word `at` of a row.
  template <typename Visit>
  static void for_each_column(std::uint64_t word, std::uint64_t at, Visit&& visit) {
    for (; word != 0; word &= word - 1) {
      visit(at * 64 + static_cast<std::uint64_t>(std::countr_zero(word)));
    }
  }

 private:
  std::uint64_t words_a_row_;
  std::vector<std::uint64_t> words_;
};

}  // namespace damocles
