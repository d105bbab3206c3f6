#include "ode/limited_memory/hiding_memory.hpp"

#include <algorithm>
#include <numeric>

#include "ode/limited_memory/panels.hpp"

namespace damocles {
namespace {

/// Two for the task that runs, two for the next one.
constexpr std::size_t two_tasks = 4;

}  // namespace

std::optional<std::size_t> hiding_memory_of_rounds(const LimitedRun& run) {
  const std::size_t shared = std::gcd(run.columns, run.processors);
  const std::size_t columns = run.columns / shared;
  const std::size_t rows = run.processors / shared;
  const double transfer = run.transfers_a_task();
  // A round has as many tasks as columns.
  if (transfer * static_cast<double>(columns + rows) <= static_cast<double>(columns)) {
    return std::min(run.data(), two_tasks);
  }
  const double tasks = static_cast<double>(run.tasks()) / static_cast<double>(run.processors);
  if (transfer * static_cast<double>(run.rows + columns) > tasks) return std::nullopt;
  return std::min(run.data(), columns + rows + 1);
}

std::optional<std::size_t> hiding_memory_of_panels(const LimitedRun& run) {
  // Where the bus works nearly all the time, pacing cannot bring every data item in time.
  constexpr double busy = 0.93;
  const double hidden = busy * static_cast<double>(run.tasks()) / run.transfers_a_task();
  for (std::size_t memory = 3; memory <= run.data(); ++memory) {
    if (loads_of_panels(run, memory) <= hidden) return memory;
  }
  return std::nullopt;
}

}  // namespace damocles
