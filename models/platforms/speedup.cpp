#include "models/platforms/speedup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "models/error.hpp"
#include "models/platforms/kernel_times.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

/// `1/1.9/2.7`
std::optional<std::vector<double>> speedup_table(std::string_view text) {
  std::vector<double> table;
  while (true) {
    const auto slash = std::min(text.find('/'), text.size());
    const auto value = parse_number(text.substr(0, slash));
    const auto cores = static_cast<double>(table.size() + 1);
    if (!value || !(*value >= (table.empty() ? 1 : table.back())) || *value > cores) {
      return std::nullopt;
    }
    table.push_back(*value);
    if (slash == text.size()) return table;
    text.remove_prefix(slash + 1);
  }
}

/// `amdahl:0.05`; nothing where it is no law.
std::optional<Speedup> speedup_law(std::string_view text) {
  const auto colon = std::min(text.find(':'), text.size());
  const std::string_view law = text.substr(0, colon);
  const std::string_view given = text.substr(std::min(colon + 1, text.size()));
  if (law == "table") {
    const auto table = speedup_table(given);
    if (!table) return std::nullopt;
    return Speedup{.law = Speedup::Law::table, .table = *table};
  }
  if (law != "amdahl" && law != "power") return std::nullopt;
  const auto parameter = parse_number(given);
  if (!parameter || !(*parameter >= 0) || *parameter > 1) return std::nullopt;
  return Speedup{.law = law == "power" ? Speedup::Law::power : Speedup::Law::amdahl,
                 .parameter = *parameter};
}

}  // namespace

double Speedup::operator()(std::size_t cores) const {
  const auto k = static_cast<double>(cores);
  switch (law) {
    case Law::amdahl:
      return k / (1 + (k - 1) * parameter);
    case Law::power:
      return std::pow(k, parameter);
    case Law::table:
      return table[cores - 1];
  }
  return 1;
}

std::size_t Speedup::most_cores() const {
  return law == Law::table ? table.size() : std::numeric_limits<std::size_t>::max();
}

std::vector<Speedup> parse_speedups(std::string_view text, const std::string& where) {
  std::vector<Speedup> result;
  for (const std::string_view one : summands(text)) {
    std::string kind;
    auto speedup = speedup_law(one);
    if (!speedup) {
      const auto colon = std::min(one.find(':'), one.size());
      kind = one.substr(0, colon);
      speedup = speedup_law(one.substr(std::min(colon + 1, one.size())));
      if (kind.empty()) speedup.reset();
    }
    const bool again = std::any_of(result.begin(), result.end(),
                                   [&](const Speedup& other) { return other.kind == kind; });
    if (!speedup || again) {
      throw InvalidInput(fmt::format(
          "{}: speedup must be amdahl:A or power:A, A from 0 to 1, or table:1/S2/S3/..., never falling "
          "and Sk at most k; one for all tasks, or one for each kind, as GEMM:amdahl:0.05+SYRK:power:0.9, not '{}'",
          where, text));
    }
    speedup->kind = std::move(kind);
    result.push_back(*std::move(speedup));
  }
  return result;
}

}  // namespace damocles
