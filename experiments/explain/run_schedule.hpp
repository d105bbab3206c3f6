// A run as its events tell it: who computed what when, and what travelled meanwhile.

#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"

namespace damocles {

/// Why there was room for a load at once, or not before.
enum class Room : std::uint8_t { free, evicted, returned };

/// A load on one processor.
struct LoadSpan {
  double start_s = 0;
  double end_s = 0;
  std::uint64_t data = 0;
  bool from_peer = false;
  Room room = Room::free;
};

/// A modified data item, or a sum, on its way to host memory.
struct ReturnSpan {
  double start_s = 0;
  double end_s = 0;
  std::uint32_t processor = 0;
  std::uint64_t data = 0;
};

/// A task on one of the processors that computed it.
struct TaskSpan {
  double start_s = 0;
  double end_s = 0;
  std::uint32_t task = 0;
};

/// What a task waited for before it could start anywhere.
struct Readiness {
  double time_s = 0;                       ///< end of the last task that it waited for
  std::optional<std::uint32_t> last_task;  ///< that task
};

/// A whole run, sorted for questions about its times. Lists are in order of time.
struct RunSchedule {
  const Workload* workload = nullptr;
  const Platform* platform = nullptr;
  double makespan_s = 0;
  std::vector<std::vector<TaskSpan>> tasks{};    ///< by processor, by start
  std::vector<std::vector<LoadSpan>> loads{};    ///< by processor, by end
  std::vector<ReturnSpan> returns{};             ///< by end
  std::vector<std::vector<double>> evictions{};  ///< by processor
  std::vector<Readiness> ready{};                ///< by task
  std::vector<TaskSpan> span_of{};               ///< by task, on the processor that started it
  std::vector<std::uint32_t> processor_of{};     ///< by task
  /// By processor and data item, the places of its loads in `loads`.
  std::vector<std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>> loads_of{};

  /// Shorter times are rounding.
  [[nodiscard]] double tolerance_s() const { return 1e-12 + makespan_s * 1e-9; }
  [[nodiscard]] const TaskGraph& graph() const { return workload->graph(); }
  [[nodiscard]] bool in_host_memory(std::size_t processor) const {
    return platform->machine && platform->machine->processors[processor].in_host_memory;
  }
  /// The last load of a data item that had ended by then, or nothing.
  [[nodiscard]] const LoadSpan* last_load(std::size_t processor, std::uint64_t data,
                                          double time_s) const;
};

/// The schedule that the events tell. Workload and platform outlive it.
[[nodiscard]] RunSchedule run_schedule(const std::vector<RunEvent>& events,
                                       const Workload& workload, const Platform& platform,
                                       double makespan_s);

}  // namespace damocles
