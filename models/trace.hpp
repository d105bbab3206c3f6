#pragma once

#include <cstdint>
#include <vector>

namespace damocles {

/// What a run did, counted where it happened; the same type for simulated and executed runs.
struct Trace {
  std::vector<std::uint64_t> loads;  ///< data sent to each processor, shape (p)
  std::vector<std::uint64_t> tasks;  ///< tasks computed by each processor, shape (p)
  std::vector<double> busy_s;        ///< time each processor computed, shape (p)
  double makespan_s = 0;             ///< end of the last task

  [[nodiscard]] std::uint64_t total_loads() const {
    std::uint64_t total = 0;
    for (const std::uint64_t count : loads) total += count;
    return total;
  }
  /// Computing time over p times the makespan, in [0, 1].
  [[nodiscard]] double busy_fraction() const {
    double busy = 0;
    for (const double time : busy_s) busy += time;
    const double total = makespan_s * static_cast<double>(busy_s.size());
    return total > 0 ? busy / total : 0;
  }

  friend bool operator==(const Trace&, const Trace&) = default;
};

}  // namespace damocles
