#include "ode/limited_memory/hiding_memory.hpp"

#include <algorithm>
#include <numeric>

namespace damocles {
namespace {

/// Two for the task that runs, two for the next one.
constexpr std::size_t two_tasks = 4;

/// Panels of so many of the pivots, as even as possible, in as few as fit beside the data item that
/// streams past; and another one, as one place is that of the transfer. The streams turn at the end
/// of a panel; what fits beside the next panel is not loaded again.
double loads_of_panels(std::size_t pivots, std::size_t streams, std::size_t memory) {
  const std::size_t widest = memory - 2;
  const std::size_t panels = (pivots + widest - 1) / widest;
  const std::size_t width = (pivots + panels - 1) / panels;
  return static_cast<double>(pivots + panels * streams) -
         static_cast<double>((panels - 1) * (memory - 1 - width));
}

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
    const double loads = std::min(loads_of_panels(run.rows, run.columns, memory),
                                  loads_of_panels(run.columns, run.rows, memory));
    if (loads <= hidden) return memory;
  }
  return std::nullopt;
}

}  // namespace damocles
