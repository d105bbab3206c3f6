#include "models/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace damocles {
namespace {

/// Letters added, left out, replaced, or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> above;
  std::vector<std::size_t> above_that;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    above_that = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({row[j - 1] + 1, above[j] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], above_that[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = letter >= 'A' && letter <= 'Z' ? char(letter + 32) : letter;
  return result;
}

namespace {

/// What papers call it, and its name here.
constexpr std::array<std::array<std::string_view, 2>, 1> words_of_papers{
    {{"heterogeneity", "spread"}}};

}  // namespace

std::string nearest(std::string_view written, std::span<const std::string> known) {
  constexpr std::size_t longest = 100;  // longer ones are no slip of a finger, and take long
  if (written.size() > longest) return {};
  std::string name = in_lower_case(written);
  for (const auto& [theirs, ours] : words_of_papers) {
    if (name == theirs && std::find(known.begin(), known.end(), ours) != known.end()) name = ours;
  }
  std::string best;
  // In halves of a letter: what begins or ends so comes before what a letter would make of it.
  std::size_t least = 2 * std::min(name.size(), std::max<std::size_t>(2, name.size() / 2));
  for (const auto& candidate : known) {
    const std::string other = in_lower_case(candidate);
    const bool is_part = name.size() > 1 && name.size() < other.size() &&
                         (other.starts_with(name) || other.ends_with("_" + name));
    const std::size_t distance = is_part ? 1 : 2 * edit_distance(name, other);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string all_names(std::string_view label, std::span<const std::string> known,
                      std::string_view command) {
  constexpr std::size_t most_shown = 10;  // more names bury the guess before them
  if (!command.empty() && known.size() > most_shown) {
    return fmt::format("`{}` shows all {}", command, known.size());
  }
  return fmt::format("{}: {}", label,
                     known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
}

std::string command_to_list(std::string_view name) { return fmt::format("damocles list {}", name); }

std::string valid_names(std::string_view written, std::span<const std::string> known,
                        std::string_view command) {
  const std::string guess = nearest(written, known);
  return (guess.empty() ? "" : fmt::format("did you mean '{}'? ", guess)) +
         all_names("valid", known, command);
}

void refuse_unknown(std::string_view what, std::string_view name,
                    std::span<const std::string> known, std::string_view command) {
  throw InvalidInput(
      fmt::format("unknown {} '{}'; {}", what, name, valid_names(name, known, command)));
}

std::string no_such_file(std::string_view what, std::string_view path, std::string_view right) {
  return fmt::format("cannot open {} '{}': no such file; check the path, or {}", what, path, right);
}

}  // namespace damocles
