#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ode/limited_memory/limited_predictor.hpp"

namespace damocles {
namespace {

constexpr std::size_t shortest_side = 20;
constexpr std::size_t longest_side = 400;
constexpr std::size_t least_memory = 6;
constexpr std::size_t most_processors = 4;
constexpr double most_different_speeds = 4;  // the fastest over the slowest
constexpr std::size_t fewest_tasks = 90;
constexpr std::size_t most_tasks = 11'000;
// of a quotient of speeds that were written in decimals
constexpr double rounding = 1e-3;
constexpr std::array other_families{"sparse2d", "gemm3d", "gemm3d:c=yes", "cholesky", "lu"};

/// Beside memory and processors.
std::string why_outside_grids(const LimitedRun& run) {
  const std::size_t shortest = std::min(run.rows, run.columns);
  const std::size_t longest = std::max(run.rows, run.columns);
  if (shortest < shortest_side) {
    return fmt::format("a side of {} blocks, validated from {}", shortest, shortest_side);
  }
  if (longest <= longest_side) return "";
  return fmt::format("a side of {} blocks, validated up to {}", longest, longest_side);
}
std::string why_outside_others(const LimitedRun& run) {
  if (std::find(other_families.begin(), other_families.end(), run.family) == other_families.end()) {
    return fmt::format("the tasks of {}, validated for gemm2d, {}", run.family,
                       fmt::join(other_families, ", "));
  }
  if (run.tasks() < fewest_tasks) {
    return fmt::format("{} tasks, validated from {}", run.tasks(), fewest_tasks);
  }
  if (run.tasks() <= most_tasks) return "";
  return fmt::format("{} tasks, validated up to {}", run.tasks(), most_tasks);
}

/// Processors of different speeds.
std::string why_outside_speeds(const LimitedRun& run) {
  if (run.slowness.empty()) return "";
  if (!run.is_grid()) {
    return fmt::format("the tasks of {} on GPUs of different speeds, validated for {}", run.family,
                       grid_family);
  }
  const auto [least, most] = std::minmax_element(run.slowness.begin(), run.slowness.end());
  const double times = *most / *least;
  if (times <= most_different_speeds * (1 + rounding)) return "";
  return fmt::format("speeds that differ {:.3g} times, validated up to {:g}", times,
                     most_different_speeds);
}

}  // namespace

std::string why_outside_study(const LimitedRun& run) {
  std::string why = run.is_grid() ? why_outside_grids(run) : why_outside_others(run);
  if (!why.empty()) return why;
  if (run.memory < least_memory) {
    return fmt::format("memory of {} data items, validated from {}", run.memory, least_memory);
  }
  if (run.processors > most_processors) {
    return fmt::format("{} GPUs, validated up to {}", run.processors, most_processors);
  }
  return why_outside_speeds(run);
}

std::string limits_of_study(const std::string& family, bool speeds_differ) {
  const std::string sizes =
      family == grid_family ? fmt::format("sides of {} to {} blocks", shortest_side, longest_side)
                            : fmt::format("{} to {} tasks", fewest_tasks, most_tasks);
  const std::string speeds =
      speeds_differ ? fmt::format(" whose speeds differ up to {:g} times", most_different_speeds)
                    : "";
  return fmt::format("{}, memory of {} or more data items, up to {} GPUs{}", sizes, least_memory,
                     most_processors, speeds);
}

}  // namespace damocles
