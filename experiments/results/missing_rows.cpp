// Which rows of a study its store lacks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/results/store.hpp"

namespace damocles {
namespace {

/// Whether numbers are reserved for more replicates than a precision may ask for.
bool asks_for_precision(const StoredStudy& study) {
  return study.command.find("--precision") != std::string::npos ||
         ("\n" + study.sweep_file).find("\nprecision") != std::string::npos;
}

}  // namespace

std::string MissingRows::text(const std::string& file) const {
  constexpr std::size_t most_shown = 4;
  std::vector<std::string> shown;
  for (const auto& [first, last] : places) {
    if (shown.size() == most_shown) break;
    shown.push_back(first == last ? fmt::format("{}", first)
                                  : fmt::format("{} to {}", first, last));
  }
  if (places.size() > most_shown) shown.emplace_back("...");
  return fmt::format("{} of {} rows of `{}` are missing in {}{}", count, study.size, study.command,
                     file, shown.empty() ? "" : fmt::format(" (rows {})", fmt::join(shown, ", ")));
}

std::vector<MissingRows> ResultStore::missing_rows() {
  const auto all = studies();
  std::int64_t rows = 0;
  for (const StoredStudy& study : all) rows += static_cast<std::int64_t>(study.rows);
  std::vector<MissingRows> result;
  for (const StoredStudy& study : all) {
    const auto own = static_cast<std::int64_t>(study.rows);
    const std::int64_t others = rows - own;  // each may be one that this study asks for too
    if (asks_for_precision(study) || study.size - own - others <= 0) continue;
    MissingRows missing{.study = study, .count = study.size - own - others};
    if (others == 0) {
      guarded([&] {
        Statement there(*database_, "SELECT number FROM rows WHERE study = ? ORDER BY number");
        there.bind(1, study.id);
        std::int64_t next = 1;
        while (there.next()) {
          const std::int64_t place = there.integer(0) - study.first + 1;
          if (place > next) missing.places.emplace_back(next, place - 1);
          next = place + 1;
        }
        if (next <= study.size) missing.places.emplace_back(next, study.size);
      });
    }
    result.push_back(std::move(missing));
  }
  return result;
}

}  // namespace damocles
