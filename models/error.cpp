#include "models/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace damocles {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> known) {
  std::string best;
  std::size_t least = std::min(name.size(), std::max<std::size_t>(2, name.size() / 2));
  for (const auto& candidate : known) {
    const std::size_t distance =
        !name.empty() && candidate.starts_with(name) ? 1 : edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

void refuse_unknown(std::string_view what, std::string_view name,
                    std::span<const std::string> known) {
  const std::string guess = nearest(name, known);
  throw InvalidInput(
      fmt::format("unknown {} '{}'; {}valid: {}", what, name,
                  guess.empty() ? "" : fmt::format("did you mean '{}'? ", guess),
                  known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

}  // namespace damocles
