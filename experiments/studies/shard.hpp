// One of several parts of a sweep, each for a machine or a job of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace damocles {

/// Part `index` of `count`, counted from 1; the only part by default.
///
/// The parts of one sweep are disjoint and together have every row. Of any `count` consecutive rows
/// that begin a round, each part has one, so neighbours, which often take equally long, are spread
/// evenly. A further round deals from another part on: were it always the first, a sweep of `count`
/// strategies would give one part the slowest of them in every setting. The start follows the
/// golden ratio, whose multiples modulo 1 lie evenly for every number of rounds.
struct Shard {
  std::uint64_t index = 1;
  std::uint64_t count = 1;

  /// "2/16". @throws InvalidInput on anything else
  [[nodiscard]] static Shard parse(const std::string& text);
  [[nodiscard]] bool has(std::size_t row) const;
  /// Of this many rows, which it has.
  [[nodiscard]] std::vector<bool> of(std::size_t rows) const;
  [[nodiscard]] bool is_whole() const { return count == 1; }
  [[nodiscard]] std::string text() const;
};

}  // namespace damocles
