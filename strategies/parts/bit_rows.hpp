#pragma once

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
  void set(std::uint64_t row, std::uint64_t column) {
    words_[row * words_a_row_ + column / 64] |= std::uint64_t{1} << (column % 64);
  }

 private:
  std::uint64_t words_a_row_;
  std::vector<std::uint64_t> words_;
};

}  // namespace damocles
