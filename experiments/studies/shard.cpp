#include "experiments/studies/shard.hpp"

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_shards = 1'000'000;  // as many as a sweep may have rows

/// The multiple of the golden ratio modulo 1, as a part in [0, count).
std::uint64_t first_of_round(std::uint64_t round, std::uint64_t count) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // its fraction times 2^64
  return ((round * golden >> 32U) * count) >> 32U;
}

}  // namespace

Shard Shard::parse(const std::string& text) {
  const auto slash = text.find('/');
  const auto refuse = [&] {
    throw InvalidInput(fmt::format(
        "--shard '{}': give I/N, part I of N from 1/N to N/N, as 2/16 (N is at most {})", text,
        most_shards));
  };
  if (slash == std::string::npos) refuse();
  const auto index = parse_integer(text.substr(0, slash));
  const auto count = parse_integer(text.substr(slash + 1));
  if (!index || !count || *index < 1 || *index > *count || *count > most_shards) refuse();
  return {*index, *count};
}

bool Shard::has(std::size_t row) const {
  return (row + first_of_round(row / count, count)) % count == index - 1;
}

std::vector<bool> Shard::of(std::size_t rows) const {
  std::vector<bool> has_row(rows);
  for (std::size_t row = 0; row < rows; ++row) has_row[row] = has(row);
  return has_row;
}

std::string Shard::text() const { return fmt::format("{}/{}", index, count); }

}  // namespace damocles
