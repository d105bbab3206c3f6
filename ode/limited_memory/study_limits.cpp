#include <fmt/format.h>

#include <algorithm>

#include "ode/limited_memory/limited_predictor.hpp"

namespace damocles {
namespace {

constexpr std::size_t shortest_side = 20;
constexpr std::size_t longest_side = 120;
constexpr std::size_t least_memory = 6;
constexpr std::size_t most_processors = 4;

}  // namespace

std::string why_outside_study(const LimitedRun& run) {
  const std::size_t shortest = std::min(run.rows, run.columns);
  const std::size_t longest = std::max(run.rows, run.columns);
  if (shortest < shortest_side) {
    return fmt::format("a side of {} blocks, validated from {}", shortest, shortest_side);
  }
  if (longest > longest_side) {
    return fmt::format("a side of {} blocks, validated up to {}", longest, longest_side);
  }
  if (run.memory < least_memory) {
    return fmt::format("memory of {} data items, validated from {}", run.memory, least_memory);
  }
  if (run.processors <= most_processors) return "";
  return fmt::format("{} GPUs, validated up to {}", run.processors, most_processors);
}

std::string limits_of_study() {
  return fmt::format("sides of {} to {} blocks, memory of {} or more data items, up to {} GPUs",
                     shortest_side, longest_side, least_memory, most_processors);
}

}  // namespace damocles
